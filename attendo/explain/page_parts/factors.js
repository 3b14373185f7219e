// What made a number, in one line. A cell says which number is meant: [kind, part or name, indices…]; of it are given
//   name        where it stands: a tensor and its indices, or who looks at whom
//   formula     with the factors put in
//   value       and isShare, where it is a share of 1
//   again()     computes it anew from its factors; null where a hand has put zeros there, or a factor is not known
//   isModels    whether the value is the model's own, or computed by the page from those that are

import { activation, isAdditive, isHeadOff, isScaled, mayAttend, moments, tanhOfSum } from "./arithmetic.js";
import { tr } from "./elements.js";
import { joinedWeight, keyLabels, queryLabels, wordLabel } from "./joined.js";
import { CONFIG, DATA, HANDS } from "./look.js";
import { show, sum } from "./numbers.js";
import { biasOf, entering, gainOf, isStored, normReads, rootOfModel, tensor, turnedName } from "./tensors.js";
import { logitFactors, probabilityFactors, productFactors } from "./unfold_products.js";

const FACTORS = {
  score: ([, part, head, i, j]) => {
    const { left, right } = scoreFactors(part, head, i, j);
    return {
      name: whoLooks(part, i, j),
      formula: `${isAdditive() ? "w·tanh(q + k)" : "q·k"} = ${products(left.length)}`,
      value: tensor(`${part}.scores`).at(head, i, j),
      again: () => sumOfProducts(left, right),
    };
  },
  scaled: ([, part, head, i, j]) => {
    const score = tensor(`${part}.scores`).at(head, i, j),
      root = isScaled() ? Math.sqrt(CONFIG.d_k) : 1;
    return {
      name: whoLooks(part, i, j),
      formula: isScaled()
        ? `q·k / √${CONFIG.d_k} = ${show(score)} / ${showRoot(root)}`
        : tr("your change: q·k is not divided by √d_k", "已改动：q·k 不除以 √d_k"),
      value: tensor(`${part}.scaled`).at(head, i, j),
      again: () => score / root,
    };
  },
  masked: ([, part, head, i, j]) => {
    const before = tensor(`${part}.${isAdditive() ? "scores" : "scaled"}`).at(head, i, j);
    return {
      name: whoLooks(part, i, j),
      formula: mayAttend(part, i, j)
        ? tr("not later than this position: it stays", "不晚于当前位置：保留")
        : tr(
            "later than this position: masked, so that its weight is 0",
            "晚于当前位置：被掩码遮住，softmax 后权重为 0",
          ),
      value: tensor(`${part}.masked`).at(head, i, j),
      again: () => (mayAttend(part, i, j) ? before : -Infinity),
    };
  },
  weight: ([, part, head, i, j]) => {
    const row = tensor(`${part}.masked`).row(head, i);
    return {
      name: whoLooks(part, i, j),
      formula: `exp(${show(row[j])}) / Σ exp = ${show(Math.exp(row[j]))} / ${show(sum(Array.from(row, Math.exp)))}`,
      value: tensor(`${part}.weights`).at(head, i, j),
      isShare: true,
      again: () => softmaxShares(row)[j],
    };
  },
  joined: ([, part, head, rows, columns]) => {
    const counts = [rows, columns].map(([from, to]) => to - from);
    return {
      name: `${wordLabel(queryLabels(part), rows)} → ${wordLabel(keyLabels(part), columns)}`,
      formula: tr(
        `${counts[0] * counts[1]} weights added / ${counts[0]} rows`,
        `${counts[0] * counts[1]} 个权重之和 / ${counts[0]} 行`,
      ),
      value: joinedWeight(part, head, rows, columns),
      isShare: true,
      again: () => sum(joinedWeights(part, head, rows, columns).flat()) / counts[0],
    };
  },
  head: ([, part, head, i, k]) => headFactors(`${part}.heads`, [head, i, k], part, head, i, k),
  concat: ([, part, i, k]) =>
    headFactors(`${part}.concat`, [i, k], part, Math.floor(k / CONFIG.d_k), i, k % CONFIG.d_k),
  add: ([, part, i, k]) => plus(`${part}.add`, entering(part), `${part}.out`, i, k),
  norm: ([, name, i, k]) => {
    const { x, mean, spread, gain, bias } = normFactors(name, i, k);
    const above = CONFIG.norm === "layer" ? `(${show(x)} ${plusOf(-mean)})` : show(x);
    return {
      ...numberAt(name, i, k),
      formula: `γ · ${CONFIG.norm === "layer" ? "(x − μ) / σ + β" : "x / rms"} = ${show(gain)} · ${above} / ${show(spread)}${bias ? ` ${plusOf(bias)}` : ""}`,
      again: () => (gain * (x - mean)) / spread + bias,
    };
  },
  hidden: ([, part, i, k]) => hiddenFactors(part, i, k),
  embedding: ([, side, i, k]) => ({
    ...numberAt(`${side}.embedding`, i, k),
    formula: tr(
      `row ${idsOf(side)[i]} of the table E, column ${k}, learnt in training`,
      `词嵌入表 E 的第 ${idsOf(side)[i]} 行第 ${k} 列，训练得到的参数`,
    ),
    again: null,
  }),
  scaledEmbedding: ([, side, i, k]) => {
    const e = tensor(`${side}.embedding`).at(i, k);
    return {
      ...numberAt(`${side}.scaled`, i, k),
      formula: `${show(e)} × √${CONFIG.d_model} = ${show(e)} × ${showRoot(rootOfModel())}`,
      again: () => e * Math.sqrt(CONFIG.d_model),
    };
  },
  x: ([, side, i, k]) =>
    isStored(`${side}.positions`)
      ? plus(`${side}.x`, `${side}.scaled`, `${side}.positions`, i, k)
      : { ...numberAt(`${side}.x`, i, k), formula: tr("nothing is added here", "这里不加任何东西"), again: null },
  position: ([, side, i, k]) => positionFactors(side, i, k),
  product: ([, name, head, i, k]) => productFactors(name, head, i, k),
  logit: ([, step, id]) => logitFactors(step, id),
  probability: ([, step, id]) => probabilityFactors(step, id),
};

