// A switch for each head and each feed-forward layer: a row a layer, in the order in which data goes through it.

import { el, tr } from "/glass/elements.js";
import { isFeedForwardOff, isHeadSwitchedOff, toggleFeedForward, toggleHead } from "/glass/hand_changes.js";
import { CONFIG } from "/glass/look.js";

export function stackSwitches(stack, act) {
  const isEncoder = stack === "encoder",
    attentions = isEncoder ? ["encoder"] : ["decoder", "cross"];
  const names = [
    ...(isEncoder
      ? [tr("self-attention", "自注意力")]
      : [tr("self-attention", "自注意力"), tr("cross-attention", "交叉注意力")]),
    tr("feed-forward", "前馈层"),
  ];
  const rows = Array.from({ length: CONFIG[`${stack}_layers`] }, (_, layer) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, tr(`layer ${layer + 1}`, `第 ${layer + 1} 层`)),
      attentions.map((where, at) => el("td", {}, heads(where, names[at], layer, act))),
      el("td", {}, feedForward(stack, layer, act)),
    ),
  );
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "switches" },
      el("caption", {}, isEncoder ? tr("encoder", "编码器") : tr("decoder", "解码器")),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td", {}),
          names.map((name) => el("th", { scope: "col" }, name)),
        ),
      ),
      el("tbody", {}, rows),
    ),
  );
}

function heads(where, name, layer, act) {
  return Array.from({ length: CONFIG.num_heads }, (_, head) =>
    toggle(
      String(head + 1),
      tr(
        `off: ${name}, layer ${layer + 1}, head ${head + 1}`,
        `关闭：${name}，第 ${layer + 1} 层，第 ${head + 1} 个头`,
      ),
      isHeadSwitchedOff(where, layer, head),
      () => act(toggleHead(where, layer, head)),
    ),
  );
}

function feedForward(stack, layer, act) {
  const [of, ofInChinese] = stack === "encoder" ? ["encoder", "编码器"] : ["decoder", "解码器"];
  return toggle(
    "FFN",
    tr(`off: feed-forward of the ${of}, layer ${layer + 1}`, `关闭：${ofInChinese}的前馈层，第 ${layer + 1} 层`),
    isFeedForwardOff(stack, layer),
    () => act(toggleFeedForward(stack, layer)),
  );
}

function toggle(text, label, isOff, onclick) {
  return el(
    "button",
    { type: "button", class: "switch", "aria-pressed": String(isOff), "aria-label": label, title: label, onclick },
    text,
  );
}
