// Text to pieces, pieces to vectors.

import { codeFold } from "./code_beside.js";
import { code, el, note, tr } from "./elements.js";
import { handButton } from "./hand_button.js";
import { isErasedWhole, toggleErase } from "./hand_changes.js";
import { sourceWordAt, wordLabel } from "./joined.js";
import { CONFIG, DATA, HANDS, lookWith } from "./look.js";
import { set, state } from "./state.js";

export const piecesStation = {
  id: "pieces",
  name: () => tr("pieces", "词元"),
  title: () => tr("1 · Text → pieces", "1 · 文本 → 词元"),
  depends: ["language", "position"],
  draw: () => [
    note(
      tr(
        "The model reads no letters but pieces, words or parts of words, from a list of ",
        "模型读的不是字母，而是词表中的词元，即词或词的一部分（子词），词表共有 ",
      ),
      CONFIG.vocab_size.toLocaleString("en"),
      tr(", each by its number. The first, ", " 个，每个有一个编号。第一个 "),
      code(DATA.source.labels[0]),
      tr(", says which language is wanted; ", " 表示要译成哪种语言；"),
      code("</s>"),
      tr(" ends the sentence; ␣ is a space. Choose one to follow:", " 表示句子结束，␣ 表示空格。选一个，跟着它走："),
    ),
    el(
      "div",
      { class: "pieces" },
      DATA.source.labels.map((label, i) =>
        el(
          "button",
          {
            type: "button",
            "aria-pressed": String(i === state.position),
            onclick: () => set({ position: i }),
            class: (HANDS.erase || []).includes(i) ? "erased" : null,
          },
          el("b", {}, label),
          el("span", { class: "quiet" }, `${tr("id", "编号")} ${DATA.source.ids[i]}`),
          el("span", { class: "quiet" }, `${tr("position", "位置")} ${i}`),
        ),
      ),
    ),
    eraseHand(),
    codeFold("pieces", "pieces"),
  ],
};

// What if this word gave nothing to those who look at it?
function eraseHand() {
  const [from, to] = sourceWordAt(state.position),
    word = wordLabel(DATA.source.labels, [from, to]);
  const positions = Array.from({ length: to - from }, (_, k) => from + k);
  if (!lookWith && !isWord(word)) return null;
  return el(
    "div",
    { class: "row" },
    el(
      "span",
      {},
      tr("What if ", "如果 "),
      el("b", {}, word),
      tr(" were looked at as before, but gave nothing?", " 照样被看到，却什么也不给，会怎样？"),
    ),
    handButton({
      isOn: isErasedWhole(positions),
      lay: tr("erase this word", "擦去这个词"),
      lift: tr("give it back", "还给它"),
      hands: () => toggleErase(positions),
      option: `--erase ${word}`,
    }),
  );
}

// Tags, </s> and spaces cannot be named to the command.
function isWord(label) {
  return !/^(>>.*<<|<.*>|␣)$/u.test(label);
}
