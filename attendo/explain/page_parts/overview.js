// At a glance: the pieces of both sides, and a line from each piece of the translation to where it looked.

import { arcs } from "./arcs.js";
import { lookingSummary } from "./attention_views.js";
import { el, fold, note, tr } from "./elements.js";
import { tableTwin } from "./heat_map.js";
import { CONFIG, DATA } from "./look.js";
import { saveButtons } from "./saving.js";
import { set, state } from "./state.js";
import { tensor } from "./tensors.js";

export const overviewStation = {
  id: "overview",
  name: () => tr("overview", "总览"),
  title: () => tr("At a glance", "总览"),
  depends: ["language", "step", "position"],
  draw: () => {
    const layer = CONFIG.decoder_layers - 1,
      looking = whereItLooked(meanWeights(`decoder.${layer}.cross_attention`));
    return [
      note(
        tr(
          `Bottom: what was written. Top: what was read. A line shows where the decoder looked while it wrote a piece: cross-attention of layer ${layer + 1}, the mean of its heads. Click a piece to follow it down the page.`,
          `下面是写出的词元，上面是读入的词元。连线表示写出一个词元时解码器看了哪里：第 ${layer + 1} 层交叉注意力，各头取平均。点击一个词元，跟着它往下看。`,
        ),
      ),
      el("p", { class: "looking" }, `${lookingSummary(looking)}${tr(".", "。")}`),
      arcs(looking, tr("where each piece looked", "每个词元看了哪里")),
      saveButtons(() => document.querySelector("#overview svg"), "overview"),
      fold("fold-overview-table", tr("as a table", "表格"), () =>
        tableTwin(
          looking,
          tr("what was written (rows), and where it looked (columns)", "写出的词元（行）看了哪里（列）"),
        ),
      ),
    ];
  },
};

function whereItLooked(weights) {
  return {
    rows: DATA.target.labels,
    columns: DATA.source.labels,
    own: false,
    value: (i, j) => weights[i][j],
    hidden: null,
    place: null,
    chosen: state.step,
    choose: (step) => set({ step }),
    chosenColumn: state.position,
    chooseColumn: (position) => set({ position }),
  };
}

function meanWeights(part) {
  const weights = tensor(`${part}.weights`),
    [h, n, m] = weights.shape;
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: m }, (_, j) => {
      let total = 0;
      for (let head = 0; head < h; head++) total += weights.at(head, i, j);
      return total / h;
    }),
  );
}
