// The card of the tour: a stop in one sentence, its question, what came out, and what stands behind it.

import { chooser, el, tr } from "/glass/elements.js";
import { STOPS } from "./tour_stops.js";
import { verdict } from "./tour_verdict.js";

// `tour` is where one is and what was guessed; `actions` are what its buttons do: goToStop(at), guess(value), finish(),
// leave(), change({opened, isFolded}).
export function tourCard(tour, actions) {
  const { at } = tour,
    stop = STOPS[at];
  const done = tour.guesses[at];
  return el(
    "section",
    {
      class: tour.isFolded ? "tour-card folded" : "tour-card",
      "aria-label": tr("The tour", "导览"),
      "data-stop": at + 1,
      onkeydown: (event) => keys(event, tour, actions),
    },
    el(
      "div",
      { class: "tour-head" },
      el(
        "span",
        { class: "tour-number" },
        tr(`Stop ${at + 1} of ${STOPS.length}`, `第 ${at + 1} 站，共 ${STOPS.length} 站`),
      ),
      dots(tour, actions),
      small(
        tour.isFolded ? "▴" : "▾",
        tour.isFolded ? tr("unfold the card", "展开") : tr("fold the card", "收起"),
        () => actions.change({ isFolded: !tour.isFolded }),
      ),
      small("✕", tr("leave the tour", "离开导览"), actions.leave),
    ),
    el("h3", { tabindex: "-1" }, stop.says()),
    el("div", { class: "tour-body" }, done ? answered(stop, done) : question(stop, actions.guess)),
    tour.opened ? record(tour, stop) : null,
    el("div", { class: "tour-foot" }, back(at, actions), links(stop, tour, actions), forward(tour, actions)),
  );
}

const small = (sign, name, action) =>
  el("button", { type: "button", class: "tour-small", "aria-label": name, title: name, onclick: action }, sign);

function dots(tour, { goToStop }) {
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

function keys(event, tour, { goToStop, leave }) {
  if (event.key === "Escape") leave();
  if (event.target.localName === "input") return;
  if (event.key === "ArrowRight" && tour.at < STOPS.length - 1) goToStop(tour.at + 1);
  if (event.key === "ArrowLeft" && tour.at > 0) goToStop(tour.at - 1);
}

function back(at, { goToStop }) {
  return el(
    "button",
    { type: "button", class: "tour-back", disabled: at === 0, onclick: () => goToStop(at - 1) },
    tr("Back", "上一站"),
  );
}

function forward({ at, guesses }, { goToStop, finish }) {
  const isLast = at === STOPS.length - 1;
  const words = isLast ? tr("Finish", "结束") : tr("Next", "下一站");
  const kind = guesses[at] ? "tour-next ready" : "tour-next";
  return el("button", { type: "button", class: kind, onclick: () => (isLast ? finish() : goToStop(at + 1)) }, words);
}

// --- guessing

function question(stop, guess) {
  return [
    el("p", { class: "tour-asks", id: "tour-asks" }, stop.asks()),
    el(
      "div",
      { class: "row" },
      stop.choices ? choiceOf(stop, guess) : numberOf(stop, guess),
      el(
        "button",
        { type: "button", class: "tour-link", onclick: () => guess(null) },
        tr("just show it", "直接看答案"),
      ),
    ),
  ];
}

function choiceOf(stop, guess) {
  const choices = stop.choices();
  return chooser(
    "",
    choices.map((one) => ({ label: one.label })),
    -1,
    (index) => guess(choices[index].value),
  );
}

function numberOf(stop, guess) {
  const input = el("input", {
    type: "number",
    min: stop.least(),
    max: stop.most(),
    step: stop.isCount ? 1 : "any",
    required: true,
    inputmode: stop.isCount ? "numeric" : "decimal",
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

function answered(stop, { guess: said, answer, words }) {
  words[tr("en", "zh")] ??= stop.tells(answer); // of what was shown then, wherever the reader has gone since
  const { good, words: judged } = verdict(stop, said, answer);
  return [
    el(
      "p",
      { class: "tour-answer", role: "status", tabindex: "-1" },
      el("b", { class: good ? "same" : null }, judged),
      " ",
      el("span", {}, words[tr("en", "zh")]),
    ),
    el("p", { class: "tour-todo" }, el("span", { "aria-hidden": "true" }, "☞ "), stop.todo()),
  ];
}

// --- what stands behind a stop: a claim of the lab, one of the ten steps

function links(stop, { opened }, { change }) {
  const button = (kind, words) =>
    el(
      "button",
      {
        type: "button",
        class: "tour-link",
        "aria-expanded": String(opened === kind),
        onclick: () => change({ opened: opened === kind ? null : kind }),
      },
      words,
    );
  return el(
    "span",
    { class: "tour-links" },
    button("claim", tr(`Is it true? Lab claim ${stop.claim}`, `真的吗？实验 ${stop.claim}`)),
    button("step", tr(`Write it yourself: step ${stop.lesson}`, `自己写一遍：第 ${stop.lesson} 步`)),
  );
}

function record({ opened, claims }, stop) {
  const language = tr("en", "zh");
  if (opened === "step") {
    const step = claims.steps[stop.lesson][language];
    return el(
      "div",
      { class: "tour-record" },
      el("p", {}, el("b", {}, step.title)),
      el("p", {}, tr("A page that shows how to write this part in numpy.", "这一页教你用 numpy 写出这一部分。")),
      el("p", { class: "quiet" }, inRepository(step.page)),
    );
  }
  const claim = claims.claims[stop.claim],
    words = claim[language];
  return el(
    "div",
    { class: "tour-record" },
    el("p", {}, tr("It is often said: ", "常见的说法："), "“", words.claim, "”"),
    el("p", {}, tr("We tried it: ", "我们试过："), el("b", {}, `${claim.sign} ${words.verdict}`), " · ", words.finding),
    el("p", { class: "quiet" }, tr("Measured: ", "测得："), words.number),
    el("p", { class: "quiet" }, tr("Try it: ", "自己试："), el("code", {}, `attendo lab run ${stop.claim}`)),
    el("p", { class: "quiet" }, inRepository(words.page)),
  );
}

const inRepository = (page) => [tr("In the repository: ", "在代码仓库里："), el("code", {}, page)];
