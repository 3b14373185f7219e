// Logits, softmax, the next piece: the candidates, what was chosen, and how it is fed back.

import { el, fold, note, tr } from "./elements.js";
import { equation, temperature } from "./equations.js";
import { continueWith, forcedLine, isForced, ownWord } from "./forcing.js";
import { CONFIG, DATA, lookWith } from "./look.js";
import { onCells, unfoldHolder } from "./matrices.js";
import { show, showShare, sum } from "./numbers.js";
import { saveButtons } from "./saving.js";
import { set, state } from "./state.js";
import { stepBar } from "./step_bar.js";

const BARS_SHOWN = 8;
const STEPS_BEFORE = 4; // of the steps whose pieces were fed back

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
      stepBar(),
      forcedLine(),
      note(chosenWords(one)),
      bars(one, shares, 0, BARS_SHOWN),
      el(
        "div",
        { class: "row bars-foot" },
        together(CONFIG.vocab_size - BARS_SHOWN, shares.slice(0, BARS_SHOWN)),
        saveButtons(() => document.querySelector("#output .bars-table"), "candidates"),
      ),
      ownWord(),
      unfoldHolder("output-bars"),
      fold(
        "fold-logits",
        lookWith
          ? tr(`the ${one.ids.length} best, to say one of them instead`, `前 ${one.ids.length} 名，可任选其一`)
          : tr(`the ${one.ids.length} best, with their logits`, `前 ${one.ids.length} 名及其 logits`),
        () => furtherCandidates(one, shares),
      ),
      fedBack(),
    ];
  },
};

// What was chosen, in one sentence.
function chosenWords(one) {
  const piece = el("b", { class: "piece new" }, DATA.target.labels[state.step]),
    p = showShare(Math.exp(one.log_prob));
  const why =
    one.rank === 1
      ? ""
      : isForced(state.step)
        ? tr(` It is number ${one.rank} by probability: it was forced.`, `按概率排第 ${one.rank}：它是被指定的。`)
        : tr(
            ` It is number ${one.rank} by probability: beam search follows several beginnings, and the whole of this one scored better.`,
            `按概率排第 ${one.rank}：束搜索同时保留几个候选，这一个整句得分更高。`,
          );
  return [
    tr(`Step ${state.step + 1} writes `, `第 ${state.step + 1} 步写出 `),
    piece,
    tr(` with p = ${p}.`, `，p = ${p}。`),
    why,
  ];
}

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

function furtherCandidates(one, shares) {
  const table = bars(one, shares, 0, one.ids.length);
  const narrow = (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    for (const row of table.querySelectorAll("tbody tr")) {
      row.hidden = !row.dataset.piece.toLowerCase().replace(/␣/g, " ").includes(wanted);
    }
  };
  return [
    el(
      "label",
      { class: "candidate-filter" },
      tr("only those with ", "只看含有 "),
      el("input", { type: "search", oninput: narrow, autocomplete: "off", spellcheck: "false" }),
    ),
    table,
    together(CONFIG.vocab_size - one.ids.length, shares),
  ];
}

function bars(one, shares, from, to) {
  const rows = one.ids.slice(from, to).map((id, at) => candidateRow(one, shares[from + at], from + at, id));
  const head = el(
    "tr",
    {},
    ["", tr("piece", "词元"), "logit", "p", "", ""].map((text) => el(text ? "th" : "td", {}, text)),
  );
  const table = el("table", { class: "bars-table" }, el("thead", {}, head), el("tbody", {}, rows));
  onCells(table, "output-bars");
  return el("div", { class: "scroll" }, table);
}

function candidateRow(one, share, index, id) {
  const isChosen = id === one.piece;
  const number = (kind, text) =>
    el(
      "td",
      {
        role: "button",
        tabindex: "0",
        "data-of": "output-bars",
        "data-cell": JSON.stringify([kind, state.step, id]),
      },
      text,
    );
  const row = el(
    "tr",
    { class: isChosen ? "chosen" : null, "data-piece": DATA.pieces[id] },
    el("td", { class: "quiet" }, String(index + 1)),
    el("th", { scope: "row" }, DATA.pieces[id]),
    number("logit", show(one.logits[index])),
    number("probability", showShare(share)),
    el("td", { class: "barcell" }, el("span", { class: "bar" })),
    el("td", { class: "instead" }, isChosen ? chosenMark() : sayInstead(id)),
  );
  row.style.setProperty("--share", String(share)); // narrow screens draw the bar behind the row
  return row;
}

function chosenMark() {
  return el(
    "span",
    { class: "chosen-mark" },
    isForced(state.step) ? tr("✓ forced", "✓ 指定") : tr("✓ chosen", "✓ 选中"),
  );
}

// Null where nobody can translate anew.
function sayInstead(id) {
  if (!lookWith) return null;
  const label = DATA.pieces[id];
  return el(
    "button",
    {
      type: "button",
      "data-say": String(id),
      "aria-label": tr(`say ${label} instead`, `改写成 ${label}`),
      onclick: () => continueWith([...DATA.target.ids.slice(0, state.step), id]),
    },
    el("span", { class: "sign", "aria-hidden": "true" }, "↪"),
    el("span", { class: "words" }, tr(" say this", " 改用这个")),
  );
}

// What each step read and wrote: what one wrote, the next reads.
function fedBack() {
  const from = Math.max(0, state.step - STEPS_BEFORE),
    steps = DATA.target.labels.map((_, step) => step).slice(from, state.step + 2),
    isLast = state.step + 1 === DATA.steps.length;
  const cells = (name, words, labels) =>
    el(
      "tr",
      { class: name },
      el("th", { scope: "row" }, words),
      steps.map((step) => el("td", { class: whenOf(step) }, el("span", { class: "piece" }, labels(step)))),
    );
  const piece = DATA.target.labels[state.step];
  return [
    el("h3", {}, tr("Fed back", "反馈为下一步的输入")),
    note(
      isLast
        ? tr(`${piece} is the last piece: nothing reads it any more.`, `${piece} 是最后一个词元：不再有谁读它。`)
        : tr(
            `What is written goes back in: ${piece} is what step ${state.step + 2} reads.`,
            `写出的词元又送回解码器：第 ${state.step + 2} 步读入的就是 ${piece}。`,
          ),
    ),
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { class: "fed-back" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("td", {}),
            steps.map((step) => el("th", { scope: "col", class: whenOf(step) }, stepLink(step))),
          ),
        ),
        el(
          "tbody",
          {},
          cells("reads", tr("reads", "读入"), (step) => DATA.target_in.labels[step]),
          cells("writes", tr("writes", "写出"), (step) => (step > state.step ? "?" : DATA.target.labels[step])),
        ),
      ),
    ),
  ];
}

const whenOf = (step) => (step === state.step ? "now" : step > state.step ? "next-read" : null);

function stepLink(step) {
  const words = tr(`step ${step + 1}`, `第 ${step + 1} 步`);
  return el(
    "button",
    { type: "button", "aria-current": step === state.step ? "step" : null, onclick: () => set({ step }) },
    words,
  );
}
