// The causal mask as it stands at a step of decoding: a row for each piece that was read, the new one lit.

import { isMasked } from "./arithmetic.js";
import { el, fold, note, plainTable, scroller, svg, tr } from "./elements.js";
import { DATA } from "./look.js";
import { sum } from "./numbers.js";
import { saveButtons } from "./saving.js";
import { state } from "./state.js";

const SIDE = 264; // pixels, at most: of many pieces each is smaller
const LARGEST_CELL = 26;
const HATCHING = "mask-hatching"; // the id of the pattern
const SMALLEST_PARTED = 5; // pixels of a cell that a line parts from the next
const WITH_LABELS = 12; // pixels of a cell beside which a label can be read

export function maskGrowing() {
  return el(
    "figure",
    { class: "mask-growing" },
    el(
      "h3",
      {},
      tr("The mask grows", "掩码逐步增长"),
      saveButtons(() => document.querySelector(".mask-growing svg"), "mask"),
    ),
    note(maskWords()),
    scroller(tr("the mask", "掩码"), maskDrawing()),
    fold("fold-mask-step", tr("the mask as a table", "以表格查看掩码"), maskRows),
  );
}

// False where the reader has taken the mask away.
export const hidesLater = () => isMasked("decoder.0.self_attention");

const seenFrom = (row) => (hidesLater() ? row : state.step) + 1; // columns, counted from the first

function maskWords() {
  const count = state.step + 1,
    label = DATA.target_in.labels[state.step];
  if (!hidesLater()) {
    return tr(
      `The causal mask is off: at step ${count} every piece looks at all ${count} that are written, also at those after it.`,
      `因果掩码已关：第 ${count} 步时，每个词元都能看到已写出的全部 ${count} 个，包括它后面的。`,
    );
  }
  return tr(
    `Step ${count} adds a row: ${label} may look at ${count === 1 ? "itself alone" : `itself and the ${count - 1} before it`}. Hatched: what comes after a row's piece is hidden from it.`,
    `第 ${count} 步多出一行：${label} ${count === 1 ? "只能看自己" : `能看自己和前面的 ${count - 1} 个`}。斜线格被遮住：排在后面的词元，前面的看不到。`,
  );
}

function maskDrawing() {
  const labels = DATA.target_in.labels,
    length = labels.length,
    rows = state.step + 1;
  const cell = Math.max(2, Math.min(LARGEST_CELL, Math.floor(SIDE / length))),
    gutter = cell < WITH_LABELS ? 0 : Math.max(...labels.map(labelWidth)) + 12,
    side = length * cell;
  const strip = (row, from, to, look) =>
    to > from
      ? svg("rect", { ...look, x: gutter + from * cell, y: row * cell, width: (to - from) * cell, height: cell })
      : null;
  return svg(
    "svg",
    {
      width: gutter + side + 2,
      height: side + 2,
      viewBox: `0 0 ${gutter + side + 2} ${side + 2}`,
      role: "img",
      "aria-label": maskWords(),
    },
    hatching(),
    svg("rect", { class: "to-come", x: gutter, y: 0, width: side, height: side }),
    labels
      .slice(0, rows)
      .map((label, row) => [
        strip(row, 0, seenFrom(row), { class: row === state.step ? "may now" : "may" }),
        strip(row, seenFrom(row), rows, { class: "hidden", fill: `url(#${HATCHING})` }),
        gutter
          ? svg("text", { class: row === state.step ? "now" : null, x: gutter - 6, y: (row + 0.5) * cell + 4 }, label)
          : null,
      ]),
    gridLines(gutter, rows, rows, cell, cell),
  );
}

// A Chinese character is about as wide as it is high.
const labelWidth = (label) => sum(Array.from(label, (one) => (one > "\u2e7f" ? 14 : 8)));

function hatching() {
  return svg(
    "defs",
    {},
    svg(
      "pattern",
      { id: HATCHING, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("rect", { class: "hatch", width: 2.5, height: 6 }),
    ),
  );
}

// Between cells, where they are large enough for it.
export function gridLines(left, rows, columns, width, height) {
  const across = Array.from({ length: rows + 1 }, (_, i) => `M${left} ${i * height}h${columns * width}`),
    down = Array.from({ length: columns + 1 }, (_, j) => `M${left + j * width} 0v${rows * height}`);
  const lines = [...(height < SMALLEST_PARTED ? [] : across), ...(width < SMALLEST_PARTED ? [] : down)];
  return svg("path", { class: "grid-lines", d: lines.join("") });
}

function maskRows() {
  const labels = DATA.target_in.labels.slice(0, state.step + 1);
  const rows = labels.map((label, row) =>
    el(
      "tr",
      { class: row === state.step ? "chosen" : null },
      el("td", {}, String(row + 1)),
      el("th", { scope: "row" }, label),
      el("td", { class: "text" }, fromTo(labels.slice(0, seenFrom(row)))),
      el("td", { class: "text" }, fromTo(labels.slice(seenFrom(row))) || "–"),
    ),
  );
  const head = ["", tr("piece", "词元"), tr("may look at", "能看"), tr("hidden from it", "被遮住")];
  return plainTable(head, rows, { wide: true, textColumns: [1, 2, 3] });
}

// All of a few pieces, of many the ends: <s> I ␣love … ␣learning (12)
function fromTo(labels) {
  if (labels.length <= 6) return labels.join(" ");
  return `${labels.slice(0, 3).join(" ")} … ${labels[labels.length - 1]} (${labels.length})`;
}
