// Pieces to vectors: rows of a table, made larger, with their positions.

import { codeFold } from "./code_beside.js";
import { el, note, tr } from "./elements.js";
import { equation } from "./equations.js";
import { CONFIG, DATA } from "./look.js";
import { show } from "./numbers.js";
import { set, state } from "./state.js";
import { isStored, rootOfModel } from "./tensors.js";
import { tensorFold } from "./vectors.js";

const POSITIONS_CODE = { sinusoidal: "positions", learned: "learned_positions", rotary: "rotary_positions" };

export const embeddingStation = {
  id: "embedding",
  name: () => tr("embedding", "词嵌入"),
  title: () => tr("2 · Embedding × √d_model + position", "2 · 词嵌入 × √d_model + 位置编码"),
  depends: ["language", "position"],
  draw: () => [
    note(
      tr(
        "Each number is replaced by its row of the table E, made larger by √d_model, and told where it stands. Below, a stripe is a piece and a column a dimension: warm is above zero, cold below. Click a number to see where it comes from.",
        "每个编号换成词嵌入表 E 中的一行，乘以 √d_model，再加上它的位置。下图中一行是一个词元，一列是一个维度：暖色大于零，冷色小于零。点击任何一个数，看它从哪里来。",
      ),
    ),
    el(
      "p",
      {},
      equation("embedding"),
      isStored("source.positions") && CONFIG.positions.startsWith("sinusoidal") ? [equation("sine"), equation("cosine")] : null,
    ),
    embeddingFolds("source", DATA.source.labels, state.position, (i) => set({ position: i })),
    codeFold("embedding", "embedding", "with_positions", POSITIONS_CODE[CONFIG.positions]),
  ],
};

export function embeddingFolds(side, labels, chosen, choose) {
  const of = (name, kind) => ({ name: `${side}.${name}`, labels, chosen, choose, cell: (i, k) => [kind, side, i, k] });
  return [
    tensorFold(of("embedding", "embedding"), tr("rows of the table", "查表")),
    tensorFold(of("scaled", "scaledEmbedding"), `× √${CONFIG.d_model} = ${show(rootOfModel())}`),
    isStored(`${side}.positions`) ? tensorFold(of("positions", "position"), tr("positions", "位置编码")) : null,
    tensorFold(
      of("x", "x"),
      tr("the sum: what the first layer reads", "相加：第一层的输入"),
      null,
      null,
      side === "source",
    ),
  ];
}
