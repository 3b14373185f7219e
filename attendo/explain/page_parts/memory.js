// What the encoder gives and every layer of the decoder reads.

import { codeFold } from "./code_beside.js";
import { note, tr } from "./elements.js";
import { normEquation } from "./equations.js";
import { CONFIG, DATA } from "./look.js";
import { set, state } from "./state.js";
import { isPreNorm } from "./tensors.js";
import { tensorFold } from "./vectors.js";

export const memoryStation = {
  id: "memory",
  name: () => "memory",
  title: () => tr("4 · Memory", "4 · 编码器的输出（memory）"),
  depends: ["language", "position"],
  draw: () => {
    const whole = { labels: DATA.source.labels, chosen: state.position, choose: (i) => set({ position: i }) };
    const cell = isPreNorm()
      ? (i, k) => ["norm", "encoder.norm", i, k]
      : (i, k) => ["norm", `encoder.${CONFIG.encoder_layers - 1}.feed_forward.norm`, i, k];
    return [
      note(
        tr(
          "What comes out of the last layer, a vector for each piece of the source. It is computed once; every layer of the decoder makes its keys and values of it, at every step.",
          "最后一层的输出，源句的每个词元一个向量。只算一次；解码器的每一层、每一步都由它算出键和值。",
        ),
      ),
      tensorFold(
        { ...whole, name: "memory", cell },
        tr("memory", "memory"),
        isPreNorm() ? normEquation() : null,
        null,
        true,
      ),
      codeFold("memory", "keys_and_values"),
    ];
  },
};
