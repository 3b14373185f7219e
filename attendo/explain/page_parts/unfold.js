// A number, unfolded: the factors that made it, computed here from the numbers that the page shows.
// A cell says what is to be unfolded: [kind, part or name, indices…].

import { activation, isAdditive, isHeadOff, isScaled, mayAttend, moments, tanhOfSum } from "./arithmetic.js";
import { code, el, fold, plainTable, tr } from "./elements.js";
import { CONFIG, DATA, HANDS } from "./look.js";
import { show, showShare, sum } from "./numbers.js";
import { state } from "./state.js";
import { biasOf, entering, gainOf, isStored, normReads, rootOfModel, tensor, turnedName } from "./tensors.js";
import { logitOf, probabilityOf, productOf } from "./unfold_products.js";

const KINDS = {
  score: ([, part, head, i, j]) => {
    const q = tensor(turnedName(part, "Q")).row(head, i),
      k = tensor(turnedName(part, "K")).row(head, j);
    return isAdditive()
      ? dotProduct(
          tr("how a query and a key are compared", "查询向量与键向量的比较"),
          "w",
          "tanh(q + k)",
          tensor(`${part}.w`).row(head),
          tanhOfSum(q, k),
          0,
          null,
        )
      : dotProduct(tr("the dot product of a query and a key", "查询向量与键向量的点积"), "q", "k", q, k, 0, null);
  },
  scaled: ([, part, head, i, j]) => {
    const score = tensor(`${part}.scores`).at(head, i, j);
    return line(
      isScaled()
        ? `${show(score)} / √${CONFIG.d_k} = ${show(score)} / ${show(Math.sqrt(CONFIG.d_k))} = ${show(tensor(`${part}.scaled`).at(head, i, j))}`
        : tr("the hand is on: not divided by √d_k", "已改动：不除以 √d_k"),
    );
  },
  masked: ([, part, head, i, j]) =>
    line(
      mayAttend(part, i, j)
        ? tr(
            `not later than this position: ${show(tensor(`${part}.scaled`).at(head, i, j))} stays`,
            `不晚于当前位置：保留 ${show(tensor(`${part}.scaled`).at(head, i, j))}`,
          )
        : tr("later than this position: −∞, so that its weight is 0", "晚于当前位置：置为 −∞，softmax 后权重为 0"),
    ),
  weight: ([, part, head, i, j]) => softmaxOf(tensor(`${part}.masked`).row(head, i), j, keyLabels(part)),
  head: ([, part, head, i, k]) => weightedSum(part, head, i, k),
  concat: ([, part, i, k]) => {
    const head = Math.floor(k / CONFIG.d_k),
      inside = k % CONFIG.d_k;
    return [
      line(tr(`column ${inside} of head ${head + 1}`, `第 ${head + 1} 个头的第 ${inside} 列`)),
      weightedSum(part, head, i, inside),
    ];
  },
  add: ([, part, i, k]) => {
    const x = tensor(entering(part)).at(i, k),
      out = tensor(`${part}.out`).at(i, k);
    return [
      line(code(entering(part)), " + ", code(`${part}.out`)),
      line(`${show(x)} + ${show(out)} = ${show(x + out)}`),
    ];
  },
  norm: ([, name, i, k]) => normOf(name, i, k),
  hidden: ([, part, i, k]) => hiddenOf(part, i, k),
  scaledEmbedding: ([, side, i, k]) => {
    const e = tensor(`${side}.embedding`).at(i, k);
    return line(`${show(e)} × √${CONFIG.d_model} = ${show(e)} × ${show(rootOfModel())} = ${show(e * rootOfModel())}`);
  },
  embedding: ([, side, i, k]) =>
    line(
      tr(
        `row ${DATA[side === "source" ? "source" : "target_in"].ids[i]} of the table E, column ${k}: learnt in training`,
        `词嵌入表 E 的第 ${DATA[side === "source" ? "source" : "target_in"].ids[i]} 行第 ${k} 列：训练得到的参数`,
      ),
    ),
  x: ([, side, i, k]) => {
    const scaled = tensor(`${side}.scaled`).at(i, k);
    if (!isStored(`${side}.positions`)) return line(tr("nothing is added here", "这里不加任何东西"));
    const position = tensor(`${side}.positions`).at(i, k);
    return line(`${show(scaled)} + ${show(position)} = ${show(scaled + position)}`);
  },
  position: ([, side, i, k]) => positionOf(side, i, k),
  product: ([, name, head, i, k]) => productOf(name, head, i, k),
  logit: ([, step, id]) => logitOf(step, id),
  probability: ([, step, id]) => probabilityOf(step, id),
};

