// The same pair in training: the target shifted by one, the mask, probability and loss; and below, feeding back.

import { el, fold, nameAndShape, note, scroller, svg, tr } from "./elements.js";
import { equation } from "./equations.js";
import { DATA, HANDS, lookWith } from "./look.js";
import { show, showShare, sum } from "./numbers.js";

const MOST_IN_TABLE = 40; // positions: a table of the mask with more would be too large
const MOST_IN_SUM = 12; // losses that are written out

// Where the visitor writes a target of their own, drawn by who can look at it; null on a page that nobody computes for.
let ownTarget = null;

export function setOwnTarget(draw) {
  ownTarget = draw;
}

export const trainingStation = {
  id: "training",
  name: () => tr("training", "训练"),
  title: () => tr("7 · The same pair in training", "7 · 训练时的同一句对"),
  depends: ["language"],
  draw: () => {
    const t = DATA.training;
    return [
      note(
        tr(
          "Teacher forcing: at each position the decoder reads the right pieces before it, whatever it would have said itself, and is asked for the next. The target is shifted by one: what a position should say is what the next one reads.",
          "teacher forcing：每个位置都读入前面的正确词元，不管模型自己会输出什么，然后预测下一个。译文右移一位：一个位置应输出的，就是下一个位置读入的。",
        ),
      ),
      ownTarget ? ownTarget() : note(whoseTarget(t)),
      el("p", {}, equation("loss")),
      trainingTable(t),
      note(fedBackWords(t), forcedToo(), greedyWords(t)),
      el("div", { class: "sums-and-mask" }, sums(t), maskPicture(t)),
      t.reads.length > MOST_IN_TABLE
        ? null
        : fold(
            "fold-mask",
            [
              el("b", {}, tr("the mask, in numbers", "掩码的数值")),
              " ",
              nameAndShape("may_attend", [t.reads.length, t.reads.length]),
            ],
            () => maskTable(t),
          ),
    ];
  },
};

export function whoseTarget(t) {
  if (t.given) return tr("The target is the translation that you gave.", "目标译文由你给出。");
  const own = DATA.comparison
    ? tr("The target is the model's own translation before your change", "目标译文是改动前模型自己的译文")
    : tr("The target is the model's own translation", "目标译文是模型自己的译文");
  return own + (lookWith ? tr(".", "。") : tr("; --target gives another.", "；可用 --target 另给。"));
}

function fedBackWords(t) {
  return t.parts_at === null
    ? tr(
        "Fed with its own output the model writes the same, so that both read the same pieces.",
        "把模型自己的输出反馈给它，写出的完全相同，两边读入的词元也就相同。",
      )
    : tr(
        `Fed with its own output the model leaves the target at step ${t.parts_at + 1}; from there on it reads its own pieces, and a mistake is read by all steps after it.`,
        `把模型自己的输出反馈给它，从第 ${t.parts_at + 1} 步起与译文不同；此后读入的是自己的词元，一个错误会被后面每一步读到。`,
      );
}

function forcedToo() {
  return HANDS.force
    ? tr(" The pieces that you forced are forced here, too.", "你指定的词元在这里同样是指定的。")
    : null;
}

// Why what is fed back is not what the search found.
function greedyWords(t) {
  if (t.fed_back.join() === DATA.target.labels.join()) return null;
  return tr(
    " It takes the likeliest piece at each step, without a beam: that is why it is not the translation at the top.",
    "这里每一步都取最可能的词元，不用束搜索，所以与最上面的译文不同。",
  );
}

// A column a step, so that what a position should say stands beside what the next one reads.
function trainingTable(t) {
  const length = Math.max(t.positions.length, t.fed_back.length),
    steps = Array.from({ length }, (_, i) => i),
    largest = Math.max(1, ...t.positions.map((one) => -one.log_prob));
  const row = (name, cell, kind = null) =>
    el(
      "tr",
      { class: kind },
      el("th", { scope: "row" }, name),
      steps.map((i) => el("td", { class: i === t.parts_at ? "parting-step" : null }, cell(i))),
    );
  const ofPair = (cell) => (i) => (i < t.positions.length ? cell(t.positions[i], i) : null);
  const ofOwn = (cell) => (i) => (i < t.fed_back.length ? cell(t.fed_back[i], i) : null);
  const title = (text) =>
    el("tr", { class: "title" }, el("th", { colspan: String(length + 1), scope: "rowgroup" }, el("span", {}, text)));
  return scroller(
    tr("teacher forcing and feeding back, step by step", "teacher forcing 与自回归，逐步列出"),
    el(
      "table",
      { class: "training" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, tr("step", "步")),
          steps.map((i) => el("th", { scope: "col" }, String(i + 1))),
        ),
      ),
      el(
        "tbody",
        {},
        title(tr("teacher forcing", "teacher forcing")),
        row(
          tr("reads", "读入"),
          ofPair((_, i) => t.reads[i]),
          "pieces-read",
        ),
        row(
          tr("should say", "应输出"),
          ofPair((_, i) => el("b", {}, t.answers[i])),
          "pieces-due",
        ),
        row(
          "p",
          ofPair((one) => barAndNumber("before", Math.exp(one.log_prob), showShare(Math.exp(one.log_prob)))),
        ),
        row(
          tr("loss", "损失"),
          ofPair((one) => barAndNumber("lost", -one.log_prob / largest, show(-one.log_prob))),
        ),
        row(tr("likeliest", "最可能"), ofPair(likeliest)),
      ),
      el(
        "tbody",
        {},
        title(tr("feeding back", "自回归")),
        row(
          tr("reads", "读入"),
          ofOwn((_, i) => (i === 0 ? "<s>" : t.fed_back[i - 1])),
        ),
        row(
          tr("writes", "输出"),
          ofOwn((own, i) => el(t.parts_at !== null && i >= t.parts_at ? "i" : "b", {}, own)),
        ),
        row(
          "p",
          ofOwn((_, i) => showShare(Math.exp(t.fed_back_log_probs[i]))),
        ),
      ),
    ),
  );
}

