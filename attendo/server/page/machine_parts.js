// The parts of the machine, each a box that leads to its station: what it is called, what goes on in it, what a hand
// did to it.

import { svg, tr } from "/glass/elements.js";
import { CONFIG, DATA, HANDS, Pending } from "/glass/look.js";
import { showShare } from "/glass/numbers.js";
import { headOf, set, state } from "/glass/state.js";
import { tensor } from "/glass/tensors.js";

const BARS = 13; // the height of the tallest
const BADGE = 13; // of what says that a hand is on a part

// A part: what it is called, where a click leads, what a hand did to it.
const PARTS = {
  embedding: () => [tr("Embedding × √d", "词嵌入 × √d"), "embedding"],
  self_attention: (stack) => [
    stack === "decoder" ? tr("Masked self-attention", "带掩码的自注意力") : tr("Self-attention", "自注意力"),
    stack,
  ],
  cross_attention: () => [tr("Cross-attention", "交叉注意力"), "decoder"],
  feed_forward: (stack) => [tr("Feed-forward", "前馈层"), stack],
  memory: () => [tr("Memory", "memory"), "memory"],
  linear: () => [tr("Linear", "线性层"), "output"],
  softmax: () => ["Softmax", "output"],
};

const layerOf = (stack) => (stack === "encoder" ? state.layer : state.decoderLayer);

export function partOf(stack, row, box, go) {
  if (row.kind === "positions") return positionsMark(stack, box, go);
  if (row.kind === "next") return nextPiece(box, go);
  if (row.kind.includes("norm") || row.kind === "add") {
    const words = {
      norm: tr("Norm", "归一化"),
      add: tr("Add", "残差相加"),
      add_norm: tr("Add & Norm", "残差与归一化"),
    };
    return [
      svg("rect", { ...box, rx: 4, class: `part ${row.kind === "add" ? "add" : "norm"}` }),
      svg("text", { x: box.x + box.width / 2, y: box.y + 11, class: "small" }, words[row.kind]),
    ];
  }
  const [words, station] = PARTS[row.kind](stack);
  const part = `${stack}.${layerOf(stack)}.${row.kind}`;
  const isAttention = row.kind.endsWith("attention");
  const block = isAttention || row.kind === "feed_forward" ? part.replaceAll(".", "-") : null;
  const off = offIn(stack, row.kind);
  const line = off && !off.whole ? BADGE + 2 : 0; // which is below the words
  const y = box.y + (isAttention ? 15 : (box.height - line) / 2 + 4);
  const drawn = press(
    off ? `${words}: ${off.words}` : words,
    station,
    () => go(station, block),
    svg("rect", { ...box, rx: 6, class: `part ${isAttention ? "attention" : row.kind}` }),
    svg("text", { x: box.x + box.width / 2, y }, words),
    isAttention ? weightsIn(part, box) : null,
    off ? crossed(box, off) : null,
  );
  if (block) drawn.dataset.block = block;
  return drawn;
}

// A part that a hand is on in part has a line more, which says so.
export function heightOf(stack, kind) {
  const off = offIn(stack, kind);
  return (kind === "feed_forward" ? 26 : 42) + (off && !off.whole ? BADGE + 2 : 0);
}

// A group that can be pressed, and is lit while its station is in view; one that names a block, while that is.
export function press(name, station, action, ...children) {
  return svg(
    "g",
    {
      role: "button",
      tabindex: "0",
      "aria-label": name,
      "data-station": station,
      onclick: action,
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        action();
      },
    },
    svg("title", {}, name),
    children,
  );
}

// 6 × and which layer is shown; the next click shows the next.
export function layerMark(stack, window) {
  const key = stack === "encoder" ? "layer" : "decoderLayer",
    count = CONFIG[`${stack}_layers`];
  const name = tr(
    `layer ${state[key] + 1} of ${count}: show the next`,
    `第 ${state[key] + 1} 层，共 ${count} 层：看下一层`,
  );
  return press(
    name,
    null,
    () => set({ [key]: (state[key] + 1) % count }),
    svg("rect", { x: window.x - 1, y: window.y - 9, width: 64, height: 17, rx: 8.5, class: "layers" }),
    svg(
      "text",
      { x: window.x + 31, y: window.y + 3.5, class: "small" },
      tr(`layer ${state[key] + 1} / ${count}`, `第 ${state[key] + 1} / ${count} 层`),
    ),
  );
}

