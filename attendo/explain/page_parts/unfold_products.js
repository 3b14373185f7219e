// Products with a matrix of weights: of each matrix the page has some columns, enough to see that it is only this.

import { el, tr } from "./elements.js";
import { temperature } from "./equations.js";
import { CONFIG, DATA, HANDS, NUMBERS } from "./look.js";
import { show, showShare } from "./numbers.js";
import { tensor } from "./tensors.js";
import { dotProduct, line } from "./unfold.js";

const MATRIX_OF = { Q: "query", K: "key", V: "value", inner: "inner", gate: "gate", up: "up" };

// encoder.0.self_attention.Q, head 1, column 0 -> the matrix, its column, and what is multiplied with it
function factorsOf(name, head, k) {
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
  const { matrix, column } = factorsOf(name, head, k);
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

export function productOf(name, head, i, k) {
  if (isSwitchedOff(name))
    return line(tr("the hand is on: this feed-forward part gives zeros", "已改动：这个前馈层输出零"));
  if (isErased(name, i))
    return line(tr("the hand is on: this word is erased, its value is zeros", "已改动：这个词已擦去，它的值向量为零"));
  const { matrix, column, reads } = factorsOf(name, head, k);
  const known = head === null ? tensor(name).at(i, k) : tensor(name).at(head, i, k);
  if (!hasColumn(name, head, k))
    return line(
      tr(
        `the row of ${reads} times column ${column} of ${matrix}, a sum of ${tensor(reads).width} products = ${show(known)}. The page keeps some columns of each matrix (underlined); --dimension ${k} adds this one.`,
        `${reads} 的这一行乘以 ${matrix} 的第 ${column} 列，共 ${tensor(reads).width} 项之和 = ${show(known)}。网页只保存每个矩阵的部分列（带下划线）；加上 --dimension ${k} 可保存这一列。`,
      ),
    );
  const { values, bias } = NUMBERS.column(matrix, column),
    x = tensor(reads).row(i);
  return dotProduct(
    tr(`the row of ${reads} times column ${column} of ${matrix}`, `${reads} 的这一行乘以 ${matrix} 的第 ${column} 列`),
    "x",
    "W",
    x,
    values,
    bias,
    known,
  );
}

export function logitOf(step, id) {
  const one = DATA.steps[step],
    known = id === one.piece ? one.logit : one.logits[one.ids.indexOf(id)];
  if (HANDS.causal_mask === false)
    return line(
      tr(
        "the mask is off: earlier steps were computed before later pieces were there",
        "掩码已关：前面各步计算时后面的词元还不存在",
      ),
      `: ${show(known)}`,
    );
  if (!NUMBERS.hasOutput(id))
    return line(
      tr(
        `decoder.out times the row of this piece in E = ${show(known)}; the five best of each step can be unfolded`,
        `decoder.out 乘以 E 中该词元的行 = ${show(known)}；每一步只有前五名可以展开`,
      ),
    );
  const x = tensor("decoder.out").row(step);
  return dotProduct(
    tr(
      `decoder.out at this step times the row of ${DATA.pieces[id]} in E`,
      `这一步的 decoder.out 乘以 E 中 ${DATA.pieces[id]} 的那一行`,
    ),
    "x",
    "E",
    x,
    NUMBERS.output(id),
    0,
    known,
  );
}

export function probabilityOf(step, id) {
  const one = DATA.steps[step],
    logit = id === one.piece ? one.logit : one.logits[one.ids.indexOf(id)],
    t = temperature();
  const divided = t === 1 ? show(logit) : `${show(logit)} / ${t}`;
  return line(
    `exp(${divided}) / Σ exp = exp(${divided} − ${show(one.log_sum)}) = `,
    el("b", {}, showShare(Math.exp(logit / t - one.log_sum))),
    el(
      "span",
      { class: "quiet" },
      tr(
        `; log of the sum over all ${CONFIG.vocab_size.toLocaleString("en")} pieces: ${show(one.log_sum)}`,
        `；全部 ${CONFIG.vocab_size.toLocaleString("en")} 个词元之和的对数：${show(one.log_sum)}`,
      ),
    ),
  );
}
