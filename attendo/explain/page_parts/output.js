// Logits, softmax, the next piece.

import { stepChooser } from "./choosers.js";
import { el, fold, note, tr } from "./elements.js";
import { equation, temperature } from "./equations.js";
import { CONFIG, DATA, HANDS } from "./look.js";
import { onCells, unfoldHolder } from "./matrices.js";
import { show, showShare, sum } from "./numbers.js";
import { state } from "./state.js";

const BARS_SHOWN = 8;

export const outputStation = {
  id: "output",
  name: () => tr("next piece", "下一个词元"),
  title: () => tr("6 · Logits → softmax → the next piece", "6 · logits → softmax → 下一个词元"),
  depends: ["language", "step"],
  draw: () => {
    const one = DATA.steps[state.step],
      shares = one.logits.map((logit) => Math.exp(logit / temperature() - one.log_sum));
    return [
      note(
        tr(
          "The last vector is compared with the row of every piece of the vocabulary: a logit each. Softmax makes probabilities of them.",
          "把最后的向量与词表中每个词元的行做点积，各得一个 logit，再用 softmax 变成概率。",
        ),
      ),
      el("p", {}, equation("logits")),
      stepChooser(),
      el(
        "p",
        { class: "sofar" },
        el("span", { class: "quiet" }, tr("so far: ", "已写出：")),
        DATA.target.labels.slice(0, state.step).map((label) => el("span", { class: "piece" }, label)),
        el("b", { class: "piece new" }, DATA.target.labels[state.step]),
      ),
      bars(one, shares, 0, BARS_SHOWN),
      together(CONFIG.vocab_size - BARS_SHOWN, shares.slice(0, BARS_SHOWN)),
      unfoldHolder("output-bars"),
      one.rank > 1
        ? note(
            tr(
              `The piece that came is number ${one.rank} by probability: ${wasForced() ? "it was forced." : "beam search follows several beginnings, and the whole of this one scored better."}`,
              `选中的词元按概率排第 ${one.rank}：${wasForced() ? "它是被指定的。" : "束搜索同时保留几个候选，这一个整句得分更高。"}`,
            ),
          )
        : null,
      fold(
        "fold-logits",
        tr(`the ${one.ids.length} best, with their logits`, `前 ${one.ids.length} 名及其 logits`),
        () => [
          bars(one, shares, BARS_SHOWN, one.ids.length),
          together(CONFIG.vocab_size - one.ids.length, shares),
        ],
      ),
    ];
  },
};

// What is left to the pieces that are not shown.
function together(others, shown) {
  const rest = showShare(Math.max(0, 1 - sum(shown)));
  return note(
    tr(
      `The other ${others.toLocaleString("en")} pieces together: ${rest}`,
      `其余 ${others.toLocaleString("en")} 个词元合计：${rest}`,
    ),
  );
}

function wasForced() {
  return String(state.step + 1) in (HANDS.force || {});
}

function bars(one, shares, from, to) {
  const rows = one.ids.slice(from, to).map((id, at) => {
    const index = from + at,
      bar = el("span", { class: "bar" });
    bar.style.setProperty("--share", String(shares[index]));
    return el(
      "tr",
      { class: id === one.piece ? "chosen" : null },
      el("td", { class: "quiet" }, String(index + 1)),
      el("th", { scope: "row" }, DATA.pieces[id]),
      el(
        "td",
        {
          role: "button",
          tabindex: "0",
          "data-of": "output-bars",
          "data-cell": JSON.stringify(["logit", state.step, id]),
        },
        show(one.logits[index]),
      ),
      el(
        "td",
        {
          role: "button",
          tabindex: "0",
          "data-of": "output-bars",
          "data-cell": JSON.stringify(["probability", state.step, id]),
        },
        showShare(shares[index]),
      ),
      el("td", { class: "barcell" }, bar),
    );
  });
  const head = el(
    "tr",
    {},
    ["", tr("piece", "词元"), "logit", "p", ""].map((text) => el("th", {}, text)),
  );
  const table = el("table", { class: "bars-table" }, el("thead", {}, head), el("tbody", {}, rows));
  onCells(table, "output-bars");
  return el("div", { class: "scroll" }, table);
}
