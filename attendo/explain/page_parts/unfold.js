// A number, unfolded: the line of its factors, all of its terms, and a check. Everything is computed here from the
// numbers that the page shows.

import { isAdditive, isHeadOff } from "./arithmetic.js";
import { checkButton } from "./check.js";
import { code, el, fold, plainTable, tr } from "./elements.js";
import { factorsOf, joinedWeights, normFactors, scoreFactors, softmaxShares } from "./factors.js";
import { keyLabels, queryLabels } from "./joined.js";
import { CONFIG } from "./look.js";
import { show, showShare, sum } from "./numbers.js";
import { state } from "./state.js";
import { normReads, tensor } from "./tensors.js";
import { logitTerms, productTerms } from "./unfold_products.js";

// Of kinds that have more to show than a line.
const TERMS = {
  score: ([, part, head, i, j]) => {
    const { left, right } = scoreFactors(part, head, i, j);
    return isAdditive()
      ? termsOf(tr("how a query and a key are compared", "查询向量与键向量的比较"), "w", "tanh(q + k)", left, right)
      : termsOf(tr("the dot product of a query and a key", "查询向量与键向量的点积"), "q", "k", left, right);
  },
  weight: ([, part, head, i, j]) => softmaxTerms(tensor(`${part}.masked`).row(head, i), j, keyLabels(part)),
  joined: ([, part, head, rows, columns]) => joinedTerms(part, head, rows, columns),
  head: ([, part, head, i, k]) => weightedTerms(part, head, i, k),
  concat: ([, part, i, k]) => {
    const head = Math.floor(k / CONFIG.d_k),
      inside = k % CONFIG.d_k;
    return [
      line(tr(`column ${inside} of head ${head + 1}`, `第 ${head + 1} 个头的第 ${inside} 列`)),
      weightedTerms(part, head, i, inside),
    ];
  },
  norm: ([, name, i, k]) => normTerms(name, i, k),
  product: ([, name, head, i, k]) => productTerms(name, head, i, k),
  logit: ([, step, id]) => logitTerms(step, id),
};

export function unfolding(place) {
  const cell = state.cell[place];
  if (!cell) return [];
  const made = factorsOf(cell),
    terms = TERMS[cell[0]];
  return [
    el(
      "div",
      { class: "unfolding" },
      el("p", { class: "line quiet" }, made.name),
      line(factorsLine(made)),
      terms ? terms(cell) : null,
      checkButton(made),
    ),
  ];
}

// exp(4.21) / Σ exp = 67.4 / 135.4 ≈ 0.498: what is written is rounded, what is computed is not
export function factorsLine({ formula, value, isShare }) {
  return [formula, " ≈ ", el("b", {}, isShare ? showShare(value) : show(value))];
}

export function line(...text) {
  return el("p", { class: "line" }, text);
}

// Every term of Σ a_k · b_k.
export function termsOf(words, a, b, left, right) {
  const terms = Array.from(left, (one, k) => one * right[k]);
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
    line(words, ": ", `Σ ${a}·${b}`),
    el("ol", { class: "terms", tabindex: "0", "aria-label": tr("terms", "各项") }, items),
  ];
}

// A long table is scrolled by the keyboard, too.
function reachable(table) {
  table.tabIndex = 0;
  return table;
}

function softmaxTerms(row, j, labels) {
  const highest = Math.max(...row),
    shares = softmaxShares(row);
  const rows = labels
    .slice(0, row.length)
    .map((label, l) =>
      el(
        "tr",
        { class: l === j ? "chosen" : null },
        el("th", { scope: "row" }, label),
        el("td", {}, show(row[l])),
        el("td", {}, show(Math.exp(row[l] - highest))),
        el("td", {}, showShare(shares[l])),
      ),
    );
  return [
    line(
      tr(
        "softmax of the row; the highest is taken away first, which changes nothing and keeps exp small",
        "对这一行做 softmax；先减去最大值，结果不变，但 exp 不会溢出",
      ),
    ),
    reachable(plainTable(["", "s", `exp(s − ${show(highest)})`, tr("share", "占比")], rows)),
  ];
}

function joinedTerms(part, head, rows, columns) {
  const labels = queryLabels(part).slice(...rows),
    body = joinedWeights(part, head, rows, columns).map((weights, r) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, labels[r]),
        weights.map((one) => el("td", {}, showShare(one))),
        el("td", {}, showShare(sum(weights))),
      ),
    );
  return [
    line(
      tr(
        "each piece that looks, and how much of its weight lies on the pieces of the word; then the mean of the rows",
        "看的词元各占一行，列出落在这个词各词元上的权重；相加之后，各行取平均",
      ),
    ),
    reachable(plainTable(["", ...keyLabels(part).slice(...columns), "Σ"], body)),
  ];
}

function weightedTerms(part, head, i, k) {
  if (isHeadOff(part, head)) return null;
  const weights = tensor(`${part}.weights`).row(head, i),
    V = tensor(`${part}.V`);
  const rows = keyLabels(part).map((label, j) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, label),
      el("td", {}, showShare(weights[j])),
      el("td", {}, `× ${show(V.at(head, j, k))}`),
      el("td", {}, `= ${show(weights[j] * V.at(head, j, k))}`),
    ),
  );
  return [
    line(
      tr(`column ${k} of every value, each times the weight of its key`, `每个值向量的第 ${k} 列，乘以对应键的权重`),
    ),
    reachable(plainTable(["", "a", "v", "a · v"], rows)),
  ];
}

function normTerms(name, i, k) {
  const { row, mean, variance, spread } = normFactors(name, i, k),
    layer = CONFIG.norm === "layer";
  const squares = () =>
    el(
      "ol",
      { class: "terms", tabindex: "0", "aria-label": tr("squares", "平方项") },
      Array.from(row, (one, index) =>
        el(
          "li",
          {},
          el("span", { class: "quiet" }, `${index} `),
          layer ? `(${show(one)} − ${show(mean)})² = ${show((one - mean) ** 2)}` : `${show(one)}² = ${show(one * one)}`,
        ),
      ),
    );
  return [
    line(tr("of ", "输入："), code(normReads(name))),
    layer ? line(`μ = Σ x / ${row.length} = ${show(sum(row))} / ${row.length} = ${show(mean)}`) : null,
    line(
      layer ? `σ² = Σ (x − μ)² / ${row.length} = ${show(variance)}` : `mean(x²) = ${show(variance)}`,
      `, √(… + ε) = ${show(spread)}`,
    ),
    fold(`norm-terms-${name}-${i}`, tr(`the ${row.length} squares`, `${row.length} 个平方项`), squares),
  ];
}
