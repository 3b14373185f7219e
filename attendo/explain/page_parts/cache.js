// The cache: keys and values of what was read before are kept, so that a step computes those of its own piece alone.

import { el, fold, note, plainTable, svg, tr } from "./elements.js";
import { CONFIG, DATA } from "./look.js";
import { gridLines, hidesLater } from "./mask.js";
import { saveButtons } from "./saving.js";
import { state } from "./state.js";

const CELLS_WIDE = 250; // pixels of a row of cells, at most
const LARGEST_WIDTH = 20;
const CELL_HEIGHT = 15;
const NAMES = 66; // pixels of the rows' names

export function cacheFilling() {
  return el(
    "figure",
    { class: "cache-filling" },
    el(
      "h3",
      {},
      tr("The cache fills", "缓存逐步填满"),
      saveButtons(() => document.querySelector(".cache-rows"), "cache"),
    ),
    note(cacheWords()),
    el(
      "div",
      { class: "cache-rows" },
      cachePart(tr("self-attention", "自注意力"), tr("one more at each step", "每步多一格"), ofTranslation()),
      cachePart(tr("cross-attention", "交叉注意力"), tr("all at the first step", "第一步全部填好"), ofMemory()),
    ),
    fold("fold-cache", tr("the cache as a table", "以表格查看缓存"), cacheTable),
  );
}

// Without the mask the vectors of earlier pieces change with each new one: nothing can be kept.
const isNothingKept = () => !hidesLater();

// Positions of which keys and values were there before this step, those it adds, and those there will be.
function ofTranslation() {
  const kept = isNothingKept() ? 0 : state.step;
  return { kept, fresh: state.step + 1 - kept, length: DATA.target_in.labels.length };
}

function ofMemory() {
  const length = DATA.source.labels.length,
    kept = isNothingKept() || state.step === 0 ? 0 : length;
  return { kept, fresh: length - kept, length };
}

const numbersOf = (positions) => 2 * CONFIG.decoder_layers * positions * CONFIG.d_model;
const whole = (count) => count.toLocaleString("en");

function cacheWords() {
  const own = ofTranslation(),
    memory = ofMemory(),
    { decoder_layers: layers, d_model: d } = CONFIG,
    n = state.step + 1;
  if (isNothingKept()) {
    return tr(
      `Without the causal mask what was read before changes with every new piece: nothing can be kept, and step ${n} computes all keys and values anew.`,
      `没有因果掩码，前面的向量会随每个新词元改变：什么都不能缓存，第 ${n} 步要重新计算所有的键和值。`,
    );
  }
  const holds = tr(
    `After step ${n} it holds 2 × ${layers} layers × (${n} + ${memory.length}) positions × ${d} = ${whole(numbersOf(n + memory.length))} numbers`,
    `第 ${n} 步之后缓存有 2 × ${layers} 层 × (${n} + ${memory.length}) 个位置 × ${d} = ${whole(numbersOf(n + memory.length))} 个数`,
  );
  const spared = own.kept + memory.kept;
  if (!spared) return tr(`${holds}, all of them new.`, `${holds}，都是新算的。`);
  const products = whole(numbersOf(spared) * d);
  return tr(
    `${holds}; what was there spares this step 2 × ${layers} × ${spared} × ${d}² = ${products} products, of keys and values alone.`,
    `${holds}；已有的部分为这一步省去 2 × ${layers} × ${spared} × ${d}² = ${products} 次乘法（仅计键和值）。`,
  );
}

function cachePart(name, how, part) {
  const words = `${name}${tr(": ", "：")}${isNothingKept() ? tr("all anew at each step", "每步全部重算") : how}`;
  return el(
    "div",
    { class: "cache-part" },
    el("p", { class: "quiet" }, words),
    el("div", { class: "scroll" }, cacheCells(words, part)),
  );
}

function cacheCells(words, { kept, fresh, length }) {
  const layers = CONFIG.decoder_layers,
    cell = Math.max(2, Math.min(LARGEST_WIDTH, Math.floor(CELLS_WIDE / length)));
  const width = NAMES + length * cell + 2,
    high = 2 * CELL_HEIGHT,
    height = layers * (high + 8);
  const box = (name, from, count) =>
    count ? svg("rect", { class: name, x: NAMES + from * cell, y: 0, width: count * cell, height: high }) : null;
  return svg(
    "svg",
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `${words}: ${kept + fresh} / ${length}`,
    },
    Array.from({ length: layers }, (_, layer) =>
      svg(
        "g",
        { transform: `translate(0 ${layer * (high + 8) + 1})` },
        svg("text", { class: "layer-name", x: 0, y: high / 2 + 4 }, tr(`layer ${layer + 1}`, `第 ${layer + 1} 层`)),
        ["K", "V"].map((letter, row) => svg("text", { x: NAMES - 8, y: (row + 0.5) * CELL_HEIGHT + 4 }, letter)),
        box("to-come", 0, length),
        box("kept", 0, kept),
        box("fresh", kept, fresh),
        gridLines(NAMES, 2, kept + fresh, cell, CELL_HEIGHT),
      ),
    ),
  );
}

function cacheTable() {
  const rows = [
    [tr("translation", "译文"), ofTranslation()],
    ["memory", ofMemory()],
  ].map(([name, { kept, fresh }]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, name),
      [kept, fresh].map((count) => el("td", {}, String(count))),
      el("td", {}, whole(numbersOf(kept + fresh))),
      el("td", {}, whole(numbersOf(kept) * CONFIG.d_model)),
    ),
  );
  const head = [
    tr("keys and values of", "键和值，属于"),
    tr("positions kept", "已有位置"),
    tr("new", "新增"),
    tr("numbers in all", "共有个数"),
    tr("products spared", "省去乘法"),
  ];
  return [
    plainTable(head, rows, { textColumns: [0] }),
    DATA.beam > 1
      ? note(
          tr(
            `This is the cache of one hypothesis: the translation's part is kept for each of up to ${DATA.beam} that are live.`,
            `这是一个候选的缓存：译文部分要为最多 ${DATA.beam} 个候选各存一份。`,
          ),
        )
      : null,
  ];
}
