// The arithmetic of the layers, written out: sums, norms, rotations, products, softmax, activations.

import { CONFIG, HANDS } from "./look.js";
import { sum } from "./numbers.js";
import { biasOf, gainOf, Tensor, tensor, turnedName } from "./tensors.js";

export function map(x, change) {
  return new Tensor(x.shape, Float64Array.from(x.values, change));
}

export function added(x, y) {
  return new Tensor(
    x.shape,
    Float64Array.from(x.values, (one, i) => one + y.values[i]),
  );
}

export function moments(row) {
  const mean = sum(row) / row.length;
  const about = CONFIG.norm === "layer" ? mean : 0;
  return { mean, variance: sum(Float64Array.from(row, (one) => (one - about) ** 2)) / row.length };
}

export function normed(x, name) {
  const gain = gainOf(name),
    bias = biasOf(name);
  const out = new Float64Array(x.values.length);
  for (let i = 0; i < x.shape[0]; i++) {
    const row = x.row(i),
      { mean, variance } = moments(row);
    const root = Math.sqrt(variance + CONFIG.norm_eps),
      away = CONFIG.norm === "layer" ? mean : 0;
    for (let k = 0; k < row.length; k++) {
      out[i * row.length + k] = (gain[k] * (row[k] - away)) / root + (bias ? bias[k] : 0);
    }
  }
  return new Tensor(x.shape, out);
}

export function turned(x, angles) {
  const [h, n, width] = x.shape,
    half = width / 2,
    out = new Float64Array(x.values.length);
  for (let head = 0; head < h; head++)
    for (let i = 0; i < n; i++) {
      const row = x.row(head, i),
        angle = angles.row(i),
        to = (head * n + i) * width;
      for (let k = 0; k < half; k++) {
        const cos = Math.cos(angle[k]),
          sin = Math.sin(angle[k]);
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

// score(head, q, k) of every query with every key: [h, queries, keys]
function scoresOf(Q, K, score) {
  const [h, n] = Q.shape,
    m = K.shape[1],
    out = new Float64Array(h * n * m);
  let to = 0;
  for (let head = 0; head < h; head++)
    for (let i = 0; i < n; i++)
      for (let j = 0; j < m; j++) {
        out[to++] = score(head, Q.row(head, i), K.row(head, j));
      }
  return new Tensor([h, n, m], out);
}

export function scores(part) {
  const Q = tensor(turnedName(part, "Q")),
    K = tensor(turnedName(part, "K"));
  if (!isAdditive()) return scoresOf(Q, K, (_, q, k) => dot(q, k));
  const w = tensor(`${part}.w`);
  return scoresOf(Q, K, (head, q, k) => dot(w.row(head), tanhOfSum(q, k)));
}

export function tanhOfSum(q, k) {
  return q.map((one, d) => Math.tanh(one + k[d]));
}

export function isAdditive() {
  return CONFIG.compatibility === "additive";
}
export function isScaled() {
  return HANDS.scale !== false && !isAdditive();
}
export function isMasked(part) {
  return part.startsWith("decoder") && part.endsWith("self_attention") && HANDS.causal_mask !== false;
}
export function mayAttend(part, i, j) {
  return !isMasked(part) || j <= i;
}

export function scaledScores(part) {
  return isScaled() ? map(tensor(`${part}.scores`), (x) => x / Math.sqrt(CONFIG.d_k)) : tensor(`${part}.scores`);
}

export function masked(part) {
  const scaled = tensor(`${part}.scaled`),
    [, n, m] = scaled.shape;
  if (!isMasked(part)) return scaled;
  return new Tensor(
    scaled.shape,
    Float64Array.from(scaled.values, (one, at) => {
      const i = Math.floor(at / m) % n,
        j = at % m;
      return j <= i ? one : -Infinity;
    }),
  );
}

export function softmaxRows(x) {
  const out = new Float64Array(x.values.length);
  for (let from = 0; from < out.length; from += x.width) {
    const row = x.values.subarray(from, from + x.width),
      highest = Math.max(...row);
    const exps = Array.from(row, (one) => Math.exp(one - highest)),
      total = sum(exps);
    exps.forEach((one, j) => {
      out[from + j] = one / total;
    });
  }
  return new Tensor(x.shape, out);
}

export function isHeadOff(part, head) {
  const [stack, layer, name] = part.split(".");
  const where = name === "cross_attention" ? "cross" : stack;
  return (HANDS.heads_off || []).some(([w, l, h]) => w === where && l === Number(layer) && h === head);
}

export function weightedSums(part) {
  const weights = tensor(`${part}.weights`),
    V = tensor(`${part}.V`);
  const [h, n, m] = weights.shape,
    width = V.width,
    out = new Float64Array(h * n * width);
  for (let head = 0; head < h; head++)
    if (!isHeadOff(part, head))
      for (let i = 0; i < n; i++) {
        const row = weights.row(head, i),
          to = (head * n + i) * width;
        for (let j = 0; j < m; j++) {
          const v = V.row(head, j);
          for (let k = 0; k < width; k++) out[to + k] += row[j] * v[k];
        }
      }
  return new Tensor([h, n, width], out);
}

export function sideBySide(heads) {
  const [h, n, width] = heads.shape,
    out = new Float64Array(heads.values.length);
  for (let head = 0; head < h; head++) for (let i = 0; i < n; i++) out.set(heads.row(head, i), (i * h + head) * width);
  return new Tensor([n, h * width], out);
}

export function activation(x) {
  if (CONFIG.activation === "relu") return Math.max(0, x);
  if (CONFIG.activation === "swish" || CONFIG.activation === "swiglu") return x / (1 + Math.exp(-x));
  return (x * (1 + erf(x / Math.SQRT2))) / 2;
}

// Abramowitz and Stegun 7.1.26 is good to 1.5e-7, which is more than the digits stored.
function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const poly = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(x) * (1 - poly * Math.exp(-x * x));
}

export function activated(part) {
  if (CONFIG.activation !== "swiglu") return map(tensor(`${part}.inner`), activation);
  const up = tensor(`${part}.up`);
  const gate = tensor(`${part}.gate`);
  return new Tensor(
    gate.shape,
    Float64Array.from(gate.values, (one, i) => activation(one) * up.values[i]),
  );
}
