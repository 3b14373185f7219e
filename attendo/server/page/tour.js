// The tour: a card that goes along with the reader from stop to stop. At each a guess comes first, then the number.

import { chooser, el, tr } from "/glass/elements.js";
import { CONFIG, DATA, Pending } from "/glass/look.js";
import { show } from "/glass/numbers.js";
import { byId } from "./elements.js";
import { look, onLooked, request } from "./looking.js";
import { goTo } from "./machine.js";
import { STOPS } from "./tour_stops.js";

const CLOSE = 0.1; // of the right number: as near as a guess need be
const MOST_CHOICES_OF_A_ROW = 16;

// guesses: by stop, {guess, answer, good}; before: the hands as they were before a stop laid one on
const tour = { at: null, guesses: [], before: null, opened: null, claims: null, isFolded: false };

export const isOnTour = () => tour.at !== null;

export async function startTour() {
  if (!DATA) return;
  tour.claims = tour.claims || (await (await fetch("/page/claims.json", { credentials: "omit" })).json());
  if (tour.guesses.length === STOPS.length) tour.guesses = [];
  await goToStop(Math.min(tour.guesses.length, STOPS.length - 1));
}

async function leave() {
  await takeHandOff();
  tour.at = null;
  drawTour();
  document.querySelector(".tour-start").focus();
}

async function goToStop(at) {
  await takeHandOff();
  tour.at = at;
  tour.opened = null;
  tour.isFolded = false;
  const stop = STOPS[at];
  await inTime(() => stop.enter && stop.enter());
  drawTour();
  goTo(stop.station, stop.block && stop.block());
  byId("tour").querySelector("h3").focus({ preventScroll: true });
}

async function takeHandOff() {
  if (!tour.before) return;
  const hands = tour.before;
  tour.before = null;
  await look({ hands });
}

// What needs numbers that are on their way is done when they have come.
async function inTime(work) {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Pending)) throw error;
      await error.promise;
    }
  }
}

async function guess(value) {
  const stop = STOPS[tour.at],
    hand = stop.hand && stop.hand();
  const at = tour.at;
  if (hand) {
    tour.before = request.hands;
    await look({ hands: { ...request.hands, ...hand } });
  }
  const answer = await inTime(stop.answer);
  if (tour.at !== at) return;
  tour.guesses[at] = { guess: value, answer, good: verdict(stop, value, answer).good };
  drawTour();
  byId("tour").querySelector(".tour-answer").focus({ preventScroll: true });
}

// --- the card

export function drawTour() {
  const holder = byId("tour");
  document.documentElement.classList.toggle("on-tour", isOnTour());
  const isOpen = !isOnTour() || STOPS[tour.at].hand || tour.guesses[tour.at];
  byId("stations").dataset.guess = isOpen ? "" : STOPS[tour.at].station;
  if (!isOnTour()) return holder.replaceChildren();
  try {
    holder.replaceChildren(card(STOPS[tour.at], tour.at));
  } catch (error) {
    if (!(error instanceof Pending)) throw error;
    error.promise.then(drawTour, () => {});
  }
  return undefined;
}

function card(stop, at) {
  const done = tour.guesses[at];
  return el(
    "section",
    {
      class: tour.isFolded ? "tour-card folded" : "tour-card",
      "aria-label": tr("The tour", "导览"),
      "data-stop": at + 1,
      onkeydown: keys,
    },
    el(
      "div",
      { class: "tour-head" },
      el(
        "span",
        { class: "tour-number" },
        tr(`Stop ${at + 1} of ${STOPS.length}`, `第 ${at + 1} 站，共 ${STOPS.length} 站`),
      ),
      dots(),
      small(
        tour.isFolded ? "▴" : "▾",
        tour.isFolded ? tr("unfold the card", "展开") : tr("fold the card", "收起"),
        () => {
          tour.isFolded = !tour.isFolded;
          drawTour();
        },
      ),
      small("✕", tr("leave the tour", "离开导览"), leave),
    ),
    el("h3", { tabindex: "-1" }, stop.says()),
    el("div", { class: "tour-body" }, done ? answered(stop, done, at) : question(stop)),
    tour.opened ? record(tour.opened, stop) : null,
    el("div", { class: "tour-foot" }, back(at), links(stop), forward(at)),
  );
}

const small = (sign, name, action) =>
  el("button", { type: "button", class: "tour-small", "aria-label": name, title: name, onclick: action }, sign);

function dots() {
  return el(
    "span",
    { class: "tour-dots" },
    STOPS.map((_, at) => {
      const name = tr(`stop ${at + 1}`, `第 ${at + 1} 站`);
      const kind = at === tour.at ? "now" : tour.guesses[at] ? "done" : null;
      return el("button", {
        type: "button",
        class: kind,
        "aria-label": name,
        title: name,
        "aria-current": at === tour.at ? "step" : null,
        onclick: () => goToStop(at),
      });
    }),
  );
}

function keys(event) {
  if (event.key === "Escape") leave();
  if (event.target.localName === "input") return;
  if (event.key === "ArrowRight" && tour.at < STOPS.length - 1) goToStop(tour.at + 1);
  if (event.key === "ArrowLeft" && tour.at > 0) goToStop(tour.at - 1);
}

function back(at) {
  return el(
    "button",
    { type: "button", class: "tour-back", disabled: at === 0, onclick: () => goToStop(at - 1) },
    tr("Back", "上一站"),
  );
}