export function unfolding(place) {
  const cell = state.cell[place];
  if (!cell) return [];
  return [el("div", { class: "unfolding" }, KINDS[cell[0]](cell))];
}

export function line(...text) {
  return el("p", { class: "line" }, text);
}

export function keyLabels(part) {
  return part.startsWith("encoder") || part.endsWith("cross_attention") ? DATA.source.labels : DATA.target_in.labels;
}

// Σ a_k · b_k + bias, every term of it; the total that is known is held beside the one computed here.
export function dotProduct(words, a, b, left, right, bias, known) {
  const terms = Array.from(left, (one, k) => one * right[k]);
  const total = sum(terms) + bias;
  const largest = Math.max(...terms.map(Math.abs), 1e-9);
  const items = terms.map((term, k) => {
    const item = el(
      "li",
      { class: term < 0 ? "cold" : "warm" },
      el("span", { class: "quiet" }, `${k} `),
      `${show(left[k])} × ${show(right[k])} = ${show(term)}`,
    );
    item.style.setProperty("--share", String(Math.abs(term) / largest));
    return item;
  });
  return [
    line(
      words,
      ": ",
      `Σ ${a}·${b}${bias ? tr(" + bias", " + 偏置") : ""}, `,
      tr(`${terms.length} products`, `共 ${terms.length} 项`),
    ),
    el("ol", { class: "terms" }, items),
    line(
      bias ? `${show(sum(terms))} + ${show(bias)} = ` : tr("sum = ", "总和 = "),
      el("b", {}, show(total)),
      known === null ? null : checked(total, known),
    ),
  ];
}

// The model's own number, and whether what was computed here is the same.
function checked(computed, known) {
  const same = Math.abs(computed - known) <= 2e-3 * Math.max(1, Math.abs(known));
  return el(
    "span",
    { class: same ? "same" : "different" },
    ` ${same ? "✓" : "≠"} ${tr("the model has", "模型的值为")} ${show(known)}`,
  );
}

function softmaxOf(row, j, labels) {
  const highest = Math.max(...row),
    exps = Array.from(row, (one) => Math.exp(one - highest)),
    total = sum(exps);
  const rows = labels
    .slice(0, row.length)
    .map((label, l) =>
      el(
        "tr",
        { class: l === j ? "chosen" : null },
        el("th", { scope: "row" }, label),
        el("td", {}, show(row[l])),
        el("td", {}, show(exps[l])),
        el("td", {}, showShare(exps[l] / total)),
      ),
    );
  return [
    line(
      tr(
        "softmax of the row; the highest is taken away first, which changes nothing and keeps exp small",
        "对这一行做 softmax；先减去最大值，结果不变，但 exp 不会溢出",
      ),
    ),
    plainTable(["", "s", `exp(s − ${show(highest)})`, tr("share", "占比")], rows),
    line(`${show(exps[j])} / ${show(total)} = `, el("b", {}, showShare(exps[j] / total))),
  ];
}

