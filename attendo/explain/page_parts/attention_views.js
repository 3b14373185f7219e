// What stands above the picture of an attention: which head, arcs or map, pieces or words; and who looks at whom in words.

import { isHeadOff } from "./arithmetic.js";
import { chooser, el, tr } from "./elements.js";
import { handButton } from "./hand_button.js";
import { toggleHead } from "./hand_changes.js";
import { isCross } from "./joined.js";
import { CONFIG } from "./look.js";
import { set, state } from "./state.js";
import { sharpestHead } from "./tensors.js";

const NAMED = 3; // keys that a sentence names, at most
const WORTH_NAMING = 0.05;

export function attentionControls(part, head) {
  return el(
    "div",
    { class: "row controls" },
    headChooser(part, head),
    switchOf("picture", tr("as", "画成"), { arcs: tr("arcs", "弧线"), map: tr("map", "热图") }),
    switchOf("units", tr("by", "单位"), { pieces: tr("pieces", "词元"), words: tr("words", "词") }),
    headHand(part, head),
  );
}

function headChooser(part, head) {
  const sharpest = sharpestHead(part);
  const options = Array.from({ length: CONFIG.num_heads }, (_, h) => ({
    label: `${h + 1}${isHeadOff(part, h) ? " ✕" : ""}`,
    mark: h === sharpest,
    title:
      h === sharpest ? tr("the most focused: its weights are the least spread", "最集中的头：它的权重最不分散") : null,
  }));
  const one = chooser(tr("head", "头"), options, head, (h) => chooseHead(part, h));
  one.append(el("span", { class: "quiet", "data-unsaved": "" }, tr("(★ the most focused)", "（★ 最集中）")));
  return one;
}

export function chooseHead(part, head, changes = {}) {
  set({ heads: { ...state.heads, [part]: head }, ...changes });
}

function switchOf(key, name, labels) {
  const values = Object.keys(labels);
  const options = values.map((value) => ({ label: labels[value] }));
  const one = chooser(name, options, values.indexOf(state[key]), (at) => set({ [key]: values[at] }));
  one.classList.add("switch");
  one.dataset.switch = key;
  return one;
}

function headHand(part, head) {
  const [stack, layer] = part.split("."),
    where = isCross(part) ? "cross" : stack;
  return handButton({
    isOn: isHeadOff(part, head),
    lay: tr("switch this head off", "关掉这个头"),
    lift: tr("switch it on again", "重新打开"),
    hands: () => toggleHead(where, Number(layer), head),
    option: `--head-off ${where}:${Number(layer) + 1}:${head + 1}`,
  });
}

// The keys that a row looks at most: [[label, weight]]
function mostLookedAt(looking, i) {
  return looking.columns
    .map((label, j) => [label, looking.value(i, j)])
    .filter(([, weight]) => weight >= WORTH_NAMING)
    .sort((a, b) => b[1] - a[1])
    .slice(0, NAMED);
}

function namedShares(looking) {
  const seen = mostLookedAt(looking, looking.chosen);
  if (!seen.length) return tr("all pieces a little", "各词元都只有一点");
  return seen.map(([label, weight]) => `${label} ${weight.toFixed(2)}`).join(tr(", ", "，"));
}

// ␣love looks at 爱, 0.85
export function lookingSummary(looking) {
  return `${looking.rows[looking.chosen]} ${tr("looks at", "主要看")} ${namedShares(looking)}`;
}

// In the decoder a row has read one piece and writes the next.
export function lookingSentence(of, looking) {
  const who = el("b", {}, looking.rows[looking.chosen]),
    ends = [namedShares(looking), tr(".", "。")];
  if (!of.written || state.units === "words") return [who, tr(" looks at ", " 主要看 "), ends];
  const read = el("b", {}, of.rows[of.chosen]),
    written = el("b", {}, of.written[of.chosen]);
  return tr(
    ["Having read ", read, " it is about to write ", written, ", and this head looks at ", ends],
    ["读入 ", read, "、将要写出 ", written, " 时，这个头主要看 ", ends],
  );
}
