// The feed-forward part of a layer: every position alone.

import { normFold } from "./add_and_norm.js";
import { codeFold } from "./code_beside.js";
import { code, el, fold, nameAndShape, note, tr } from "./elements.js";
import { equation } from "./equations.js";
import { handButton } from "./hand_button.js";
import { isFeedForwardOff, toggleFeedForward } from "./hand_changes.js";
import { CONFIG } from "./look.js";
import { tensor } from "./tensors.js";
import { stripes, tensorFold } from "./vectors.js";

export function feedForwardBlock(part, whole, title) {
  const place = part.replace(/\./g, "-");
  const hidden = { ...whole, name: `${part}.hidden`, cell: (i, k) => ["hidden", part, i, k] };
  const active = tensor(`${part}.hidden`)
    .row(whole.chosen)
    .filter((one) => one > 0).length;
  return el(
    "div",
    { class: "block", id: place },
    el("h3", {}, title, " ", el("span", { class: "quiet" }, code(part))),
    note(
      tr(
        `Every position alone, blind to the others: ${CONFIG.d_model} numbers become ${CONFIG.d_ff} and ${CONFIG.d_model} again. Of ${CONFIG.d_ff} hidden numbers ${active} are above 0 for `,
        `每个位置各算各的，互不相看：${CONFIG.d_model} 个数变成 ${CONFIG.d_ff} 个，再变回 ${CONFIG.d_model} 个。${CONFIG.d_ff} 个隐藏单元中有 ${active} 个大于 0，这里看的是 `,
      ),
      el("b", {}, whole.labels[whole.chosen]),
      tr(".", "。"),
    ),
    el("p", { class: "formula" }, equation("feedForward"), innerShapes()),
    el("h4", {}, tr("the hidden numbers", "隐藏单元"), " ", nameAndShape(hidden.name, tensor(hidden.name).shape)),
    stripes(hidden),
    el("div", { class: "row" }, offHand(part)),
    fold(
      `fold-${place}-tensors`,
      [
        el("b", {}, tr("every tensor on the way", "途经的每个张量")),
        " ",
        el("span", { class: "quiet" }, tr("norm, inner, hidden, out, add", "归一化、内层、激活、输出、残差")),
      ],
      () => feedForwardFolds(part, whole, hidden),
    ),
    codeFold(place, "feed_forward", "add_and_norm", CONFIG.norm === "layer" ? "norms" : "rms_norm"),
  );
}

function innerShapes() {
  const [d, inner] = [CONFIG.d_model, CONFIG.d_ff];
  return el("span", { class: "shape" }, `[n, ${d}] → [n, ${inner}] → [n, ${d}]`);
}

function offHand(part) {
  const [stack, layer] = part.split(".");
  return handButton({
    isOn: isFeedForwardOff(stack, Number(layer)),
    lay: tr("switch this part off", "关掉这个前馈层"),
    lift: tr("switch it on again", "重新打开"),
    hands: () => toggleFeedForward(stack, Number(layer)),
    option: `--feed-forward-off ${stack}:${Number(layer) + 1}`,
  });
}

// In the order in which they are computed.
function feedForwardFolds(part, whole, hidden) {
  const product = (name) => (i, k) => ["product", `${part}.${name}`, null, i, k];
  const gated = CONFIG.activation === "swiglu";
  return [
    normFold(part, whole, true),
    gated ? tensorFold({ ...whole, name: `${part}.gate`, cell: product("gate") }, "x W_gate") : null,
    gated ? tensorFold({ ...whole, name: `${part}.up`, cell: product("up") }, "x W_up") : null,
    gated ? null : tensorFold({ ...whole, name: `${part}.inner`, cell: product("inner") }, "x W₁ + b₁"),
    tensorFold(hidden, tr("activation", "激活函数")),
    tensorFold({ ...whole, name: `${part}.out`, cell: product("out") }, tr("back to d_model", "变回 d_model 维")),
    tensorFold(
      { ...whole, name: `${part}.add`, cell: (i, k) => ["add", part, i, k] },
      tr("add", "残差相加"),
      equation("add"),
    ),
    normFold(part, whole, false),
  ];
}
