// The box that translates while one types.

import { differences } from "/glass/differences.js";
import { Refusal, ask, askJson, events, patiently, sayError } from "./asking.js";
import { byId, copyFrom, el } from "./elements.js";
import { base, nameOf, same, sources, targetFor, targets } from "./languages.js";
import { listenForWords, plainSource, plainTarget, showMarks } from "./marks.js";
import { change, number, settings, t } from "./settings.js";

const LONG = 1500; // characters from which a text comes sentence by sentence, without its words
const PAUSE = 250; // milliseconds after the last letter of a long text
const SURE = 0.5; // of a detection: below it the language is a guess

// wish: the target that was chosen; to: that which there is for the text
const state = { from: "", to: "", wish: "", detected: null, answer: null, limit: 50_000, timer: 0, controller: null, again: false };

export function setLimit(limit) {
  if (limit > 0) state.limit = limit;
  showCount();
}

// --- the two lists

export function showLanguages() {
  state.wish = state.wish || settings.target || (settings.language === "zh" ? "zh-Hans" : "en");
  state.to = targetFor(state.from, state.to || state.wish, state.wish);
  const auto = { "": autoName() };
  fill(byId("from"), { ...auto, ...named(sources()) }, state.from);
  fill(byId("to"), named(targets(state.from)), state.to);
}

const named = (codes) => Object.fromEntries(codes.map((code) => [code, nameOf(code)]));

function fill(select, options, chosen) {
  select.replaceChildren(...Object.entries(options).map(([value, name]) => el("option", { value }, name)));
  select.value = Object.keys(options).find((code) => same(code, chosen)) ?? "";
}

function autoName() {
  if (!state.detected) return t("box.detect");
  const language = nameOf(state.detected.language);
  return t(state.detected.confidence < SURE ? "box.perhaps" : "box.detected", { language });
}

function chooseSource() {
  state.from = byId("from").value;
  state.detected = null;
  showLanguages();
  translateNow();
}

function chooseTarget() {
  wishFor(byId("to").value);
  translateNow();
}

function wishFor(target) {
  state.to = state.wish = target;
  change("target", target);
}

// What was the translation is the text now.
function swap() {
  const source = state.from || (state.detected && state.detected.language);
  const [to, text] = [state.to, state.answer ? state.answer.text : ""];
  if (source && !targets(to).some((code) => same(code, source))) return;
  state.from = sources().find((code) => same(code, to)) || "";
  wishFor(source || state.to);
  state.detected = null;
  if (text) byId("source").value = text;
  showLanguages();
  typed();
  translateNow();
}

// --- asking

function typed() {
  plainSource(byId("source").value);
  showCount();
}

function showCount() {
  const count = Array.from(byId("source").value).length;
  const line = byId("count");
  line.textContent = t("box.count", { count: number(count), limit: number(state.limit) });
  line.classList.toggle("bad", count > state.limit);
  byId("clear").hidden = count === 0;
}

// Without a pause: letters gather while a text is being translated, and the next is asked for when that one is there.
function translateSoon() {
  clearTimeout(state.timer);
  if (byId("source").value.length > LONG) state.timer = setTimeout(translateNow, PAUSE);
  else if (state.controller) state.again = true;
  else translateNow();
}

export async function translateNow() {
  clearTimeout(state.timer);
  if (state.controller) state.controller.abort();
  state.controller = null;
  state.again = false;
  const text = byId("source").value;
  if (!text.trim()) return showNothing();
  if (Array.from(text).length > state.limit) return showError(new Refusal(413, ""));
  const controller = new AbortController();
  state.controller = controller;
  byId("target-pane").classList.add("working");
  try {
    await patiently(() => translate(byId("source").value, controller.signal), controller.signal, showLine);
  } catch (error) {
    if (error.name !== "AbortError") showError(error);
  }
  if (state.controller !== controller) return undefined;
  state.controller = null;
  if (state.again) return translateNow();
  return byId("target-pane").classList.remove("working");
}

async function translate(text, signal) {
  const began = performance.now();
  const likely = goesOn() && text.length <= LONG ? askFor(text, state.to, signal) : null;
  likely?.catch(() => {}); // who waits for it is told
  const before = state.to,
    to = await target(text, signal);
  if (text.length > LONG) return stream(text, { text, to, from: state.from || null }, signal, began);
  const found = await (likely && same(to, before) ? likely : askFor(text, to, signal));
  signal.throwIfAborted();
  return showAnswer(text, found.translations[0], began);
}