function barAndNumber(name, share, text) {
  const bar = el("span", { class: `upright ${name}` });
  bar.style.setProperty("--share", String(share));
  return el("div", { class: "figure" }, el("span", { class: "tall" }, bar), text);
}

function likeliest(one) {
  if (one.rank === 1) return el("span", { class: "same", title: tr("the answer", "就是答案") }, "✓");
  return [
    DATA.pieces[one.best],
    el("span", { class: "quiet" }, tr(` answer: rank ${one.rank}`, ` 答案排第 ${one.rank}`)),
  ];
}

function sums(t) {
  const losses = t.positions.map((one) => -one.log_prob),
    n = losses.length,
    written = n > MOST_IN_SUM ? show(sum(losses)) : `(${losses.map(show).join(" + ")})`;
  const facts = [
    [tr("mean loss", "平均损失"), t.loss, `${written} / ${n}`],
    [
      tr("with label smoothing", "加标签平滑"),
      t.smoothed_loss,
      tr(`ε = ${t.smoothing} is spread over all pieces`, `ε = ${t.smoothing} 平分给所有词元`),
    ],
    [tr("perplexity", "困惑度"), Math.exp(t.loss), `exp(${show(t.loss)})`],
  ];
  return el(
    "dl",
    { class: "sums" },
    facts.map(([name, value, how]) =>
      el("div", {}, el("dt", {}, name), el("dd", {}, el("b", {}, show(value)), el("span", { class: "quiet" }, how))),
    ),
  );
}

const isMaskOff = () => HANDS.causal_mask === false;

// A staircase: row n may look at the columns up to n.
function maskPicture(t) {
  const n = t.reads.length,
    stairs = Array.from({ length: n }, (_, i) => `H${i + 1}V${i + 1}`).join("");
  const words = isMaskOff()
    ? tr(
        `The mask is off: each of the ${n} positions sees all others, its own answer, too.`,
        `掩码已关闭：${n} 个位置都能看到所有位置，包括自己的答案。`,
      )
    : tr(
        `All ${n} positions are computed in one pass. Row n may look at columns up to n: no position sees its own answer.`,
        `${n} 个位置一次算完。第 n 行只能看到第 n 列为止：任何位置都看不到自己的答案。`,
      );
  const drawing = svg(
    "svg",
    { class: "mask-picture", viewBox: `0 0 ${n} ${n}`, role: "img", "aria-label": words },
    svg("rect", { class: "hidden", width: n, height: n }),
    svg("path", { class: "may", d: isMaskOff() ? `M0 0H${n}V${n}H0Z` : `M0 0${stairs}H0Z` }),
    n > MOST_IN_TABLE
      ? null
      : svg("path", {
          class: "lines",
          d: Array.from({ length: n + 1 }, (_, i) => `M0 ${i}H${n}M${i} 0V${n}`).join(""),
        }),
  );
  return el("figure", {}, drawing, el("figcaption", { class: "quiet" }, words));
}

function maskTable(t) {
  const seen = isMaskOff() ? () => true : (i, j) => j <= i;
  const head = el(
    "tr",
    {},
    el("td", {}),
    t.reads.map((label) => el("th", { scope: "col" }, el("span", {}, label))),
  );
  const rows = t.reads.map((label, i) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, label),
      t.reads.map((_, j) => el("td", { class: seen(i, j) ? "may" : "hidden" }, seen(i, j) ? "1" : "0")),
    ),
  );
  return scroller(
    tr("the mask", "掩码"),
    el("table", { class: "heat mask" }, el("thead", {}, head), el("tbody", {}, rows)),
  );
}