function forward(at) {
  const isLast = at === STOPS.length - 1;
  const words = isLast ? tr("Finish", "结束") : tr("Next", "下一站");
  const kind = tour.guesses[at] ? "tour-next ready" : "tour-next";
  return el("button", { type: "button", class: kind, onclick: () => (isLast ? leave() : goToStop(at + 1)) }, words);
}

// --- guessing

function question(stop) {
  return [
    el("p", { class: "tour-asks", id: "tour-asks" }, stop.asks()),
    el(
      "div",
      { class: "row" },
      stop.choices ? choiceOf(stop) : numberOf(stop),
      el(
        "button",
        { type: "button", class: "tour-link", onclick: () => guess(null) },
        tr("just show it", "直接看答案"),
      ),
    ),
  ];
}

function choiceOf(stop) {
  const choices = stop.choices().slice(0, MOST_CHOICES_OF_A_ROW);
  return chooser(
    "",
    choices.map((one) => ({ label: one.label })),
    -1,
    (index) => guess(choices[index].value),
  );
}

function numberOf(stop) {
  const input = el("input", {
    type: "number",
    min: stop.least(),
    max: stop.most(),
    step: "any",
    required: true,
    inputmode: "decimal",
    "aria-labelledby": "tour-asks",
  });
  const send = (event) => {
    event.preventDefault();
    if (input.value !== "") guess(Number(input.value));
  };
  return el(
    "form",
    { class: "tour-guess", onsubmit: send },
    input,
    el("button", { type: "submit" }, tr("That is my guess", "就猜这个")),
  );
}

function answered(stop, { guess: said, answer }) {
  const { good, words: judged } = verdict(stop, said, answer);
  return [
    el(
      "p",
      { class: "tour-answer", role: "status", tabindex: "-1" },
      el("b", { class: good ? "same" : null }, judged),
      " ",
      el("span", {}, stop.tells(answer)),
    ),
    el("p", { class: "tour-todo" }, el("span", { "aria-hidden": "true" }, "☞ "), stop.todo()),
    tour.at === STOPS.length - 1 ? el("p", { class: "quiet" }, summary()) : null,
  ];
}

// Of a number how far off the guess was; of a choice whether it was right.
function verdict(stop, said, answer) {
  if (said === null) return { good: false, words: "" };
  if (stop.choices) {
    const label = stop.choices().find((one) => one.value === said);
    const good = said === answer;
    return {
      good,
      words: good
        ? tr("Right.", "对了。")
        : tr(`You said ${label ? label.label : said}.`, `你选的是 ${label ? label.label : said}。`),
    };
  }
  const off = Math.abs(said - answer),
    good = off <= CLOSE * Math.max(Math.abs(answer), 1e-9);
  if (off < 0.005 * Math.max(1, Math.abs(answer))) return { good: true, words: tr("Exactly.", "完全正确。") };
  return { good, words: tr(`You said ${said}: off by ${show(off)}.`, `你猜 ${said}，差 ${show(off)}。`) };
}

function summary() {
  const guessed = tour.guesses.filter((one) => one && one.guess !== null);
  return tr(
    `${guessed.filter((one) => one.good).length} of your ${guessed.length} guesses were right or within 10 %.`,
    `你猜了 ${guessed.length} 次，其中 ${guessed.filter((one) => one.good).length} 次正确或误差在 10% 以内。`,
  );
}

// --- what stands behind a stop: a claim of the lab, one of the ten steps

function links(stop) {
  const button = (kind, words) =>
    el(
      "button",
      {
        type: "button",
        class: "tour-link",
        "aria-expanded": String(tour.opened === kind),
        onclick: () => {
          tour.opened = tour.opened === kind ? null : kind;
          drawTour();
        },
      },
      words,
    );
  return el(
    "span",
    { class: "tour-links" },
    button("claim", tr(`Lab ${stop.claim}`, `实验 ${stop.claim}`)),
    button("step", tr(`Step ${stop.lesson} of ten`, `十步之 ${stop.lesson}`)),
  );
}

function record(kind, stop) {
  const language = tr("en", "zh");
  if (kind === "step") {
    const step = tour.claims.steps[stop.lesson][language];
    return el(
      "div",
      { class: "tour-record" },
      el("p", {}, el("b", {}, step.title)),
      el(
        "p",
        { class: "quiet" },
        tr("write it yourself, in numpy: ", "用 numpy 自己写一遍："),
        el("code", {}, step.page),
      ),
    );
  }
  const claim = tour.claims.claims[stop.claim],
    words = claim[language];
  return el(
    "div",
    { class: "tour-record" },
    el("p", {}, "“", words.claim, "”"),
    el("p", {}, el("b", {}, `${claim.sign} ${words.verdict}`), tr(": ", "："), words.finding),
    el("p", { class: "quiet" }, words.number),
    el("p", { class: "quiet" }, el("code", {}, `attendo lab run ${stop.claim}`), " · ", el("code", {}, words.page)),
  );
}

// Of another sentence or model all numbers are others: what was guessed of the last is past.
let lookedText = null;

export function startTourCard() {
  onLooked(() => {
    const now = `${DATA.text} ${DATA.model} ${CONFIG.d_model}`;
    if (lookedText !== null && now !== lookedText) tour.guesses = [];
    lookedText = now;
    if (isOnTour()) drawTour();
  });
}
