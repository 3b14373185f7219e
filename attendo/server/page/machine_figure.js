// Figure 1 of the paper as this sentence goes through it: the parts from bottom to top, the pieces that are read below,
// the piece that is written above, and in each attention the row that is followed.

import { el, svg, tr } from "/glass/elements.js";
import { CONFIG, DATA, HANDS, Pending } from "/glass/look.js";
import { showShare } from "/glass/numbers.js";
import { headOf, set, state } from "/glass/state.js";
import { isPreNorm, tensor } from "/glass/tensors.js";

const WIDE = 300;
const COLUMN = { encoder: { x: 18, out: 7 }, decoder: { x: 162, out: 293 } }; // out: where x goes around a part
const BOX = 120; // how wide a part is
const GAP = 9; // between parts that follow each other
const TOP = 8;
const LINES = 3; // of pieces, at most
const BARS = 13; // the height of the tallest

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

// `go(station, block)` leads to a station, and to one of its blocks.
export function machineFigure(go) {
  const pieces = { encoder: rowsOf(DATA.source.labels), decoder: rowsOf(DATA.target_in.labels) };
  const lines = Math.max(pieces.encoder.length, pieces.decoder.length);
  const stacks = { encoder: stackOf("encoder"), decoder: stackOf("decoder") };
  const high = TOP + stacks.decoder.height + 22 + 17 * lines;
  const drawing = { go, base: high - 20 - 17 * lines };
  const drawn = [
    column("encoder", stacks.encoder, drawing),
    column("decoder", stacks.decoder, drawing),
    memoryArrow(stacks, drawing.base),
    piecesBelow("encoder", pieces.encoder, high, lines, go),
    piecesBelow("decoder", pieces.decoder, high, lines, go),
    besides(go),
  ];
  return svg(
    "svg",
    {
      viewBox: `0 0 ${WIDE} ${high}`,
      role: "group",
      "aria-label": tr("The machine: figure 1 of the paper", "整台机器：论文的图 1"),
    },
    drawn,
  );
}

// --- what stands above what

// The parts of a stack from bottom to top: {kind, height, y: of its top, above the base of the column}
function stackOf(stack) {
  const rows = [];
  let y = 0;
  const put = (kind, height, gap = GAP) => {
    y += gap + height;
    rows.push({ kind, height, y });
    return rows[rows.length - 1];
  };
  put("embedding", 24, 12);
  put("positions", 16, 11);
  const frame = { from: y + 9 };
  y += 12;
  const sublayers = ["self_attention", ...(stack === "decoder" ? ["cross_attention"] : []), "feed_forward"];
  for (const kind of sublayers) {
    const from = y + GAP / 2;
    if (isPreNorm()) put("norm", 15, GAP);
    put(kind, kind === "feed_forward" ? 26 : 42, isPreNorm() ? 5 : GAP);
    const sum = put(isPreNorm() ? "add" : "add_norm", 15, 5);
    sum.around = from;
  }
  frame.to = y + 9;
  y += 9;
  if (isPreNorm()) put("norm", 15, 11);
  if (stack === "encoder") put("memory", 24, 12);
  else {
    put("linear", 22, 12);
    put("softmax", 22, 8);
    put("next", 34, 12);
  }
  return { rows, frame, height: y };
}

function column(stack, { rows, frame }, { base, go }) {
  const { x } = COLUMN[stack],
    middle = x + BOX / 2;
  const window = { x: x - 8, y: base - frame.to, width: BOX + 16, height: frame.to - frame.from, rx: 10 };
  return [
    svg("rect", { ...window, class: "stack" }),
    layerMark(stack, window),
    rows.map((row, at) => {
      const below = at === 0 ? 0 : rows[at - 1].y;
      return arrow([middle, base - below - (at === 0 ? -3 : 0)], [middle, base - row.y + row.height]);
    }),
    rows.map((row) => (row.around === undefined ? null : goesAround(stack, row, base))),
    rows.map((row) => partOf(stack, row, { x, y: base - row.y, width: BOX, height: row.height }, go)),
  ];
}

function partOf(stack, row, box, go) {
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
  const inLayer = isAttention || row.kind === "feed_forward";
  const off = offIn(stack, row.kind);
  return press(
    off ? `${words}: ${off.words}` : words,
    station,
    () => go(station, inLayer ? part.replaceAll(".", "-") : null),
    svg("rect", { ...box, rx: 6, class: `part ${isAttention ? "attention" : row.kind}` }),
    svg("text", { x: box.x + box.width / 2, y: box.y + (isAttention ? 15 : box.height / 2 + 4) }, words),
    isAttention ? weightsIn(part, box) : null,
    off ? crossed(box, off) : null,
  );
}

