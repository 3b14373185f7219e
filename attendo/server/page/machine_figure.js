// Figure 1 of the paper as this sentence goes through it: the parts from bottom to top, the pieces that are read below,
// the piece that is written above, and in each attention the row that is followed.

import { el, svg, tr } from "/glass/elements.js";
import { CONFIG, DATA, HANDS } from "/glass/look.js";
import { state } from "/glass/state.js";
import { isPreNorm } from "/glass/tensors.js";
import { heightOf, layerMark, partOf, press, shortened } from "./machine_parts.js";

const WIDE = 300;
const COLUMN = { encoder: { x: 18, out: 7 }, decoder: { x: 162, out: 293 } }; // out: where x goes around a part
const BOX = 120; // how wide a part is
const GAP = 9; // between parts that follow each other
const TOP = 8;
const LINES = 3; // of pieces, at most
const ADDED = ["sinusoidal", "sinusoidal-halves", "learned"]; // positions that are; rotary ones turn queries and keys

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
  if (ADDED.includes(CONFIG.positions)) put("positions", 16, 11);
  const frame = { from: y + 9 };
  y += 12;
  const sublayers = ["self_attention", ...(stack === "decoder" ? ["cross_attention"] : []), "feed_forward"];
  for (const kind of sublayers) {
    const from = y + GAP / 2;
    if (isPreNorm()) put("norm", 15, GAP);
    put(kind, heightOf(stack, kind), isPreNorm() ? 5 : GAP);
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

// --- the pieces below, and what stands beside the machine

const measuring = document.createElement("canvas").getContext("2d");

function widthOf(label) {
  measuring.font = "600 12px system-ui, sans-serif";
  return measuring.measureText(label).width + 9;
}

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
