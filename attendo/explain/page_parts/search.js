// The search: at each step all continuations of all live hypotheses compete; the losers are shown, too.

import { beamTree } from "./beam_tree.js";
import { beamChooser } from "./choosers.js";
import { el, fold, note, plainTable, tr } from "./elements.js";
import { forcedLine, isForced } from "./forcing.js";
import { CONFIG, DATA, lookWith } from "./look.js";
import { show, showShare } from "./numbers.js";
import { saveButtons } from "./saving.js";
import { fateOf, isOnBestPath, NODES, textBefore } from "./search_nodes.js";
import { state } from "./state.js";
import { stepBar } from "./step_bar.js";

export const searchStation = {
  id: "search",
  name: () => tr("search", "搜索"),
  title: () => tr("8 · The search", "8 · 搜索"),
  depends: ["language", "step"],
  draw: () => {
    const { box, details, whole } = beamTree();
    return [
      note(
        tr(
          `A beam of ${DATA.beam}: the ${DATA.beam} beginnings with the best sum of log-probabilities go on, the others are lost. One that says </s> has ended; its score is the sum divided by its length. The best score is the translation.`,
          `束宽 ${DATA.beam}：对数概率之和最好的 ${DATA.beam} 个候选继续，其余淘汰。输出 </s> 的候选就此结束，得分为总和除以长度。得分最高的就是译文。`,
        ),
      ),
      beamChooser(),
      stepBar(),
      forcedLine(),
      note(treeSummary()),
      box,
      el("div", { class: "row tree-foot" }, treeLegend(), saveButtons(whole, "search")),
      details,
      fold(
        "fold-search-step",
        tr(`step ${state.step + 1} of the tree as a table`, `以表格查看搜索树的第 ${state.step + 1} 步`),
        () => stepTable(state.step + 1),
      ),
      fold("fold-search", tr("the hypotheses that ended", "已结束的候选"), () => finishedTable()),
    ];
  },
};

function treeSummary() {
  const step = state.step + 1,
    looked = NODES.filter((one) => one.step === step),
    ended = NODES.filter((one) => one.step <= step && one.kept && one.ended).length;
  if (!looked.length) return searchIsOver();
  return [
    competition(step, looked),
    tr(
      ` ${ended} ${ended === 1 ? "hypothesis has" : "hypotheses have"} ended so far.`,
      `到此已有 ${ended} 个候选结束。`,
    ),
    lookWith
      ? tr(
          " Click a piece that lost, and the translation goes on from there.",
          "点击一个被淘汰的词元，译文就从那里接着写下去。",
        )
      : "",
  ];
}

// How many could come at a step, how many of them were compared, and how many go on.
function competition(step, looked) {
  const piece = DATA.pieces[looked[0].piece];
  if (isForced(step - 1))
    return tr(`Step ${step} is forced: only “${piece}” may come.`, `第 ${step} 步是指定的：只能是“${piece}”。`);
  const live = NODES.filter((one) => one.step === step - 1 && one.kept && !one.ended).length,
    kept = looked.filter((one) => one.kept).length,
    vocabulary = CONFIG.vocab_size.toLocaleString("en");
  return tr(
    `At step ${step}, ${live} ${live === 1 ? "beginning" : "beginnings"} × ${vocabulary} pieces are possible; the search compares the best ${looked.length} and keeps ${kept}.`,
    `第 ${step} 步可能的接法有 ${live} 个候选 × ${vocabulary} 个词元；搜索只比较其中最好的 ${looked.length} 个，留下 ${kept} 个。`,
  );
}

function searchIsOver() {
  return tr("The search had ended before this step.", "搜索在这一步之前已经结束。");
}

function treeLegend() {
  const kinds = [
    ["best", tr("the best path", "最佳路径")],
    ["kept", tr("kept", "保留")],
    ["lost", tr("lost", "淘汰")],
  ];
  return el(
    "span",
    { class: "tree-legend quiet" },
    kinds.map(([kind, words]) => el("span", {}, el("i", { class: kind, "aria-hidden": "true" }), words)),
    el("span", {}, tr("the thicker, the more probable", "线越粗，概率越大")),
  );
}

function stepTable(step) {
  const head = [
    tr("after", "此前"),
    tr("next", "下一个"),
    "p",
    tr("sum of log p", "log p 之和"),
    tr("score", "得分"),
    tr("what became of it", "结果"),
  ];
  const rows = NODES.filter((one) => one.step === step).map((one) =>
    el(
      "tr",
      { class: isOnBestPath(one) ? "chosen" : one.kept ? null : "lost" },
      el("td", { class: "text" }, textBefore(one)),
      el("th", { scope: "row" }, DATA.pieces[one.piece]),
      el("td", {}, showShare(Math.exp(one.logProb))),
      el("td", {}, show(one.total)),
      el("td", {}, show(one.score)),
      el("td", { class: "text" }, fateOf(one)),
    ),
  );
  if (!rows.length) return note(searchIsOver());
  return plainTable(head, rows, { wide: true, textColumns: [0, 1, 5] });
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