// A group that can be pressed, and is lit while its station is in view.
function press(name, station, action, ...children) {
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

// --- arrows

function arrow([x1, y1], [x2, y2]) {
  return [svg("path", { d: `M${x1} ${y1}V${y2 + 4}`, class: "way" }), tip(x2, y2, "up")];
}

function tip(x, y, towards) {
  const shapes = { up: "l-3.5 6h7z", right: "l-6 -3.5v7z", left: "l6 -3.5v7z" };
  return svg("path", { d: `M${x} ${y}${shapes[towards]}`, class: "tip" });
}

// x leaves below the part, and comes back to be added.
function goesAround(stack, row, base) {
  const { x, out } = COLUMN[stack],
    side = stack === "encoder" ? x : x + BOX;
  const from = base - row.around,
    to = base - row.y + row.height / 2;
  const d = `M${x + BOX / 2} ${from}H${out}V${to}H${side}`;
  return [svg("path", { d, class: "way around" }), tip(side, to, stack === "encoder" ? "right" : "left")];
}

// The memory goes to the cross-attention of every layer of the decoder.
function memoryArrow({ encoder, decoder }, base) {
  const from = encoder.rows.find((row) => row.kind === "memory"),
    to = decoder.rows.find((row) => row.kind === "cross_attention");
  const [y1, y2] = [base - from.y + from.height / 2, base - to.y + to.height / 2];
  const right = COLUMN.encoder.x + BOX,
    end = COLUMN.decoder.x;
  return [
    svg("path", { d: `M${right} ${y1}H${(right + end) / 2}V${y2}H${end}`, class: "way memory" }),
    tip(end, y2, "right"),
  ];
}

// --- what is alive

// 6 × and which layer is shown; the next click shows the next.
function layerMark(stack, window) {
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
    const bar = { x: box.x + 7 + at * width, y: box.y + box.height - 6 - height, height };
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
  if (whole)
    return svg("path", {
      d: `M${box.x} ${box.y}L${right} ${bottom}M${right} ${box.y}L${box.x} ${bottom}`,
      class: "off",
    });
  return [
    svg("rect", { x: box.x + 8, y: bottom - 8, width: box.width - 16, height: 14, rx: 7, class: "touched" }),
    svg("text", { x: box.x + box.width / 2, y: bottom + 2.5, class: "touched-words" }, words),
  ];
}

// --- the pieces below, and what stands beside the machine

const measuring = document.createElement("canvas").getContext("2d");

function widthOf(label) {
  measuring.font = "600 12px system-ui, sans-serif";
  return measuring.measureText(label).width + 9;
}

const shortened = (label, most) => (label.length > most ? `${label.slice(0, most - 1)}…` : label);

// Pieces in lines of a column's width; what does not fit into the last is left out.
function rowsOf(labels) {
  const rows = [[]];
  let used = 0;
  for (const [at, whole] of labels.entries()) {
    const label = shortened(whole, 14),
      width = widthOf(label);
    if (used + width > BOX + 14 && used) {
      if (rows.length === LINES) {
        rows[LINES - 1].push({ label: "…", at: null, x: used, width: 12 });
        break;
      }
      rows.push([]);
      used = 0;
    }
    rows[rows.length - 1].push({ label, at, x: used, width });
    used += width;
  }
  return rows;
}

function piecesBelow(stack, rows, high, lines, go) {
  const isSource = stack === "encoder",
    chosen = isSource ? state.position : state.step;
  const middle = COLUMN[stack].x + BOX / 2;
  const erased = isSource ? HANDS.erase || [] : [];
  const texts = rows.flatMap((row, line) => {
    const last = row[row.length - 1],
      left = middle - (last.x + last.width) / 2;
    return row.map((one) => {
      const kind = `piece${one.at === chosen ? " chosen" : ""}${erased.includes(one.at) ? " erased" : ""}`;
      const y = high - 3 - 17 * (lines - 1 - line) - 2;
      return svg("text", { x: left + one.x + one.width / 2, y, class: kind }, one.label);
    });
  });
  const name = isSource
    ? tr("the pieces that are read", "读入的词元")
    : tr("what is written so far, shifted right", "已写出的词元，右移一位");
  return press(
    `${name}: ${rows
      .flat()
      .map((one) => one.label)
      .join(" ")}`,
    isSource ? "pieces" : "decoder",
    () => go(isSource ? "pieces" : "decoder"),
    texts,
  );
}

// The left of the top is free, for the decoder is taller.
function besides(go) {
  const links = [
    ["overview", tr("At a glance", "总览")],
    ["search", tr("Beam search", "束搜索")],
    ["training", tr("Training pass", "训练")],
  ];
  return links.map(([station, words], at) => {
    const box = { x: COLUMN.encoder.x - 8, y: TOP + at * 28, width: 100, height: 22 };
    return press(
      words,
      station,
      () => go(station),
      svg("rect", { ...box, rx: 11, class: "part beside" }),
      svg("text", { x: box.x + 50, y: box.y + 15, class: "small" }, words),
    );
  });
}

// The same in words, for those who see no drawing.
export function machineWords() {
  return el(
    "p",
    { class: "unseen" },
    tr(
      `The machine has ${CONFIG.encoder_layers} layers in the encoder and ${CONFIG.decoder_layers} in the decoder. It reads ${DATA.source.labels.join(" ")} and writes ${DATA.target.labels.join(" ")}.`,
      `编码器有 ${CONFIG.encoder_layers} 层，解码器有 ${CONFIG.decoder_layers} 层。读入 ${DATA.source.labels.join(" ")}，写出 ${DATA.target.labels.join(" ")}。`,
    ),
  );
}
