// The page of `attendo explain`: a head, a way through the stations, and the stations.

import { chooser, el, note, tr } from "./elements.js";
import { embeddedNumbers } from "./embedded.js";
import { handsBlock } from "./hands.js";
import { CONFIG, DATA, take } from "./look.js";
import { show } from "./numbers.js";
import { drawn, setStations, state } from "./state.js";
import { STATIONS } from "./stations.js";

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
    STATIONS.map((one) => el("a", { href: `#${one.id}` }, one.name())),
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
        ...STATIONS.map(drawn),
        el("footer", { class: "note" }, tr(`Written by attendo ${DATA.version}.`, `由 attendo ${DATA.version} 生成。`)),
      ].filter(Boolean),
    );
}

const data = JSON.parse(document.getElementById("data").textContent);
state.language = data.language;
Object.assign(state, { position: data.view.position, layer: data.view.layer, step: data.view.step });
state.decoderLayer = data.view.layer;
setStations(STATIONS);
take(data, embeddedNumbers(data));
drawAll();
