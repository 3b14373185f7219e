// Tensors by their names in the trace. Those that a matrix of weights made are stored; the others are computed here
// from them, by the equations that the page shows: nothing else is known of them.

const CONFIG = DATA.config;
const HANDS = DATA.hands;
const kept = new Map();

class Tensor {
  constructor(shape, values) {
    this.shape = shape;
    this.values = values;
    this.width = shape[shape.length - 1];
  }

  // The numbers of one row: row(i), or row(head, i).
  row(...where) {
    let index = 0;
    where.forEach((one, axis) => { index = index * this.shape[axis] + one; });
    return this.values.subarray(index * this.width, (index + 1) * this.width);
  }

  at(...where) {
    const last = where.pop();
    return this.row(...where)[last];
  }
}

function tensor(name) {
  if (!kept.has(name)) kept.set(name, isStored(name) ? stored(name) : derive(name));
  return kept.get(name);
}

function isStored(name) {
  return name in DATA.tensors;
}

function stored(name) {
  return new Tensor(DATA.tensors[name].shape, unpack(DATA.tensors[name]));
}

function derive(name) {
  if (name === "memory") return tensor(isPreNorm() ? "encoder.norm" : outputOf("encoder", CONFIG.encoder_layers - 1));
  if (name === "decoder.out") {
    return tensor(isPreNorm() ? "decoder.norm" : outputOf("decoder", CONFIG.decoder_layers - 1));
  }
  if (name === "encoder.norm" || name === "decoder.norm") return normed(tensor(normReads(name)), name);
  const dot = name.lastIndexOf(".");
  const part = name.slice(0, dot), what = name.slice(dot + 1);
  switch (what) {
    case "scaled": return part.endsWith("attention") ? scaledScores(part) : map(tensor(`${part}.embedding`), (x) => x * rootOfModel());
    case "x": return isStored(`${part}.positions`) ? added(tensor(`${part}.scaled`), tensor(`${part}.positions`)) : tensor(`${part}.scaled`);
    case "in": return tensor(isPreNorm() ? `${part}.norm` : entering(part));
    case "norm": return normed(tensor(normReads(name)), name);
    case "add": return added(tensor(entering(part)), tensor(`${part}.out`));
    case "Q_rotated": case "K_rotated": return turned(tensor(`${part}.${what[0]}`), tensor(`${sideOf(part)}.angles`));
    case "scores": return products(tensor(turnedName(part, "Q")), tensor(turnedName(part, "K")));
    case "masked": return masked(part);
    case "weights": return softmaxRows(tensor(`${part}.masked`));
    case "heads": return weightedSums(part);
    case "concat": return sideBySide(tensor(`${part}.heads`));
    case "hidden": return activated(part);
    default: throw new Error(`there is no tensor ${name}`);
  }
}

function isPreNorm() { return CONFIG.norm_order === "pre"; }
function isRotary() { return CONFIG.positions === "rotary" && HANDS.positions !== "off"; }
function rootOfModel() { return Math.sqrt(CONFIG.d_model); }
function sideOf(part) { return part.startsWith("encoder") ? "source" : "target"; }
function turnedName(part, letter) {
  return `${part}.${letter}${isRotary() && part.endsWith("self_attention") ? "_rotated" : ""}`;
}

// "decoder.1.cross_attention" -> the parts of a layer, in their order
function partsOf(stack) {
  return stack === "encoder" ? ["self_attention", "feed_forward"] : ["self_attention", "cross_attention", "feed_forward"];
}

function outputOf(stack, layer) {
  return `${stack}.${layer}.feed_forward.${isPreNorm() ? "add" : "norm"}`;
}

// The name of what comes into a part, and goes around it to the sum.
function entering(part) {
  const [stack, layer, name] = part.split(".");
  const before = partsOf(stack).indexOf(name) - 1;
  if (before >= 0) return `${stack}.${layer}.${partsOf(stack)[before]}.${isPreNorm() ? "add" : "norm"}`;
  return Number(layer) > 0 ? outputOf(stack, Number(layer) - 1) : `${sideOf(stack)}.x`;
}

// What a norm is taken of.
function normReads(name) {
  const part = name.slice(0, -".norm".length);
  if (part === "encoder" || part === "decoder") return outputOf(part, CONFIG[`${part}_layers`] - 1);
  return isPreNorm() ? entering(part) : `${part}.add`;
}

// The name of a norm's gain and bias among the weights: encoder.0.feed_forward.norm -> encoder.layers.0.around_…
function normWeights(name) {
  const [stack, layer, part] = name.split(".");
  return part === undefined ? `${stack}.norm` : `${stack}.layers.${layer}.around_${part}.norm`;
}

function map(x, change) {
  return new Tensor(x.shape, Float64Array.from(x.values, change));
}

function added(x, y) {
  return new Tensor(x.shape, Float64Array.from(x.values, (one, i) => one + y.values[i]));
}

function numbersOf(packedNumbers) {
  if (!packedNumbers) return null;
  if (!packedNumbers.values) packedNumbers.values = unpack(packedNumbers);
  return packedNumbers.values;
}

function moments(row) {
  const mean = sum(row) / row.length;
  const about = CONFIG.norm === "layer" ? mean : 0;
  return { mean, variance: sum(Float64Array.from(row, (one) => (one - about) ** 2)) / row.length };
}

