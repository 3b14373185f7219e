// Tensors by their names in the trace. Those that a matrix of weights made are stored; the others are computed here
// from them, by the equations that the page shows: nothing else is known of them.

import {
  activated,
  added,
  map,
  masked,
  normed,
  scaledScores,
  scores,
  sideBySide,
  softmaxRows,
  turned,
  weightedSums,
} from "./arithmetic.js";
import { CONFIG, HANDS, NUMBERS, onLook } from "./look.js";

const kept = new Map();

onLook(() => kept.clear());

export class Tensor {
  constructor(shape, values) {
    this.shape = shape;
    this.values = values;
    this.width = shape[shape.length - 1];
  }

  // The numbers of one row: row(i), or row(head, i).
  row(...where) {
    let index = 0;
    where.forEach((one, axis) => {
      index = index * this.shape[axis] + one;
    });
    return this.values.subarray(index * this.width, (index + 1) * this.width);
  }

  at(...where) {
    const last = where.pop();
    return this.row(...where)[last];
  }
}

export function tensor(name) {
  if (!kept.has(name)) kept.set(name, isStored(name) ? stored(name) : derive(name));
  return kept.get(name);
}

export function isStored(name) {
  return NUMBERS.has(name);
}

function stored(name) {
  return new Tensor(NUMBERS.shape(name), NUMBERS.values(name));
}

function derive(name) {
  if (name === "memory") return tensor(isPreNorm() ? "encoder.norm" : outputOf("encoder", CONFIG.encoder_layers - 1));
  if (name === "decoder.out") {
    return tensor(isPreNorm() ? "decoder.norm" : outputOf("decoder", CONFIG.decoder_layers - 1));
  }
  if (name === "encoder.norm" || name === "decoder.norm") return normed(tensor(normReads(name)), name);
  const dot = name.lastIndexOf(".");
  const part = name.slice(0, dot),
    what = name.slice(dot + 1);
  switch (what) {
    case "scaled":
      return part.endsWith("attention")
        ? scaledScores(part)
        : map(tensor(`${part}.embedding`), (x) => x * rootOfModel());
    case "x":
      return isStored(`${part}.positions`)
        ? added(tensor(`${part}.scaled`), tensor(`${part}.positions`))
        : tensor(`${part}.scaled`);
    case "in":
      return tensor(isPreNorm() ? `${part}.norm` : entering(part));
    case "norm":
      return normed(tensor(normReads(name)), name);
    case "add":
      return added(tensor(entering(part)), tensor(`${part}.out`));
    case "Q_rotated":
    case "K_rotated":
      return turned(tensor(`${part}.${what[0]}`), tensor(`${sideOf(part)}.angles`));
    case "scores":
      return scores(part);
    case "masked":
      return masked(part);
    case "weights":
      return softmaxRows(tensor(`${part}.masked`));
    case "heads":
      return weightedSums(part);
    case "concat":
      return sideBySide(tensor(`${part}.heads`));
    case "hidden":
      return activated(part);
    default:
      throw new Error(`there is no tensor ${name}`);
  }
}

export function isPreNorm() {
  return CONFIG.norm_order === "pre";
}
function isRotary() {
  return CONFIG.positions === "rotary" && HANDS.positions !== "off";
}
export function rootOfModel() {
  return Math.sqrt(CONFIG.d_model);
}
function sideOf(part) {
  return part.startsWith("encoder") ? "source" : "target";
}
export function turnedName(part, letter) {
  return `${part}.${letter}${isRotary() && part.endsWith("self_attention") ? "_rotated" : ""}`;
}

// "decoder.1.cross_attention" -> the parts of a layer, in their order
function partsOf(stack) {
  return stack === "encoder"
    ? ["self_attention", "feed_forward"]
    : ["self_attention", "cross_attention", "feed_forward"];
}

function outputOf(stack, layer) {
  return `${stack}.${layer}.feed_forward.${isPreNorm() ? "add" : "norm"}`;
}

// The name of what comes into a part, and goes around it to the sum.
export function entering(part) {
  const [stack, layer, name] = part.split(".");
  const before = partsOf(stack).indexOf(name) - 1;
  if (before >= 0) return `${stack}.${layer}.${partsOf(stack)[before]}.${isPreNorm() ? "add" : "norm"}`;
  return Number(layer) > 0 ? outputOf(stack, Number(layer) - 1) : `${sideOf(stack)}.x`;
}

// What a norm is taken of.
export function normReads(name) {
  const part = name.slice(0, -".norm".length);
  if (part === "encoder" || part === "decoder") return outputOf(part, CONFIG[`${part}_layers`] - 1);
  return isPreNorm() ? entering(part) : `${part}.add`;
}

// The name of a norm's weights: encoder.0.feed_forward.norm -> encoder.layers.0.around_…
function normWeights(name) {
  const [stack, layer, part] = name.split(".");
  return part === undefined ? `${stack}.norm` : `${stack}.layers.${layer}.around_${part}.norm`;
}

export function gainOf(name) {
  return NUMBERS.values(`${normWeights(name)}.gain`);
}

// null of RMSNorm, which has none
export function biasOf(name) {
  return CONFIG.norm === "layer" ? NUMBERS.values(`${normWeights(name)}.bias`) : null;
}

// The head whose rows are least spread: the lowest mean entropy.
export function sharpestHead(part) {
  const weights = tensor(`${part}.weights`),
    [h, n] = weights.shape;
  let best = 0,
    least = Infinity;
  for (let head = 0; head < h; head++) {
    let entropy = 0;
    for (let i = 0; i < n; i++) for (const p of weights.row(head, i)) if (p > 0) entropy -= p * Math.log(p);
    if (entropy < least - 1e-12) {
      least = entropy;
      best = head;
    }
  }
  return best;
}
