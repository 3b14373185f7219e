// What a hand changed: both translations side by side, the first step where they part, and how far each step moved.

import { differences } from "./differences.js";
import { el, fold, note, plainTable, scroller, tr } from "./elements.js";
import { erasedBlock } from "./erased_words.js";
import { handsInWords } from "./hand_words.js";
import { DATA, HANDS } from "./look.js";
import { show, showShare } from "./numbers.js";

const SAME = 1e-6; // nats: distributions that differ by less are the same, but for rounding

// The page of one sentence with the hands that were asked for.
export function handsBlock() {
  if (!DATA.comparison) return null;
  return el(
    "section",
    { id: "hands", class: "hands" },
    el("h2", {}, tr("Your change to the model", "你对模型的改动")),
    el(
      "p",
      {},
      handsInWords(HANDS).map((one) => el("span", { class: "hand" }, one.words)),
    ),
    comparisonBlock(),
  );
}

// In one line, for where the hand was laid on; null where there is none.
export function wasAndNow() {
  if (!DATA.comparison) return null;
  const [was, now] = [DATA.comparison.translation, DATA.translation];
  const quoted = (tag, text) => el(tag, { lang: DATA.languages[1], dir: "auto" }, text || "∅");
  return el(
    "span",
    { class: "was-and-now quiet" },
    was === now
      ? [tr("unchanged: ", "译文不变："), quoted("b", now)]
      : [tr("was: ", "原来："), quoted("span", was), tr(" → now: ", " → 现在："), quoted("b", now)],
    " ",
    el("a", { href: "#comparison" }, tr("compare", "查看对比")),
  );
}

// null where there is no hand
export function comparisonBlock() {
  const c = DATA.comparison;
  if (!c) return null;
  const most = Math.max(...c.steps.map(([, , divergence]) => divergence));
  return el(
    "div",
    { id: "comparison", class: "comparison" },
    el(
      "div",
      { class: "two" },
      oneTranslation(tr("before your change", "改动前"), c.translation, DATA.translation, "gone", c.score),
      oneTranslation(tr("with your change", "改动后"), DATA.translation, c.translation, "came", DATA.best.score),
    ),
    el("p", { class: "note parting" }, [partingWords(), ...forcedSentences(c)].join(tr(" ", ""))),
    most < SAME
      ? note(tr("No probability changed: only what was chosen.", "任何概率都没有变：变的只是选了哪个词元。"))
      : [
          movedChart(c, most),
          erasedBlock(),
          fold("fold-compared", tr("each piece before and after, in numbers", "每个词元改动前后的数值"), () =>
            comparedTable(c),
          ),
        ],
  );
}

function oneTranslation(name, text, other, mark, score) {
  const words = differences(text, other).map((one) =>
    one.differs && one.text.trim() ? el("mark", { class: mark }, one.text) : one.text,
  );
  return el(
    "div",
    { class: "one" },
    el("h3", {}, name, el("span", { class: "quiet" }, tr(`score ${show(score)}`, `得分 ${show(score)}`))),
    el("p", { class: mark, lang: DATA.languages[1], dir: "auto" }, text ? words : "∅"),
  );
}

// Where the translations part, in words; this is also what is said aloud.
export function partingWords() {
  const { parts_at: at, labels, touched_labels: touched } = DATA.comparison;
  if (at === null) return tr("The same pieces at every step.", "每一步的词元都相同。");
  const [before, after] = [labels[at] || "∅", touched[at] || "∅"];
  return tr(
    `They differ from step ${at + 1} on: “${before}” before, “${after}” with your change.`,
    `从第 ${at + 1} 步起不同：改动前是“${before}”，改动后是“${after}”。`,
  );
}

function forcedSentences(c) {
  return Object.entries(c.forced)
    .filter(([step]) => step <= c.chosen.length)
    .map(([step, id]) => {
      const [piece, p] = [DATA.pieces[id], showShare(Math.exp(c.chosen[step - 1]))];
      return tr(
        `Step ${step} was forced: to “${piece}” the model gives p = ${p}.`,
        `第 ${step} 步是指定的：模型给“${piece}”的概率是 p = ${p}。`,
      );
    });
}

// A column a step: the piece's probability before and after, and below how far the whole distribution moved.
function movedChart(c, most) {
  const scale = Math.max(1, most), // of less than a nat no tall bar is made
    at = c.steps.findIndex(([, , divergence]) => divergence === most);
  const name = tr("probability and KL of each step, before and after", "每一步改动前后的概率和 KL");
  const summary = tr(
    `To compare step by step, the model with your change reads the translation from before it. Its probabilities move most at step ${at + 1}, “${c.labels[at]}”: ${changeOf(c.steps[at])}. KL, in nats, says how far the probabilities of all pieces moved together; 0 is not at all.`,
    `为了逐步比较，让改动后的模型读改动前的译文。概率变化最大的是第 ${at + 1} 步“${c.labels[at]}”：${changeOf(c.steps[at])}。KL（单位 nat）衡量这一步所有词元的概率总共变了多少，0 表示完全没变。`,
  );
  const columns = c.labels.map((label, i) => {
    const [before, after, divergence] = c.steps[i];
    return el(
      "div",
      { class: i === c.parts_at ? "column parting-step" : "column", title: `${label}: ${changeOf(c.steps[i])}` },
      el("div", { class: "pair" }, upright("before", Math.exp(before)), upright("after", Math.exp(after))),
      el("div", { class: "label" }, label),
      el("div", { class: "moved" }, upright("divergence", divergence / scale)),
    );
  });
  return [
    el("p", { class: "note" }, summary),
    scroller(name, el("div", { class: "columns", role: "img", "aria-label": name }, columns)),
    el(
      "p",
      { class: "bar-key quiet" },
      keyOf("before", tr("p before", "改动前 p")),
      keyOf("after", tr("p with your change", "改动后 p")),
      keyOf("divergence", tr(`KL, the longest bar: ${show(most)} nats`, `KL，最长的条为 ${show(most)} nat`)),
    ),
  ];
}

function changeOf([before, after, divergence]) {
  return `p ${showShare(Math.exp(before))} → ${showShare(Math.exp(after))}, KL ${show(divergence)}`;
}

function upright(name, share) {
  const bar = el("span", { class: `upright ${name}` });
  bar.style.setProperty("--share", String(share));
  return bar;
}

function keyOf(name, words) {
  return el("span", {}, el("i", { class: `swatch ${name}` }), words);
}

function comparedTable(c) {
  const rows = c.labels.map((label, i) => {
    const [before, after, divergence] = c.steps[i];
    return el(
      "tr",
      { class: i === c.parts_at ? "parts" : null },
      el("td", { class: "quiet" }, String(i + 1)),
      el("th", { scope: "row" }, label),
      [before, after].map((one) => el("td", {}, showShare(Math.exp(one)))),
      el("td", {}, show(after - before)),
      el("td", {}, show(divergence)),
    );
  });
  const head = [
    "",
    tr("piece of the translation before", "改动前译文的词元"),
    tr("p before", "改动前 p"),
    tr("p after", "改动后 p"),
    "Δ log p",
    "KL",
  ];
  return plainTable(head, rows, { textColumns: [1] });
}
