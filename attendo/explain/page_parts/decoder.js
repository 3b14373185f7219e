// The decoder's layers at one step.

import { attentionBlock } from "./attention.js";
import { cacheFilling } from "./cache.js";
import { layerChooser } from "./choosers.js";
import { el, fold, nameAndShape, note, tr } from "./elements.js";
import { embeddingFolds } from "./embedding.js";
import { normEquation } from "./equations.js";
import { feedForwardBlock } from "./feed_forward.js";
import { CONFIG, DATA, HANDS } from "./look.js";
import { maskGrowing } from "./mask.js";
import { set, state } from "./state.js";
import { stepBar } from "./step_bar.js";
import { isPreNorm, tensor } from "./tensors.js";
import { tensorFold } from "./vectors.js";

export const decoderStation = {
  id: "decoder",
  name: () => tr("decoder", "解码器"),
  title: () => tr("5 · The decoder, step by step", "5 · 解码器，逐步进行"),
  depends: ["language", "step", "decoderLayer", "position", "heads", "picture", "units"],
  draw: () => {
    const part = `decoder.${state.decoderLayer}`,
      choose = (step) => set({ step });
    const whole = { labels: DATA.target_in.labels, chosen: state.step, choose };
    return [
      note(
        tr(
          "It writes one piece at a time. At each step it reads what it has written, looks at the memory, and says which piece comes next.",
          "每次写一个词元。每一步都读入已写出的词元，看 memory，再给出下一个词元。",
        ),
      ),
      stepBar(),
      HANDS.causal_mask === false
        ? note(
            tr(
              "The causal mask is off: the tensors below are those of the last step, when all pieces were there.",
              "因果掩码已关：下面的张量是最后一步的，那时所有词元都已写出。",
            ),
          )
        : null,
      el("div", { class: "decoding-pictures" }, maskGrowing(), cacheFilling()),
      fold(
        "fold-target-embedding",
        [
          el("b", {}, tr("what it reads: embedding and position", "读入：词嵌入与位置")),
          " ",
          nameAndShape("target.x", tensor("target.x").shape),
        ],
        () => embeddingFolds("target", DATA.target_in.labels, state.step, choose),
      ),
      layerChooser(CONFIG.decoder_layers, state.decoderLayer, (decoderLayer) => set({ decoderLayer })),
      attentionBlock({
        part: `${part}.self_attention`,
        title: tr(
          `Masked self-attention, layer ${state.decoderLayer + 1}`,
          `带掩码的自注意力，第 ${state.decoderLayer + 1} 层`,
        ),
        words: tr(
          "It looks back at what is written. What comes later is masked: in training it is there, but must not be seen.",
          "回头看已写出的词元。后面的被掩码遮住：训练时它们就在那里，但不许看。",
        ),
        rows: DATA.target_in.labels,
        written: DATA.target.labels,
        chosen: state.step,
        choose,
      }),
      attentionBlock({
        part: `${part}.cross_attention`,
        title: tr(`Cross-attention, layer ${state.decoderLayer + 1}`, `交叉注意力，第 ${state.decoderLayer + 1} 层`),
        words: tr(
          "Queries come from the translation, keys and values from the memory: this is where it looks at the source.",
          "查询来自译文，键和值来自 memory：解码器在这里看源句。",
        ),
        rows: DATA.target_in.labels,
        written: DATA.target.labels,
        chosen: state.step,
        choose,
      }),
      feedForwardBlock(
        `${part}.feed_forward`,
        whole,
        tr(`Feed-forward, layer ${state.decoderLayer + 1}`, `前馈层，第 ${state.decoderLayer + 1} 层`),
      ),
      tensorFold(
        {
          ...whole,
          name: "decoder.out",
          cell: (i, k) => [
            "norm",
            isPreNorm() ? "decoder.norm" : `decoder.${CONFIG.decoder_layers - 1}.feed_forward.norm`,
            i,
            k,
          ],
        },
        tr("what the last layer gives", "最后一层的输出"),
        isPreNorm() ? normEquation() : null,
      ),
    ];
  },
};