// One bar for each key: how much of it the row that is followed takes.
function weightsIn(part, box) {
  const query = part.startsWith("encoder") ? state.position : state.step;
  const row = patientRow(part, query);
  if (!row) return null;
  const width = (box.width - 14) / row.length;
  return Array.from(row, (weight, at) => {
    const height = Math.max(1, BARS * weight);
    const bar = { x: box.x + 7 + at * width, y: box.y + 36 - height, height };
    return svg("rect", { ...bar, width: Math.max(0.5, width - 1), class: "bar" });
  });
}

// null while it is on its way; whoever shows the layer draws the figure again when it has come
function patientRow(part, query) {
  try {
    return tensor(`${part}.weights`).row(headOf(part), query);
  } catch (error) {
    if (!(error instanceof Pending)) throw error;
    return null;
  }
}

function positionsMark(stack, box, go) {
  const x = box.x + box.width / 2,
    y = box.y + box.height / 2,
    out = stack === "encoder" ? box.x + 14 : box.x + box.width - 14;
  const inner = stack === "encoder" ? -9 : 9;
  const touched = HANDS.positions === "off" || (HANDS.positions === "shuffled" && stack === "encoder");
  const name = touched
    ? tr("positions: a hand is on them", "位置编码：已改动")
    : tr("positions are added", "加上位置编码");
  return press(
    name,
    "embedding",
    () => go("embedding"),
    svg("path", { d: `M${out} ${y}H${x + inner}`, class: "way" }),
    svg("circle", { cx: x, cy: y, r: 8, class: "sum" }),
    svg("path", { d: `M${x - 4} ${y}h8M${x} ${y - 4}v8`, class: "way" }),
    svg("circle", { cx: out, cy: y, r: 9, class: "part positions" }),
    svg("path", { d: `M${out - 5} ${y}q2.5 -7 5 0t5 0`, class: "way wave" }),
    touched ? crossed({ x: out - 9, y: y - 9, width: 18, height: 18 }, { whole: true }) : null,
  );
}

function nextPiece(box, go) {
  const step = DATA.steps[state.step],
    label = DATA.target.labels[state.step];
  return press(
    tr(`step ${state.step + 1}: ${label}`, `第 ${state.step + 1} 步：${label}`),
    "output",
    () => go("output"),
    svg("rect", { ...box, rx: 8, class: "part next" }),
    svg("text", { x: box.x + box.width / 2, y: box.y + 15, class: "piece" }, shortened(label, 13)),
    svg(
      "text",
      { x: box.x + box.width / 2, y: box.y + 28, class: "small" },
      `p = ${showShare(Math.exp(step.log_prob))}`,
    ),
  );
}

// What a hand switched off in this part: of the layer that is shown, or of another.
function offIn(stack, kind) {
  if (kind === "feed_forward") {
    const layers = (HANDS.feed_forward_off || []).filter(([where]) => where === stack).map(([, layer]) => layer);
    return layers.length ? { whole: layers.includes(layerOf(stack)), words: offWords(layers.length) } : null;
  }
  const where = kind === "cross_attention" ? "cross" : stack;
  const heads = kind.endsWith("attention") ? (HANDS.heads_off || []).filter((one) => one[0] === where) : [];
  const here = heads.filter((one) => one[1] === layerOf(stack));
  const seesAll = kind === "self_attention" && stack === "decoder" && HANDS.causal_mask === false;
  if (!heads.length && !seesAll) return null;
  return {
    whole: here.length === CONFIG.num_heads,
    words: seesAll ? tr("mask off", "掩码关闭") : tr(`heads off: ${heads.length}`, `关闭 ${heads.length} 个头`),
  };
}

const offWords = (count) => tr(`off in ${count} ${count === 1 ? "layer" : "layers"}`, `${count} 层关闭`);

function crossed(box, { whole, words }) {
  const right = box.x + box.width,
    bottom = box.y + box.height;
  if (whole) {
    const d = `M${box.x} ${box.y}L${right} ${bottom}M${right} ${box.y}L${box.x} ${bottom}`;
    return svg("path", { d, class: "off" });
  }
  return [
    svg("rect", { x: box.x + 5, y: bottom - BADGE - 3, width: box.width - 10, height: BADGE, rx: 5, class: "touched" }),
    svg("text", { x: box.x + box.width / 2, y: bottom - 6.5, class: "touched-words" }, words),
  ];
}

export const shortened = (label, most) => (label.length > most ? `${label.slice(0, most - 1)}…` : label);
