// The encoder's layers, the memory, and the decoder's layers at one step.

function normFold(part, whole, before) {
  if (isPreNorm() !== before) return null;
  const words = before
    ? tr("norm: every vector to mean 0, variance 1, then gain and bias", "归一化：均值 0、方差 1，再乘增益、加偏置")
    : tr("norm", "归一化");
  return tensorFold(
    { ...whole, name: `${part}.norm`, cell: (i, k) => ["norm", `${part}.norm`, i, k] },
    words,
    normEquation(),
  );
}

function feedForwardBlock(part, whole, title) {
  const product = (name) => (i, k) => ["product", `${part}.${name}`, null, i, k];
  const gated = CONFIG.activation === "swiglu";
  const active = tensor(`${part}.hidden`)
    .row(whole.chosen)
    .filter((one) => one > 0).length;
  return el(
    "div",
    { class: "block", id: part.replace(/\./g, "-") },
    el("h3", {}, title, " ", el("span", { class: "quiet" }, code(part))),
    note(
      tr(
        `Every position alone, blind to the others: ${CONFIG.d_model} numbers become ${CONFIG.d_ff} and ${CONFIG.d_model} again. Of ${CONFIG.d_ff} hidden numbers ${active} are above 0 for `,
        `每个位置各算各的，互不相看：${CONFIG.d_model} 个数变成 ${CONFIG.d_ff} 个，再变回 ${CONFIG.d_model} 个。${CONFIG.d_ff} 个隐藏单元中有 ${active} 个大于 0，这里看的是 `,
      ),
      el("b", {}, whole.labels[whole.chosen]),
      tr(".", "。"),
    ),
    el("p", {}, equation("feedForward")),
    el(
      "p",
      { class: "quiet" },
      tr("switch it off: ", "关掉它："),
      code(`--feed-forward-off ${part.split(".")[0]}:${Number(part.split(".")[1]) + 1}`),
    ),
    normFold(part, whole, true),
    gated ? tensorFold({ ...whole, name: `${part}.gate`, cell: product("gate") }, "x W_gate") : null,
    gated ? tensorFold({ ...whole, name: `${part}.up`, cell: product("up") }, "x W_up") : null,
    gated ? null : tensorFold({ ...whole, name: `${part}.inner`, cell: product("inner") }, "x W₁ + b₁"),
    tensorFold(
      { ...whole, name: `${part}.hidden`, cell: (i, k) => ["hidden", part, i, k] },
      tr("activation", "激活函数"),
    ),
    tensorFold({ ...whole, name: `${part}.out`, cell: product("out") }, tr("back to d_model", "变回 d_model 维")),
    tensorFold(
      { ...whole, name: `${part}.add`, cell: (i, k) => ["add", part, i, k] },
      tr("add", "残差相加"),
      equation("add"),
    ),
    normFold(part, whole, false),
  );
}

function layerChooser(count, chosen, choose) {
  return chooser(
    tr("layer", "层"),
    Array.from({ length: count }, (_, l) => ({ label: String(l + 1) })),
    chosen,
    choose,
  );
}

section(
  "encoder",
  () => tr("3 · The encoder", "3 · 编码器"),
  ["language", "position", "layer"],
  () => {
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
    ];
  },
);

section(
  "memory",
  () => tr("4 · Memory", "4 · 编码器的输出（memory）"),
  ["language", "position"],
  () => {
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
    ];
  },
);

section(
  "decoder",
  () => tr("5 · The decoder, step by step", "5 · 解码器，逐步进行"),
  ["language", "step", "decoderLayer", "position"],
  () => {
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
      stepChooser(),
      HANDS.causal_mask === false
        ? note(
            tr(
              "The causal mask is off: the tensors below are those of the last step, when all pieces were there.",
              "因果掩码已关：下面的张量是最后一步的，那时所有词元都已写出。",
            ),
          )
        : null,
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
);

function stepChooser() {
  const options = DATA.target.labels.map((label, step) => ({
    label: `${step + 1} ${label}`,
    title: `${DATA.target_in.labels[step]} → ${label}`,
  }));
  return el(
    "div",
    { class: "row" },
    chooser(tr("step", "步"), options, state.step, (step) => set({ step })),
    el(
      "button",
      {
        type: "button",
        class: "next",
        disabled: state.step + 1 >= DATA.steps.length,
        onclick: () => set({ step: state.step + 1 }),
      },
      tr("next step →", "下一步 →"),
    ),
  );
}