function weightedSum(part, head, i, k) {
  if (isHeadOff(part, head)) return line(tr("the hand is on: this head gives zeros", "已改动：这个头输出零"));
  const weights = tensor(`${part}.weights`).row(head, i),
    V = tensor(`${part}.V`);
  const column = Array.from(weights, (_, j) => V.at(head, j, k));
  const terms = Array.from(weights, (one, j) => one * column[j]);
  const rows = keyLabels(part).map((label, j) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, label),
      el("td", {}, showShare(weights[j])),
      el("td", {}, `× ${show(column[j])}`),
      el("td", {}, `= ${show(terms[j])}`),
    ),
  );
  return [
    line(
      tr(`column ${k} of every value, each times the weight of its key`, `每个值向量的第 ${k} 列，乘以对应键的权重`),
    ),
    el("div", { class: "scroll" }, el("table", { class: "plain" }, el("tbody", {}, rows))),
    line(tr("sum = ", "总和 = "), el("b", {}, show(sum(terms)))),
  ];
}

function normOf(name, i, k) {
  const x = tensor(normReads(name)).row(i),
    { mean, variance } = moments(x),
    layer = CONFIG.norm === "layer";
  const gain = gainOf(name)[k],
    bias = (biasOf(name) || [])[k] || 0;
  const spread = Math.sqrt(variance + CONFIG.norm_eps),
    value = (gain * (x[k] - (layer ? mean : 0))) / spread + bias;
  const all = () =>
    el(
      "ol",
      { class: "terms" },
      Array.from(x, (one, index) =>
        el(
          "li",
          {},
          el("span", { class: "quiet" }, `${index} `),
          layer ? `(${show(one)} − ${show(mean)})² = ${show((one - mean) ** 2)}` : `${show(one)}² = ${show(one * one)}`,
        ),
      ),
    );
  return [
    line(tr("of ", "输入："), code(normReads(name)), ": x = ", show(x[k])),
    layer ? line(`μ = Σ x / ${x.length} = ${show(sum(x))} / ${x.length} = ${show(mean)}`) : null,
    line(
      layer ? `σ² = Σ (x − μ)² / ${x.length} = ${show(variance)}` : `mean(x²) = ${show(variance)}`,
      `, √(… + ε) = ${show(spread)}`,
    ),
    fold(`norm-terms-${name}-${i}`, tr(`the ${x.length} squares`, `${x.length} 个平方项`), all),
    line(
      `γ · (x${layer ? ` − ${show(mean)}` : ""}) / ${show(spread)}${bias ? " + β" : ""} = ${show(gain)} · ${show((x[k] - (layer ? mean : 0)) / spread)}${bias ? ` + ${show(bias)}` : ""} = `,
      el("b", {}, show(value)),
    ),
  ];
}

function hiddenOf(part, i, k) {
  if (CONFIG.activation === "swiglu") {
    const gate = tensor(`${part}.gate`).at(i, k),
      up = tensor(`${part}.up`).at(i, k);
    return line(
      `SiLU(${show(gate)}) · ${show(up)} = ${show(activation(gate))} · ${show(up)} = ${show(activation(gate) * up)}`,
    );
  }
  const inner = tensor(`${part}.inner`).at(i, k);
  return line(
    CONFIG.activation === "relu"
      ? `max(0, ${show(inner)}) = ${show(activation(inner))}`
      : `GELU(${show(inner)}) = ${show(activation(inner))}`,
  );
}

function positionOf(side, i, k) {
  if (CONFIG.positions !== "sinusoidal")
    return line(tr("learnt in training, a row for each position", "训练得到的参数，每个位置一行"));
  const pair = k - (k % 2),
    rate = 10000 ** (pair / CONFIG.d_model),
    name = k % 2 ? "cos" : "sin",
    known = tensor(`${side}.positions`).at(i, k);
  if (HANDS.positions === "shuffled" && side === "source")
    return line(tr("of the position that it was dealt", "取打乱后分到的位置"), `: ${show(known)}`);
  return line(
    `${name}(${i} / 10000^(${pair}/${CONFIG.d_model})) = ${name}(${i} / ${show(rate)}) = ${show(Math[name](i / rate))}`,
    checked(Math[name](i / rate), known),
  );
}
