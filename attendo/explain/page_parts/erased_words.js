// Erased words: of each target word how much of its probability went, beside what attention had said of it.

import { el, fold, note, plainTable, scroller, tr } from "./elements.js";
import { wordLabel } from "./joined.js";
import { DATA, HANDS } from "./look.js";
import { show, showShare, sum } from "./numbers.js";

const MOST_ROWS = 12; // of a long sentence the words that it matters most to; all are in the table
const TELLS = 0.1; // what neither attention nor the probability gives so much is no case of agreement
const ALIKE = 0.25; // shares that differ by less tell the same

// null where no word is erased
export function erasedBlock() {
  const c = DATA.comparison;
  if (!c || !c.looked) return null;
  const words = c.words.map((range) => targetWord(c, range)),
    shown = mostTouched(words),
    title = tr("What attention had said, and what happened", "注意力说的，和实际发生的");
  return el(
    "div",
    { class: "erased-words" },
    el("h3", {}, title),
    note(
      tr(
        `While the model wrote each word of the translation before your change, this share of its look at the source (cross-attention, the mean of heads and layers) went to ${erasedText()}; and this much of the word's probability is lost without it.`,
        `改动前译文的每个词看源句时（交叉注意力，各头各层取平均），有多少落在${erasedText()}上；擦去之后，这个词的概率又失去了多少。`,
      ),
      otherHands()
        ? tr(
            " Your other changes are on, too: what they do is in these numbers.",
            "其他改动也同时生效，它们的影响也在其中。",
          )
        : null,
      shown.length < words.length
        ? tr(` Shown are the ${MOST_ROWS} words with most of either.`, `这里列出其中最明显的 ${MOST_ROWS} 个词。`)
        : null,
    ),
    scroller(
      title,
      el(
        "table",
        { class: "plain beside" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            [tr("word", "词"), tr("attention had given", "注意力给了"), tr("probability lost", "失去的概率")].map(
              (text) => el("th", { scope: "col" }, text),
            ),
          ),
        ),
        el("tbody", {}, shown.map(besideRow)),
      ),
    ),
    el("p", { class: "note agreement" }, agreementWords(words)),
    fold("fold-looked", tr("every word, by layers, in numbers", "每个词按层列出的数值"), () => lookedTable(c, words)),
  );
}

// {word, layers: what went to the erased in each, looked: their mean, before, after: log p, lost: a share}
function targetWord(c, [from, to]) {
  const layers = c.looked.map((layer) => sum(layer.slice(from, to)) / (to - from)),
    steps = c.steps.slice(from, to),
    before = sum(steps.map((one) => one[0])),
    after = sum(steps.map((one) => one[1]));
  return {
    word: wordLabel(c.labels, [from, to]),
    layers,
    looked: sum(layers) / layers.length,
    before,
    after,
    lost: Math.max(0, 1 - Math.exp(after - before)),
  };
}

// In their order.
function mostTouched(words) {
  const weight = (one) => Math.max(one.looked, one.lost),
    ranked = [...words].sort((a, b) => weight(b) - weight(a)).slice(0, MOST_ROWS);
  return words.filter((one) => ranked.includes(one));
}

function erasedText() {
  const erased = DATA.words.source.filter(([from, to]) => HANDS.erase.some((one) => from <= one && one < to));
  return erased.map((range) => `“${wordLabel(DATA.source.labels, range)}”`).join(tr(", ", ""));
}

function otherHands() {
  return Object.keys(HANDS).some((name) => name !== "erase");
}

function besideRow(one) {
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, one.word),
    barCell("looked", one.looked, percent(one.looked)),
    barCell(
      "lost",
      one.lost,
      one.after > one.before ? tr("none, it rose", "没有，反而上升") : percent(one.lost),
      `p ${showShare(Math.exp(one.before))} → ${showShare(Math.exp(one.after))}`,
    ),
  );
}

function barCell(name, share, text, quiet = null) {
  const bar = el("span", { class: `bar ${name}` });
  bar.style.setProperty("--share", String(share));
  return el("td", {}, bar, el("span", { class: "amount" }, text), quiet && el("span", { class: "quiet" }, quiet));
}

// Where both agree best and where they disagree most, by the numbers.
function agreementWords(words) {
  const gap = (one) => Math.abs(one.lost - one.looked);
  const least = (list) => list.reduce((best, one) => (gap(one) < gap(best) ? one : best));
  const telling = words.filter((one) => Math.max(one.lost, one.looked) >= TELLS);
  if (!telling.length) {
    return tr(
      "Attention hardly looked there, and hardly anything changed: both say that it does not matter here.",
      "注意力几乎没有看那里，结果也几乎没有变：两者都说它在这里不重要。",
    );
  }
  const agreed = least(telling),
    parted = telling.reduce((worst, one) => (gap(one) > gap(worst) ? one : worst));
  const said = (one) =>
    tr(
      `“${one.word}” (attention ${percent(one.looked)}, probability lost ${percent(one.lost)})`,
      `“${one.word}”（注意力 ${percent(one.looked)}，失去的概率 ${percent(one.lost)}）`,
    );
  if (gap(parted) < ALIKE) {
    return tr(
      `Here both tell the same: even at ${said(parted)} they are not far apart.`,
      `这里两者说的一样：差得最多的 ${said(parted)} 也相去不远。`,
    );
  }
  const why =
    parted.lost > parted.looked
      ? tr(
          "it was needed more than it was looked at; what it says also comes by other ways, through other positions of the encoder and earlier steps of the decoder.",
          "需要它的程度超过看它的程度；它的内容也会走别的路，经过编码器的其他位置和解码器前面的步。",
        )
      : tr(
          "it was looked at more than it was needed; what it says is known from elsewhere, too.",
          "看它的程度超过需要它的程度；它的内容从别处也能知道。",
        );
  const best = gap(agreed) < ALIKE ? tr(` They agree best on ${said(agreed)}.`, `最一致的是${said(agreed)}。`) : "";
  return tr(
    `${pointing(words)}${best} They disagree most on ${said(parted)}: ${why} Attention is not the whole explanation.`,
    `${pointing(words)}${best}分歧最大的是${said(parted)}：${why}注意力不是全部的解释。`,
  );
}

// Which word each of them names first.
function pointing(words) {
  const [seen, hurt] = ["looked", "lost"].map(
    (what) => words.reduce((most, one) => (one[what] > most[what] ? one : most)).word,
  );
  return seen === hurt
    ? tr(`Both point to “${seen}” first.`, `两者首先指向的都是“${seen}”。`)
    : tr(
        `Attention points to “${seen}” first, what happened to “${hurt}”.`,
        `注意力首先指向“${seen}”，实际受影响最大的却是“${hurt}”。`,
      );
}

function percent(share) {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function lookedTable(c, words) {
  const head = [
    tr("word", "词"),
    ...c.looked.map((_, layer) => tr(`layer ${layer + 1}`, `第 ${layer + 1} 层`)),
    tr("mean", "平均"),
    tr("p before", "改动前 p"),
    tr("p after", "改动后 p"),
    "Δ log p",
  ];
  const rows = words.map((one) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, one.word),
      [...one.layers, one.looked, Math.exp(one.before), Math.exp(one.after)].map((share) =>
        el("td", {}, showShare(share)),
      ),
      el("td", {}, show(one.after - one.before)),
    ),
  );
  return plainTable(head, rows, { textColumns: [0] });
}
