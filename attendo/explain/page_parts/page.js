// The page: a head, a way through the stations, and the stations.

// In the order of the page, each by a short name.
const STATIONS = {
  overview: () => tr("overview", "总览"),
  pieces: () => tr("pieces", "词元"),
  embedding: () => tr("embedding", "词嵌入"),
  encoder: () => tr("encoder", "编码器"),
  memory: () => "memory",
  decoder: () => tr("decoder", "解码器"),
  output: () => tr("next piece", "下一个词元"),
  training: () => tr("training", "训练"),
  search: () => tr("search", "搜索"),
};

function head() {
  const facts = [
    [tr("model", "模型"), DATA.model],
    [tr("direction", "方向"), DATA.languages.join(" → ")],
    [tr("layers", "层"), `${CONFIG.encoder_layers} + ${CONFIG.decoder_layers}`],
    ["d_model", CONFIG.d_model],
    [tr("heads × d_k", "头 × d_k"), `${CONFIG.num_heads} × ${CONFIG.d_k}`],
    ["d_ff", CONFIG.d_ff],
    [tr("log-probability", "对数概率"), show(DATA.best.log_prob)],
  ];
  return el(
    "header",
    {},
    el(
      "div",
      { class: "row top" },
      el(
        "span",
        { class: "quiet" },
        tr("One sentence through the Transformer, every number", "一句话走过 Transformer，每一个数都在这里"),
      ),
      chooser(
        "",
        [
          { label: "English", lang: "en" },
          { label: "中文", lang: "zh" },
        ],
        state.language === "zh" ? 1 : 0,
        (index) => changeLanguage(index ? "zh" : "en"),
      ),
    ),
    el(
      "h1",
      {},
      el("span", { lang: DATA.languages[0] }, DATA.text),
      el("span", { class: "arrow" }, " → "),
      el("span", { lang: DATA.languages[1] }, DATA.translation),
    ),
    el(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value)))),
    ),
    note(
      tr(
        "Every number here is the model's. Those that weights made are stored with about five digits; all others are computed in this page from them, by the equations shown. Click a number, or press Enter on it, to unfold it.",
        "这里的每一个数都来自模型。由权重算出的数保留约五位有效数字；其余的都在本页按所示公式由它们算出。点击任何一个数（或按回车键）即可展开。",
      ),
    ),
    DATA.remarks.map((remark) => note(remark[state.language])),
  );
}

function way() {
  return el(
    "nav",
    { "aria-label": tr("stations", "各站") },
    sections.map((one) => el("a", { href: `#${one.id}` }, STATIONS[one.id]())),
  );
}

function changeLanguage(language) {
  state.language = language;
  drawAll();
}

function drawAll() {
  document.documentElement.lang = state.language === "zh" ? "zh-Hans" : "en";
  document
    .getElementById("page")
    .replaceChildren(
      ...[
        head(),
        handsBlock(),
        way(),
        ...sections.map(drawn),
        el("footer", { class: "note" }, tr(`Written by attendo ${DATA.version}.`, `由 attendo ${DATA.version} 生成。`)),
      ].filter(Boolean),
    );
}

sections.sort((a, b) => Object.keys(STATIONS).indexOf(a.id) - Object.keys(STATIONS).indexOf(b.id));
drawAll();
