// The feed-forward part of a layer: every position alone.

import { normFold } from "./add_and_norm.js";
import { code, el, note, tr } from "./elements.js";
import { equation } from "./equations.js";
import { CONFIG } from "./look.js";
import { tensor } from "./tensors.js";
import { tensorFold } from "./vectors.js";

export function feedForwardBlock(part, whole, title) {
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