function normed(x, name) {
  const gain = numbersOf(DATA.weights[normWeights(name)].gain), bias = numbersOf(DATA.weights[normWeights(name)].bias);
  const out = new Float64Array(x.values.length);
  for (let i = 0; i < x.shape[0]; i++) {
    const row = x.row(i), { mean, variance } = moments(row);
    const root = Math.sqrt(variance + CONFIG.norm_eps), away = CONFIG.norm === "layer" ? mean : 0;
    for (let k = 0; k < row.length; k++) {
      out[i * row.length + k] = gain[k] * (row[k] - away) / root + (bias ? bias[k] : 0);
    }
  }
  return new Tensor(x.shape, out);
}

function turned(x, angles) {
  const [h, n, width] = x.shape, half = width / 2, out = new Float64Array(x.values.length);
  for (let head = 0; head < h; head++) for (let i = 0; i < n; i++) {
    const row = x.row(head, i), angle = angles.row(i), to = (head * n + i) * width;
    for (let k = 0; k < half; k++) {
      const cos = Math.cos(angle[k]), sin = Math.sin(angle[k]);
      out[to + k] = row[k] * cos - row[k + half] * sin;
      out[to + k + half] = row[k + half] * cos + row[k] * sin;
    }
  }
  return new Tensor(x.shape, out);
}

function dot(a, b) {
  let total = 0;
  for (let k = 0; k < a.length; k++) total += a[k] * b[k];
  return total;
}

function products(Q, K) {
  const [h, n] = Q.shape, m = K.shape[1], out = new Float64Array(h * n * m);
  let to = 0;
  for (let head = 0; head < h; head++) for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) {
    out[to++] = dot(Q.row(head, i), K.row(head, j));
  }
  return new Tensor([h, n, m], out);
}

function isScaled() { return HANDS.scale !== false; }
function isMasked(part) { return part.startsWith("decoder") && part.endsWith("self_attention") && HANDS.causal_mask !== false; }
function mayAttend(part, i, j) { return !isMasked(part) || j <= i; }

function scaledScores(part) {
  return isScaled() ? map(tensor(`${part}.scores`), (x) => x / Math.sqrt(CONFIG.d_k)) : tensor(`${part}.scores`);
}

function masked(part) {
  const scaled = tensor(`${part}.scaled`), [, n, m] = scaled.shape;
  if (!isMasked(part)) return scaled;
  return new Tensor(scaled.shape, Float64Array.from(scaled.values, (one, at) => {
    const i = Math.floor(at / m) % n, j = at % m;
    return j <= i ? one : -Infinity;
  }));
}

function softmaxRows(x) {
  const out = new Float64Array(x.values.length);
  for (let from = 0; from < out.length; from += x.width) {
    const row = x.values.subarray(from, from + x.width), highest = Math.max(...row);
    const exps = Array.from(row, (one) => Math.exp(one - highest)), total = sum(exps);
    exps.forEach((one, j) => { out[from + j] = one / total; });
  }
  return new Tensor(x.shape, out);
}

function isHeadOff(part, head) {
  const [stack, layer, name] = part.split(".");
  const where = name === "cross_attention" ? "cross" : stack;
  return (HANDS.heads_off || []).some(([w, l, h]) => w === where && l === Number(layer) && h === head);
}

function weightedSums(part) {
  const weights = tensor(`${part}.weights`), V = tensor(`${part}.V`);
  const [h, n, m] = weights.shape, width = V.width, out = new Float64Array(h * n * width);
  for (let head = 0; head < h; head++) if (!isHeadOff(part, head)) for (let i = 0; i < n; i++) {
    const row = weights.row(head, i), to = (head * n + i) * width;
    for (let j = 0; j < m; j++) {
      const v = V.row(head, j);
      for (let k = 0; k < width; k++) out[to + k] += row[j] * v[k];
    }
  }
  return new Tensor([h, n, width], out);
}

function sideBySide(heads) {
  const [h, n, width] = heads.shape, out = new Float64Array(heads.values.length);
  for (let head = 0; head < h; head++) for (let i = 0; i < n; i++) out.set(heads.row(head, i), (i * h + head) * width);
  return new Tensor([n, h * width], out);
}

function activation(x) {
  if (CONFIG.activation === "relu") return Math.max(0, x);
  if (CONFIG.activation === "swiglu") return x / (1 + Math.exp(-x));
  return x * (1 + erf(x / Math.SQRT2)) / 2;
}

// Abramowitz and Stegun 7.1.26 is good to 1.5e-7, which is more than the digits stored.
function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const poly = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - poly * Math.exp(-x * x));
}

function activated(part) {
  if (CONFIG.activation !== "swiglu") return map(tensor(`${part}.inner`), activation);
  const up = tensor(`${part}.up`);
  const gate = tensor(`${part}.gate`);
  return new Tensor(gate.shape, Float64Array.from(gate.values, (one, i) => activation(one) * up.values[i]));
}

// The head whose rows are least spread: the lowest mean entropy.
function sharpestHead(part) {
  const weights = tensor(`${part}.weights`), [h, n] = weights.shape;
  let best = 0, least = Infinity;
  for (let head = 0; head < h; head++) {
    let entropy = 0;
    for (let i = 0; i < n; i++) for (const p of weights.row(head, i)) if (p > 0) entropy -= p * Math.log(p);
    if (entropy < least - 1e-12) { least = entropy; best = head; }
  }
  return best;
}
