// Which sentence the glass follows: that of the box, and of several the one where the cursor is. While nothing is typed
// it shows an example, of a language that this model reads.

import { el } from "/glass/elements.js";
import { DATA } from "/glass/look.js";
import { onAnswer } from "./box.js";
import { byId } from "./elements.js";
import { base, nameOf, sources, targets } from "./languages.js";
import { look, lookAt, onLooked, request } from "./looking.js";
import { settings, t } from "./settings.js";

const EXAMPLES = [
  { text: "我爱机器学习。", from: "zh", to: ["en"] },
  { text: "The museum opens at nine.", from: "en", to: ["zh", "de"] },
  { text: "Ich lerne gern neue Sprachen.", from: "de", to: ["en"] },
];
const CURSOR_PAUSE = 300; // milliseconds

let answer = null; // the last of the box: {text, to, from}
let kind = "example"; // of what is looked at: example, whole, first, cursor
let place = { number: 1, count: 1 }; // of the sentence in the text
let timer = 0;

// Those that this server can translate: {text, from, to}
function examples() {
  const found = EXAMPLES.map(({ text, from, to }) => {
    const source = sources().find((code) => base(code) === from);
    const possible = source ? targets(source).map(base) : [];
    return { text, from, to: to.find((code) => possible.includes(code)) };
  });
  return found.filter((one) => one.to);
}

// --- sentences

// [{text, from, to}]: where each stands; the browser knows where sentences end
function sentencesOf(text) {
  if (!Intl.Segmenter) return [{ text, from: 0, to: text.length }];
  const segments = [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)];
  return segments
    .map((one) => ({ text: one.segment.trim(), from: one.index, to: one.index + one.segment.length }))
    .filter((one) => one.text);
}

function followAnswer() {
  const all = sentencesOf(answer.text);
  if (all.length < 2) return show("whole", answer.text, 1, 1);
  const field = byId("source");
  const isThere = document.activeElement === field;
  const cursor = field.selectionStart;
  let at = isThere ? all.findIndex((one) => one.to >= cursor) : all.findIndex((one) => one.text === request.text);
  if (isThere && at < 0) at = all.length - 1;
  return show(isThere ? "cursor" : "first", all[Math.max(at, 0)].text, Math.max(at, 0) + 1, all.length);
}

function show(of, text, number, count) {
  kind = of === "first" && number > 1 ? "cursor" : of;
  place = { number, count };
  sayWhich();
  return lookAt(text, answer.to, answer.from);
}

function cursorMoved() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (answer && answer.text === byId("source").value && document.activeElement === byId("source")) followAnswer();
  }, CURSOR_PAUSE);
}

// --- what is said of it

export function sayWhich() {
  const line = byId("of-text");
  if (kind === "example") line.textContent = DATA ? t("glass.example") : "";
  else if (place.count < 2) line.textContent = "";
  else line.textContent = t(kind === "first" ? "glass.first" : "glass.cursor", place);
}

function directions() {
  return sources()
    .flatMap((source) => targets(source).map((target) => `${nameOf(source)} → ${nameOf(target)}`))
    .join(settings.language === "zh" ? "、" : ", ");
}

// --- beginning

export function showExample() {
  answer = null;
  kind = "example";
  place = { number: 1, count: 1 };
  const [first] = examples();
  sayWhich();
  return first ? lookAt(first.text, first.to, first.from) : undefined;
}

// The box as it was when a link was made, and the glass with it.
export function showLinked({ text, detect, request: wish }) {
  kind = text ? "whole" : "example";
  if (text) fillBox(text, { to: wish.to, from: detect ? "" : wish.from });
  return look(wish);
}

// As if it had been typed.
function fillBox(text, { from, to } = {}) {
  choose(byId("from"), from || "");
  if (to) choose(byId("to"), to);
  const field = byId("source");
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function choose(select, value) {
  const option = [...select.options].find((one) => one.value === value || (value && base(one.value) === base(value)));
  if (!option || select.value === option.value) return;
  select.value = option.value;
  select.dispatchEvent(new Event("change"));
}

export function drawBegin(takeTour) {
  const chips = examples().map(({ text, from, to }) =>
    el("button", { type: "button", class: "chip", lang: from, onclick: () => fillBox(text, { to }) }, text),
  );
  byId("begin").replaceChildren(
    el("span", {}, chips.length ? t("glass.try") : t("glass.type", { directions: directions() })),
    ...chips,
    el("button", { type: "button", class: "tour-start", onclick: takeTour }, t("tour.start")),
  );
}

export function startFollowing() {
  onAnswer((text, { to, from }) => {
    answer = { text, to, from };
    followAnswer();
  });
  onLooked(sayWhich);
  const field = byId("source");
  byId("clear").addEventListener("click", showExample);
  for (const event of ["keyup", "pointerup"]) field.addEventListener(event, cursorMoved);
  field.addEventListener("input", () => {
    if (!field.value.trim()) showExample();
  });
}