export function factorsOf(cell) {
  return FACTORS[cell[0]](cell);
}

// A number of a tensor: its name, its value, and whether the model itself has told it.
export function numberAt(name, ...indices) {
  return { name: `${name}[${indices.join(", ")}]`, value: tensor(name).at(...indices), isModels: isStored(name) };
}

export function products(count) {
  return tr(`the sum of ${count} products`, `${count} 项乘积之和`);
}

export function sumOfProducts(left, right) {
  return sum(Array.from(left, (one, k) => one * right[k]));
}

function whoLooks(part, i, j) {
  return `${queryLabels(part)[i]} → ${keyLabels(part)[j]}`;
}

function idsOf(side) {
  return DATA[side === "source" ? "source" : "target_in"].ids;
}

// A score is the sum of the products of these two rows.
export function scoreFactors(part, head, i, j) {
  const q = tensor(turnedName(part, "Q")).row(head, i),
    k = tensor(turnedName(part, "K")).row(head, j);
  return isAdditive() ? { left: tensor(`${part}.w`).row(head), right: tanhOfSum(q, k) } : { left: q, right: k };
}

// The highest is taken away first, which changes nothing and keeps exp small.
export function softmaxShares(row) {
  const highest = Math.max(...row),
    exps = Array.from(row, (one) => Math.exp(one - highest)),
    total = sum(exps);
  return exps.map((one) => one / total);
}

// A row of weights for each piece that looks.
export function joinedWeights(part, head, [from, to], [first, end]) {
  const weights = tensor(`${part}.weights`);
  return Array.from({ length: to - from }, (_, r) => Array.from(weights.row(head, from + r).subarray(first, end)));
}

function headFactors(name, indices, part, head, i, k) {
  const weights = tensor(`${part}.weights`).row(head, i),
    V = tensor(`${part}.V`);
  if (isHeadOff(part, head)) {
    return {
      ...numberAt(name, ...indices),
      formula: tr("your change: this head gives zeros", "已改动：这个头输出零"),
      again: null,
    };
  }
  return {
    ...numberAt(name, ...indices),
    formula: `Σ a·v = ${products(weights.length)}`,
    again: () =>
      sumOfProducts(
        weights,
        Array.from(weights, (_, j) => V.at(head, j, k)),
      ),
  };
}

// + 0.3, or − 0.3
function plusOf(value) {
  return value < 0 ? `− ${show(-value)}` : `+ ${show(value)}`;
}

// √64 is 8, not 8.000
function showRoot(root) {
  return Number.isInteger(root) ? String(root) : show(root);
}

function plus(name, one, other, i, k) {
  const a = tensor(one).at(i, k),
    b = tensor(other).at(i, k);
  return { ...numberAt(name, i, k), formula: `${one} + ${other} = ${show(a)} ${plusOf(b)}`, again: () => a + b };
}

export function normFactors(name, i, k) {
  const row = tensor(normReads(name)).row(i),
    { mean, variance } = moments(row);
  return {
    row,
    x: row[k],
    mean: CONFIG.norm === "layer" ? mean : 0,
    variance,
    spread: Math.sqrt(variance + CONFIG.norm_eps),
    gain: gainOf(name)[k],
    bias: (biasOf(name) || [])[k] || 0,
  };
}

function hiddenFactors(part, i, k) {
  const at = numberAt(`${part}.hidden`, i, k);
  if (CONFIG.activation === "swiglu") {
    const gate = tensor(`${part}.gate`).at(i, k),
      up = tensor(`${part}.up`).at(i, k);
    const formula = `SiLU(${show(gate)}) · ${show(up)} = ${show(activation(gate))} · ${show(up)}`;
    return { ...at, formula, again: () => activation(gate) * up };
  }
  const inner = tensor(`${part}.inner`).at(i, k);
  const name = CONFIG.activation === "swish" ? "SiLU" : "GELU";
  const formula = CONFIG.activation === "relu" ? `max(0, ${show(inner)})` : `${name}(${show(inner)})`;
  return { ...at, formula, again: () => activation(inner) };
}

function positionFactors(side, i, k) {
  const at = numberAt(`${side}.positions`, i, k);
  if (!CONFIG.positions.startsWith("sinusoidal")) {
    return {
      ...at,
      formula: tr("learnt in training, a row for each position", "训练得到的参数，每个位置一行"),
      again: null,
    };
  }
  if (HANDS.positions === "shuffled" && side === "source") {
    return { ...at, formula: tr("of the position that it was dealt", "取打乱后分到的位置"), again: null };
  }
  // By turns sin, cos, sin, …; by halves all sines come first.
  const halves = CONFIG.positions === "sinusoidal-halves",
    half = CONFIG.d_model / 2,
    pair = halves ? 2 * (k % half) : k - (k % 2),
    rate = 10000 ** (pair / CONFIG.d_model),
    wave = (halves ? k >= half : k % 2) ? "cos" : "sin";
  const formula = `${wave}(${i} / 10000^(${pair}/${CONFIG.d_model})) = ${wave}(${i} / ${show(rate)})`;
  return { ...at, formula, again: () => Math[wave](i / rate) };
}
