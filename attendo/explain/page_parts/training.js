// The same pair in training: the target shifted, the mask, probability and loss; and beside it, feeding back.

import { el, fold, nameAndShape, note, tr } from "./elements.js";
import { equation } from "./equations.js";
import { DATA, HANDS } from "./look.js";
import { show, showShare } from "./numbers.js";

export const trainingStation = {
  id: "training",
  name: () => tr("training", "训练"),
  title: () => tr("7 · The same pair in training", "7 · 同一句对在训练中"),
  depends: ["language"],
  draw: () => {
    const t = DATA.training;
    return [
      note(
        t.given
          ? tr("The target is the one that was given.", "译文是给定的。")
          : tr(
              "The target is the model's own translation; --target gives another.",
              "译文是模型自己的；可用 --target 另给。",
            ),
        tr(" ", ""),
        tr(
          "Teacher forcing: at each position the decoder reads the right pieces before it, whatever it would have said itself, and is asked for the next. The target is shifted by one: what is read at a position is the answer of the one before.",
          "teacher forcing：每个位置都读入前面的正确词元，不管模型自己会输出什么，然后预测下一个。译文右移一位：一个位置读入的，是前一个位置的答案。",
        ),
      ),
      el("p", {}, equation("loss")),
      trainingTable(t),
      el(
        "p",
        { class: "result" },
        tr("mean loss ", "平均损失 "),
        el("b", {}, show(t.loss)),
        el(
          "span",
          { class: "quiet" },
          tr(
            `; with label smoothing ${t.smoothing}: ${show(t.smoothed_loss)}; perplexity ${show(Math.exp(t.loss))}`,
            `；标签平滑 ${t.smoothing} 时：${show(t.smoothed_loss)}；困惑度 ${show(Math.exp(t.loss))}`,
          ),
        ),
      ),
      note(
        t.parts_at === null
          ? tr(
              "Fed with its own output the model writes the same, so that both tables read the same pieces.",
              "把模型自己的输出反馈给它，写出的完全相同，两边读入的词元也就相同。",
            )
          : tr(
              `Fed with its own output the model leaves the target at step ${t.parts_at + 1}; from there on it reads its own pieces, and a mistake is read by all steps after it.`,
              `把模型自己的输出反馈给它，从第 ${t.parts_at + 1} 步起与译文不同；此后读入的是自己的词元，一个错误会被后面每一步读到。`,
            ),
      ),
      fold(
        "fold-mask",
        [el("b", {}, tr("the mask", "掩码")), " ", nameAndShape("may_attend", [t.reads.length, t.reads.length])],
        () => [
          note(
            tr(
              "All positions are computed in one pass. Row n may look at columns up to n: no position sees its own answer.",
              "所有位置一次算完。第 n 行只能看到第 n 列为止：任何位置都看不到自己的答案。",
            ),
          ),
          maskTable(t),
        ],
      ),
    ];
  },
};

const TEXT_COLUMNS = [1, 2, 5, 6, 7];

function trainingTable(t) {
  const head = [
    [tr("step", "步"), 1],
    [tr("teacher forcing", "teacher forcing"), 5],
    [tr("feeding back", "自回归"), 3],
  ];
  const second = [
    "",
    tr("reads", "读入"),
    tr("answer", "答案"),
    "p",
    tr("loss", "损失"),
    tr("likeliest", "最可能"),
    tr("reads", "读入"),
    tr("writes", "输出"),
    "p",
  ];
  const length = Math.max(t.positions.length, t.fed_back.length);
  const rows = Array.from({ length }, (_, i) => {
    const one = t.positions[i],
      own = t.fed_back[i],
      parted = t.parts_at !== null && i >= t.parts_at;
    const share = el("td", { class: "warm" }, one ? showShare(Math.exp(one.log_prob)) : "");
    if (one) share.style.setProperty("--share", String(Math.exp(one.log_prob)));
    return el(
      "tr",
      { class: parted && i === t.parts_at ? "parts" : null },
      el("td", { class: "quiet" }, String(i + 1)),
      one
        ? [
            el("td", { class: "text" }, t.reads[i]),
            el("td", { class: "text" }, el("b", {}, t.answers[i])),
            share,
            el("td", {}, show(-one.log_prob)),
            el(
              "td",
              { class: "text" },
              DATA.pieces[one.best],
              one.rank > 1
                ? el("span", { class: "quiet" }, tr(` (answer: rank ${one.rank})`, `（答案排第 ${one.rank}）`))
                : null,
            ),
          ]
        : el("td", { colspan: "5" }, ""),
      own === undefined
        ? el("td", { colspan: "3" }, "")
        : [
            el("td", { class: "text side" }, i === 0 ? "<s>" : t.fed_back[i - 1]),
            el("td", { class: "text" }, el(parted ? "i" : "b", {}, own)),
            el("td", {}, showShare(Math.exp(t.fed_back_log_probs[i]))),
          ],
    );
  });
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "plain training" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head.map(([text, span]) => el("th", { colspan: String(span) }, text)),
        ),
        el(
          "tr",
          {},
          second.map((text, at) => el("th", { class: TEXT_COLUMNS.includes(at) ? "text" : null }, text)),
        ),
      ),
      el("tbody", {}, rows),
    ),
  );
}

function maskTable(t) {
  const seen = HANDS.causal_mask === false ? () => true : (i, j) => j <= i;
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
  return el(
    "div",
    { class: "scroll" },
    el("table", { class: "heat mask" }, el("thead", {}, head), el("tbody", {}, rows)),
  );
}
