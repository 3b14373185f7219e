// Products with a matrix of weights: of each matrix the page has some columns, enough to see that it is only this.

import { tr } from "./elements.js";
import { temperature } from "./equations.js";
import { numberAt, products, sumOfProducts } from "./factors.js";
import { CONFIG, DATA, HANDS, NUMBERS } from "./look.js";
import { show } from "./numbers.js";
import { tensor } from "./tensors.js";
import { line, termsOf } from "./unfold.js";

const MATRIX_OF = { Q: "query", K: "key", V: "value", inner: "inner", gate: "gate", up: "up" };

// encoder.0.self_attention.Q, head 1, column 0 -> the matrix, its column, and what is multiplied with it
function factorsOfProduct(name, head, k) {
  const dot = name.lastIndexOf("."),
    part = name.slice(0, dot),
    what = name.slice(dot + 1);
  const [stack, layer, sublayer] = part.split(".");
  const feedForward = sublayer === "feed_forward",
    below = `${stack}.layers.${layer}.${sublayer}`;
  const column = head === null ? k : head * CONFIG.d_k + k;
  if (what === "out") {
    const matrix = !feedForward ? "output" : CONFIG.activation === "swiglu" ? "down" : "outer";
    return { matrix: `${below}.${matrix}`, column, reads: `${part}.${feedForward ? "hidden" : "concat"}` };
  }
  const reads = sublayer === "cross_attention" && what !== "Q" ? "memory" : `${part}.in`;
  return { matrix: `${below}.${MATRIX_OF[what]}`, column, reads };
}

function hasColumn(name, head, k) {
  const { matrix, column } = factorsOfProduct(name, head, k);
  return NUMBERS.hasColumn(matrix, column);
}

function isSwitchedOff(name) {
  const [stack, layer, sublayer, what] = name.split(".");
  return (
    sublayer === "feed_forward" &&
    what === "out" &&
    (HANDS.feed_forward_off || []).some(([w, l]) => w === stack && l === Number(layer))
  );
}

function isErased(name, i) {
  return (
    name.endsWith(".V") &&
    !(name.startsWith("decoder") && name.includes("self_attention")) &&
    (HANDS.erase || []).includes(i)
  );
}

export function canUnfold(cell) {
  return cell[0] !== "product" || hasColumn(cell[1], cell[2], cell[4]);
}

// Why a product is zero, though its factors are not; null where no hand is on.
function zeroWords(name, i) {
  if (isSwitchedOff(name)) {
    return tr("your change: this feed-forward part gives zeros", "已改动：这个前馈层输出零");
  }
  if (isErased(name, i)) {
    return tr("your change: this word is erased, its value is zeros", "已改动：这个词已擦去，它的值向量为零");
  }
  return null;
}

export function productFactors(name, head, i, k) {
  const { matrix, column, reads } = factorsOfProduct(name, head, k);
  const indices = head === null ? [i, k] : [head, i, k],
    zero = zeroWords(name, i),
    withBias = CONFIG.bias ? " + b" : "";
  return {
    ...numberAt(name, ...indices),
    formula: zero || `Σ x·W${withBias} = ${products(tensor(reads).width)}${withBias}`,
    again:
      zero || !hasColumn(name, head, k)
        ? null
        : () => {
            const { values, bias } = NUMBERS.column(matrix, column);
            return sumOfProducts(tensor(reads).row(i), values) + bias;
          },
  };
}

export function productTerms(name, head, i, k) {
  if (zeroWords(name, i)) return null;
  const { matrix, column, reads } = factorsOfProduct(name, head, k);
  if (!hasColumn(name, head, k))
    return line(
      tr(
        `the row of ${reads} times column ${column} of ${matrix}. The page keeps some columns of each matrix (underlined); --dimension ${k} adds this one.`,
        `${reads} 的这一行乘以 ${matrix} 的第 ${column} 列。网页只保存每个矩阵的部分列（带下划线）；加上 --dimension ${k} 可保存这一列。`,
      ),
    );
  const { values, bias } = NUMBERS.column(matrix, column),
    x = tensor(reads).row(i);
  return [
    termsOf(
      tr(
        `the row of ${reads} times column ${column} of ${matrix}`,
        `${reads} 的这一行乘以 ${matrix} 的第 ${column} 列`,
      ),
      "x",
      "W",
      x,
      values,
    ),
    line(`Σ x·W = ${show(sumOfProducts(x, values))}, b = ${show(bias)}`),
  ];
}

function logitAt(step, id) {
  const one = DATA.steps[step];
  return id === one.piece ? one.logit : one.logits[one.ids.indexOf(id)];
}

export function logitFactors(step, id) {
  const known = HANDS.causal_mask !== false && NUMBERS.hasOutput(id);
  return {
    name: tr(`logit of ${DATA.pieces[id]}, step ${step + 1}`, `第 ${step + 1} 步 ${DATA.pieces[id]} 的 logit`),
    formula: `Σ x·E${CONFIG.output_bias ? " + b" : ""} = ${products(CONFIG.d_model)}`,
    value: logitAt(step, id),
    isModels: true,
    again: known ? () => logitOf(step, NUMBERS.output(id)) : null,
  };
}

function logitOf(step, { values, bias }) {
  return sumOfProducts(tensor("decoder.out").row(step), values) + bias;
}

export function logitTerms(step, id) {
  if (HANDS.causal_mask === false)
    return line(
      tr(
        "the mask is off: earlier steps were computed before later pieces were there",
        "掩码已关：前面各步计算时后面的词元还不存在",
      ),
    );
  if (!NUMBERS.hasOutput(id))
    return line(
      tr(
        "decoder.out times the row of this piece in E; the five best of each step can be unfolded",
        "decoder.out 乘以 E 中该词元的行；每一步只有前五名可以展开",
      ),
    );
  const { values, bias } = NUMBERS.output(id),
    x = tensor("decoder.out").row(step);
  const terms = termsOf(
    tr(
      `decoder.out at this step times the row of ${DATA.pieces[id]} in E`,
      `这一步的 decoder.out 乘以 E 中 ${DATA.pieces[id]} 的那一行`,
    ),
    "x",
    "E",
    x,
    values,
  );
  return CONFIG.output_bias ? [terms, line(`Σ x·E = ${show(sumOfProducts(x, values))}, b = ${show(bias)}`)] : terms;
}

// log_sum is the log of the sum over the whole vocabulary, which no page holds.
export function probabilityFactors(step, id) {
  const one = DATA.steps[step],
    logit = logitAt(step, id),
    t = temperature();
  const divided = t === 1 ? show(logit) : `${show(logit)} / ${t}`,
    again = () => Math.exp(logit / t - one.log_sum);
  return {
    name: tr(
      `p of ${DATA.pieces[id]}, step ${step + 1}; Σ over all ${CONFIG.vocab_size.toLocaleString("en")} pieces`,
      `第 ${step + 1} 步 ${DATA.pieces[id]} 的概率；Σ 取遍全部 ${CONFIG.vocab_size.toLocaleString("en")} 个词元`,
    ),
    formula: `exp(${divided}) / Σ exp = exp(${divided} − ${show(one.log_sum)})`,
    value: id === one.piece ? Math.exp(one.log_prob) : again(),
    isShare: true,
    isModels: id === one.piece,
    again,
  };
}
