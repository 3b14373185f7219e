// Text to pieces, pieces to vectors.

section(
  "pieces",
  () => tr("1 · Text → pieces", "1 · 文本 → 词元"),
  ["language", "position"],
  () => [
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
    isWord(DATA.source.labels[state.position])
      ? note(
          tr("What if nobody could see it? Run attendo explain with ", "如果谁也看不到它，会怎样？运行 attendo explain 时加上 "),
          code(`--erase ${wordOf(DATA.source.labels[state.position])}`),
        )
      : null,
  ],
);

// Tags, </s>, spaces and single bytes of a character cannot be named to the command.
function isWord(label) {
  return !/^(>>.*<<|<.*>|␣|.*[₀-₉])$/u.test(label);
}

function wordOf(label) {
  return label.replace("␣", "");
}

section(
  "embedding",
  () => tr("2 · Embedding × √d_model + position", "2 · 词嵌入 × √d_model + 位置编码"),
  ["language", "position"],
  () => [
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
      isStored("source.positions") && CONFIG.positions === "sinusoidal" ? [equation("sine"), equation("cosine")] : null,
    ),
    embeddingFolds("source", DATA.source.labels, state.position, (i) => set({ position: i })),
  ],
);

function embeddingFolds(side, labels, chosen, choose) {
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
