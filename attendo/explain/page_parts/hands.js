// What a hand changed: both translations, the first step where they part, and each piece's probability before and after.

import { el, note, plainTable, tr } from "./elements.js";
import { DATA, HANDS } from "./look.js";
import { show, showShare } from "./numbers.js";

export function handsBlock() {
  const c = DATA.comparison;
  if (!c) return null;
  const parts = c.parts_at;
  const pieces = (labels) =>
    labels.map((label, i) => el("span", { class: parts !== null && i >= parts ? "piece parted" : "piece" }, label));
  const rows = c.labels.map((label, i) => {
    const [before, after, kl] = c.steps[i],
      cells = [Math.exp(before), Math.exp(after)].map((p) => {
        const cell = el("td", { class: "warm" }, showShare(p));
        cell.style.setProperty("--share", String(p));
        return cell;
      });
    return el(
      "tr",
      { class: i === parts ? "parts" : null },
      el("td", { class: "quiet" }, String(i + 1)),
      el("th", { scope: "row" }, label),
      cells,
      el("td", {}, show(after - before)),
      el("td", {}, show(kl)),
    );
  });
  const head = [
    "",
    tr("piece of the untouched translation", "改动前译文的词元"),
    tr("p without", "改动前 p"),
    tr("p with", "改动后 p"),
    "Δ log p",
    "KL",
  ];
  return el(
    "section",
    { id: "hands", class: "hands" },
    el("h2", {}, tr("A hand on the model", "动手改动模型")),
    el(
      "p",
      {},
      handWords().map((words) => el("span", { class: "hand" }, words)),
    ),
    el(
      "dl",
      { class: "sample" },
      el("dt", {}, tr("without", "改动前")),
      el("dd", {}, c.translation),
      el("dd", { class: "pieceline" }, pieces(c.labels)),
      el("dt", {}, tr("with the hand", "改动后")),
      el("dd", {}, DATA.translation),
      el("dd", { class: "pieceline" }, pieces(c.touched_labels)),
    ),
    note(
      parts === null
        ? tr("The same pieces at every step.", "每一步的词元都相同。")
        : tr(`They part at step ${parts + 1}.`, `从第 ${parts + 1} 步起不同。`),
      tr(" ", ""),
      tr(
        "Below, the touched model reads the untouched translation: how likely each piece still is, and how far the whole distribution moved (KL, in nats). All tensors further down are those with the hand.",
        "下表让改动后的模型读改动前的译文：每个词元的概率还剩多少，整个分布偏离多远（KL，单位 nat）。再往下的所有张量都是改动后的。",
      ),
    ),
    plainTable(head, rows),
  );
}

// The hands in words, layers and heads counted from 1.
function handWords() {
  const where = {
    encoder: tr("encoder", "编码器"),
    decoder: tr("decoder", "解码器"),
    cross: tr("cross-attention", "交叉注意力"),
  };
  return [
    ...(HANDS.heads_off || []).map(([w, l, h]) =>
      tr(`${where[w]}: layer ${l + 1}, head ${h + 1} off`, `${where[w]}：第 ${l + 1} 层第 ${h + 1} 个头关闭`),
    ),
    ...(HANDS.feed_forward_off || []).map(([w, l]) =>
      tr(`${where[w]}: feed-forward of layer ${l + 1} off`, `${where[w]}：第 ${l + 1} 层前馈层关闭`),
    ),
    ...(HANDS.erase || []).map((i) => tr(`erased: ${DATA.source.labels[i]}`, `擦去：${DATA.source.labels[i]}`)),
    ...Object.entries(HANDS.force || {}).map(([step, id]) =>
      tr(`step ${step} forced: ${DATA.pieces[id]}`, `第 ${step} 步指定：${DATA.pieces[id]}`),
    ),
    HANDS.causal_mask === false ? tr("causal mask off", "因果掩码关闭") : null,
    HANDS.positions === "off" ? tr("positions off", "位置编码关闭") : null,
    HANDS.positions === "shuffled"
      ? tr(`positions shuffled, seed ${HANDS.seed || 1}`, `位置打乱，随机种子 ${HANDS.seed || 1}`)
      : null,
    HANDS.scale === false ? tr("no 1/√d_k", "不除以 √d_k") : null,
    HANDS.temperature === undefined ? null : tr(`temperature ${HANDS.temperature}`, `温度 ${HANDS.temperature}`),
  ].filter(Boolean);
}
