// The encoder's layers.

import { attentionBlock } from "./attention.js";
import { layerChooser } from "./choosers.js";
import { codeFold } from "./code_beside.js";
import { note, tr } from "./elements.js";
import { feedForwardBlock } from "./feed_forward.js";
import { CONFIG, DATA } from "./look.js";
import { set, state } from "./state.js";

export const encoderStation = {
  id: "encoder",
  name: () => tr("encoder", "编码器"),
  title: () => tr("3 · The encoder", "3 · 编码器"),
  depends: ["language", "position", "layer", "heads", "picture", "units"],
  draw: () => {
    const part = `encoder.${state.layer}`,
      choose = (i) => set({ position: i });
    return [
      note(
        tr(
          `${CONFIG.encoder_layers} layers of the same build, each with weights of its own. In each, every piece looks at all pieces of the source, then thinks for itself.`,
          `共 ${CONFIG.encoder_layers} 层，结构相同，权重各异。每一层里，每个词元先看源句的所有词元，再各自计算。`,
        ),
      ),
      layerChooser(CONFIG.encoder_layers, state.layer, (layer) => set({ layer })),
      attentionBlock({
        part: `${part}.self_attention`,
        title: tr(`Self-attention, layer ${state.layer + 1}`, `自注意力，第 ${state.layer + 1} 层`),
        words: tr(
          "Each piece asks a question (Q), every piece answers how well it fits (K), and the answers decide how much of each value (V) is taken.",
          "每个词元提出一个问题（Q），各个词元回答自己有多符合（K），据此决定从每个词元取多少值（V）。",
        ),
        rows: DATA.source.labels,
        chosen: state.position,
        choose,
      }),
      feedForwardBlock(
        `${part}.feed_forward`,
        { labels: DATA.source.labels, chosen: state.position, choose },
        tr(`Feed-forward, layer ${state.layer + 1}`, `前馈层，第 ${state.layer + 1} 层`),
      ),
      codeFold("encoder", "encoder"),
    ];
  },
};
