// At the top of the glass: the sentence and its translation, the model that is looked into, and what is remarked.

import { el, tr } from "/glass/elements.js";
import { CONFIG, DATA } from "/glass/look.js";
import { show } from "/glass/numbers.js";
import { byId } from "./elements.js";
import { onLooked } from "./looking.js";
import { number, settings } from "./settings.js";

function facts() {
  return [
    [tr("model", "模型"), DATA.model],
    [tr("layers", "层"), `${CONFIG.encoder_layers} + ${CONFIG.decoder_layers}`],
    ["d_model", CONFIG.d_model],
    [tr("heads × d_k", "头 × d_k"), `${CONFIG.num_heads} × ${CONFIG.d_k}`],
    ["d_ff", CONFIG.d_ff],
    [tr("parameters", "参数量"), number(DATA.parameters)],
    [tr("beam", "束宽"), DATA.beam],
    [tr("log-probability", "对数概率"), show(DATA.best.log_prob)],
  ];
}

export function drawHead() {
  if (!DATA) return;
  const [source, target] = DATA.languages;
  byId("shown").replaceChildren(
    el(
      "p",
      { class: "shown" },
      el("b", { lang: source, dir: "auto" }, DATA.text),
      el("span", { class: "arrow", "aria-label": tr("becomes", "译为") }, "→"),
      el("b", { lang: target, dir: "auto" }, DATA.translation),
    ),
    el(
      "p",
      { class: "glass-facts" },
      facts().map(([name, value]) => el("span", {}, `${name} `, el("b", {}, String(value)))),
    ),
    ...DATA.remarks.map((remark) => el("p", { class: "glass-remarks" }, remark[settings.language])),
  );
}

export function startHead() {
  onLooked(drawHead);
}
