// At a glance: the pieces of both sides, and a line from each piece of the translation to where it looked.

import { el, note, svg, tr } from "./elements.js";
import { CONFIG, DATA } from "./look.js";
import { sum } from "./numbers.js";
import { saveButtons } from "./saving.js";
import { set, state } from "./state.js";
import { tensor } from "./tensors.js";

const ROW = { top: 22, upper: 34, lower: 126, bottom: 146, height: 158 };
const FAINTEST = 0.04; // lines of less than this are not drawn
const WIDEST = 640; // short sentences are spread out to this

export const overviewStation = {
  id: "overview",
  name: () => tr("overview", "总览"),
  title: () => tr("At a glance", "总览"),
  depends: ["language", "step", "position"],
  draw: () => {
    const layer = CONFIG.decoder_layers - 1;
    return [
      note(
        tr(
          `Below the pieces that were written, above those that were read. A line shows where the decoder looked while it wrote a piece: cross-attention of layer ${layer + 1}, the mean of its heads. Click a piece to follow it down the page.`,
          `下面是写出的词元，上面是读入的词元。连线表示写出一个词元时解码器看了哪里：第 ${layer + 1} 层交叉注意力，各头取平均。点击一个词元，跟着它往下看。`,
        ),
      ),
      el("div", { class: "scroll overview" }, links(meanWeights(`decoder.${layer}.cross_attention`))),
      saveButtons(() => document.querySelector(".overview svg"), "overview"),
    ];
  },
};

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

function links(weights) {
  const source = placed(DATA.source.labels),
    target = placed(DATA.target.labels);
  const width = Math.max(source.width, target.width),
    wide = Math.max(width, Math.min(WIDEST, 2 * width));
  for (const side of [source, target])
    side.middle = side.middle.map((x) => ((x + (width - side.width) / 2) * wide) / width);
  const lines = weights
    .flatMap((row, i) => row.map((weight, j) => [weight, i, j]))
    .filter(([weight]) => weight >= FAINTEST);
  lines.sort((a, b) => (a[1] === state.step) - (b[1] === state.step));
  return svg(
    "svg",
    {
      width: wide,
      height: ROW.height,
      viewBox: `0 0 ${wide} ${ROW.height}`,
      role: "img",
      "aria-label": tr("where each piece looked", "每个词元看了哪里"),
    },
    lines.map(([weight, i, j]) =>
      svg("line", {
        x1: source.middle[j],
        y1: ROW.upper,
        x2: target.middle[i],
        y2: ROW.lower,
        class: i === state.step ? "now" : null,
        "stroke-width": 1 + 6 * weight,
        "stroke-opacity": (i === state.step ? 0.25 : 0.1) + 0.6 * weight,
      }),
    ),
    DATA.source.labels.map((label, j) =>
      pieceText(label, source.middle[j], ROW.top, j === state.position, () => set({ position: j })),
    ),
    DATA.target.labels.map((label, i) =>
      pieceText(label, target.middle[i], ROW.bottom, i === state.step, () => set({ step: i })),
    ),
  );
}

function pieceText(label, x, y, chosen, choose) {
  return svg(
    "text",
    {
      x,
      y,
      class: chosen ? "chosen" : null,
      tabindex: "0",
      role: "button",
      onclick: choose,
      onkeydown: (event) => {
        if (event.key === "Enter") choose();
      },
    },
    label,
  );
}

// Where the middle of each label stands, if they stand side by side; a Chinese character is about as wide as it is high.
function placed(labels) {
  let at = 8;
  const middle = labels.map((label) => {
    const size = 14 + sum(Array.from(label, (one) => (one > "\u2e7f" ? 17 : 9.5)));
    at += size;
    return at - size / 2;
  });
  return { middle, width: at + 8 };
}