const askFor = (text, to, signal) =>
  askJson("/api/translate", { method: "POST", body: { text, to, from: state.from || null, alternatives: 2 }, signal });

// A text that is being typed has most likely not changed its language since the last letter: it is translated while the
// server is asked whether it has.
function goesOn() {
  return !state.from && state.detected && same(targetFor(state.detected.language, state.wish, state.to), state.to);
}

async function stream(text, body, signal, began) {
  const response = await ask("/api/translate/stream", { method: "POST", body, signal });
  let whole = "";
  for await (const { event, data } of events(response)) {
    signal.throwIfAborted();
    if (event === "error") throw new Refusal(500, data.error);
    if (event === "end") return showAnswer(text, data, began);
    whole += data.text;
    plainTarget(whole);
    showLine("");
  }
  throw new Refusal(0, "");
}

// A text in the target language, or in one that is not made into it, is translated into another; the page says so.
async function target(text, signal) {
  const note = byId("switched");
  note.textContent = "";
  if (state.from) return state.to;
  const start = Array.from(text).slice(0, 1000).join("");
  const [likely] = await askJson("/detect", { method: "POST", body: { q: start }, signal });
  signal.throwIfAborted();
  if (!likely || likely.confidence < 100 * SURE) return state.to;
  const to = targetFor(likely.language, state.wish, state.to);
  if (!same(to, state.to)) {
    state.to = to;
    byId("to").value = [...byId("to").options].map((one) => one.value).find((code) => same(code, to)) || "";
  }
  if (base(to) !== base(state.wish)) {
    const why = base(likely.language) === base(state.wish) ? "box.switched" : "box.unpaired";
    const names = { source: nameOf(likely.language), wish: nameOf(state.wish), target: nameOf(to) };
    note.textContent = t(why, names);
  }
  return state.to;
}

// --- answers

const answerListeners = [];

// Called with the text and what is known of its translation, after each answer.
export function onAnswer(listener) {
  answerListeners.push(listener);
}

function showAnswer(text, answer, began) {
  state.answer = answer;
  state.detected = answer.detected;
  byId("from").options[0].textContent = autoName();
  byId("translation").lang = answer.to;
  byId("source").lang = answer.from;
  if (text === byId("source").value) showMarks(text, answer);
  else plainTarget(answer.text); // more was typed meanwhile, and its words are elsewhere
  showLine("");
  byId("took").textContent = t("box.took", { ms: number(Math.round(performance.now() - began)) });
  byId("doubt").hidden = !answer.doubtful;
  byId("copy").hidden = false;
  const others = [...new Set(answer.alternatives || [])].filter((one) => one !== answer.text);
  list("alternatives", others.map((one) => el("li", { lang: answer.to, dir: "auto" }, parted(one, answer.text))));
  list("remarks", (answer.remarks || []).map((one) => el("li", { lang: "en" }, one)));
  for (const listener of answerListeners) listener(text, answer);
}

function parted(text, best) {
  return differences(text, best).map((one) => (one.differs && one.text.trim() ? el("mark", {}, one.text) : one.text));
}

function list(id, items) {
  byId(id).hidden = items.length === 0;
  byId(id).querySelector("ul").replaceChildren(...items);
}

function showNothing() {
  state.answer = state.detected = null;
  byId("from").options[0].textContent = autoName();
  plainTarget("");
  showLine("");
  for (const id of ["copy", "doubt", "alternatives", "remarks", "legend-lost", "legend-unsure"]) byId(id).hidden = true;
  for (const id of ["took", "switched", "word-note"]) byId(id).textContent = "";
  byId("target-pane").classList.remove("working");
}

function showLine(text) {
  byId("error").textContent = text;
}

function showError(error) {
  showNothing();
  showLine(sayError(error, state.limit));
}

// --- listening

export function startBox() {
  const field = byId("source");
  field.addEventListener("input", (event) => {
    typed();
    if (!event.isComposing) translateSoon(); // half a word that is being composed is no text yet
  });
  field.addEventListener("compositionend", translateSoon);
  byId("from").addEventListener("change", chooseSource);
  byId("to").addEventListener("change", chooseTarget);
  byId("swap").addEventListener("click", swap);
  byId("copy").addEventListener("click", () => copyFrom(byId("copy"), state.answer ? state.answer.text : ""));
  byId("clear").addEventListener("click", () => {
    field.value = "";
    typed();
    translateNow();
    field.focus();
  });
  listenForWords();
  typed();
}

// The words of the page have changed: what was said in the other language is said anew.
export function speakBox() {
  showLanguages();
  showCount();
  if (byId("source").value.trim()) translateNow();
}
