// All heads of a layer as small maps, and every layer and head as tiny ones, to see at once where something happens.

import { isHeadOff } from "./arithmetic.js";
import { chooseHead } from "./attention_views.js";
import { el, patient, tr } from "./elements.js";
import { heatMap, paintedMap } from "./heat_map.js";
import { lookingOf } from "./joined.js";
import { CONFIG } from "./look.js";
import { unfoldHolder } from "./matrices.js";
import { headOf } from "./state.js";
import { sharpestHead } from "./tensors.js";

export function headsOfLayer(of, place) {
  const chosen = headOf(of.part);
  const heads = Array.from({ length: CONFIG.num_heads }, (_, h) => {
    const looking = { ...lookingOf({ ...of, place: `${place}-heads` }, h), choose: null };
    const map = heatMap(looking, headName(h));
    map.classList.add("small");
    map.tabIndex = 0; // on a small screen it is scrolled, by the keyboard, too
    return el("figure", {}, el("figcaption", {}, headButton(of.part, h, chosen)), map);
  });
  return [el("div", { class: "maps" }, heads), unfoldHolder(`${place}-heads`)];
}

function headName(head) {
  return tr(`head ${head + 1}`, `第 ${head + 1} 个头`);
}

function headButton(part, head, chosen) {
  return el(
    "button",
    {
      type: "button",
      class: "plain-button",
      "aria-pressed": String(head === chosen),
      onclick: () => chooseHead(part, head),
    },
    headName(head),
    head === sharpestHead(part) ? " ★" : "",
    isHeadOff(part, head) ? " ✕" : "",
  );
}

// Rows are layers, columns heads; each layer is drawn when its numbers are there.
export function everyLayerAndHead(of, chosenHead) {
  const [stack, chosenLayer, name] = of.part.split(".");
  const layers = Array.from({ length: CONFIG[`${stack}_layers`] }, (_, layer) => {
    const part = `${stack}.${layer}.${name}`;
    const tiny = (head) => {
      const isHere = layer === Number(chosenLayer) && head === chosenHead;
      const label = tr(`layer ${layer + 1}, head ${head + 1}`, `第 ${layer + 1} 层第 ${head + 1} 个头`);
      return el(
        "button",
        {
          type: "button",
          class: "tiny",
          "aria-pressed": String(isHere),
          title: label,
          "aria-label": label,
          onclick: () => goTo(part, layer, head),
        },
        paintedMap(lookingOf({ ...of, part, place: null }, head), { "aria-hidden": "true" }),
        head === sharpestHead(part) ? el("span", { class: "star", "aria-hidden": "true" }, "★") : null,
      );
    };
    return el(
      "div",
      { class: "tiny-layer" },
      el("span", { class: "quiet" }, tr(`layer ${layer + 1}`, `第 ${layer + 1} 层`)),
      patient(() => Array.from({ length: CONFIG.num_heads }, (_, head) => tiny(head))),
    );
  });
  return el("div", { class: "every-head" }, layers);
}

function goTo(part, layer, head) {
  chooseHead(part, head, part.startsWith("encoder") ? { layer } : { decoderLayer: layer });
}
