// The search: at each step all continuations of all live hypotheses compete; the losers are shown, too.

import { stepChooser } from "./choosers.js";
import { el, fold, note, plainTable, tr } from "./elements.js";
import { DATA, onLook } from "./look.js";
import { show, showShare } from "./numbers.js";
import { state } from "./state.js";

let NODES = [];

onLook(() => {
  NODES = DATA.search.nodes.map(([parent, step, piece, logProb, total, score, rank, isKept, ended], id) => ({
    id,
    parent,
    step,
    piece,
    logProb,
    total,
    score,
    rank,
    kept: isKept === 1,
    ended: ended === 1,
  }));
});

export const searchStation = {
  id: "search",
  name: () => tr("search", "搜索"),
  title: () => tr("8 · The search", "8 · 搜索"),
  depends: ["language", "step"],
  draw: () => [
    note(
      tr(
        `A beam of ${DATA.beam}: the ${DATA.beam} beginnings with the best sum of log-probabilities go on, the others are lost. One that says </s> has ended; its score is the sum divided by its length. The best score is the translation.`,
        `束宽 ${DATA.beam}：对数概率之和最好的 ${DATA.beam} 个候选继续，其余淘汰。输出 </s> 的候选就此结束，得分为总和除以长度。得分最高的就是译文。`,
      ),
    ),
    stepChooser(),
    stepTable(state.step + 1),
    fold("fold-search", tr("the hypotheses that ended", "已结束的候选"), () => finishedTable()),
  ],
};

function textBefore(node) {
  const labels = [];
  for (let one = NODES[node.parent]; one && one.parent !== null; one = NODES[one.parent])
    labels.unshift(DATA.pieces[one.piece]);
  return labels.join("").replace(/␣/g, " ").trim() || "<s>";
}

function onBestPath() {
  const found = new Set();
  for (let one = NODES[DATA.search.finished[0]]; one; one = NODES[one.parent]) found.add(one.id);
  return found;
}

function stepTable(step) {
  const best = onBestPath();
  const head = [
    tr("after", "此前"),
    tr("next", "下一个"),
    "p",
    tr("sum of log p", "log p 之和"),
    tr("what became of it", "结果"),
  ];
  const rows = NODES.filter((one) => one.step === step).map((one) =>
    el(
      "tr",
      { class: best.has(one.id) ? "chosen" : one.kept ? null : "lost" },
      el("td", { class: "text" }, textBefore(one)),
      el("th", { scope: "row" }, DATA.pieces[one.piece]),
      el("td", {}, showShare(Math.exp(one.logProb))),
      el("td", {}, show(one.total)),
      el("td", { class: "text" }, fateOf(one)),
    ),
  );
  if (!rows.length) return note(tr("The search had ended before this step.", "搜索在这一步之前已经结束。"));
  return plainTable(head, rows, { wide: true, textColumns: [0, 1, 4] });
}

function fateOf(one) {
  if (one.ended && one.kept) return tr(`ended, score ${show(one.score)}`, `结束，得分 ${show(one.score)}`);
  return one.kept ? tr("goes on", "继续") : tr("lost", "淘汰");
}

function finishedTable() {
  const rows = DATA.search.finished.map((id, rank) =>
    el(
      "tr",
      { class: rank === 0 ? "chosen" : null },
      el("td", {}, String(rank + 1)),
      el("td", { class: "text" }, `${textBefore(NODES[id])} ${DATA.pieces[NODES[id].piece]}`),
      el("td", {}, show(NODES[id].total)),
      el("td", {}, show(NODES[id].score)),
    ),
  );
  const head = ["", tr("hypothesis", "候选"), tr("sum", "总和"), tr("score", "得分")];
  return plainTable(head, rows, { wide: true });
}
