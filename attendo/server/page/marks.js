// The two texts with their words: pointing at one lights up those it was made from, or that were made from it.

import { bound, parts } from "./alignment.js";
import { byId, el } from "./elements.js";
import { t } from "./settings.js";

let shown = null; // {source, target, links, spans: {source, target}}

const percent = (share) => Math.round(100 * share);

// Behind the text field lies the same text, unseen, whose words can be marked.
export function plainSource(text) {
  shown = null;
  byId("mirror").replaceChildren(`${text}\n`);
  byId("word-note").textContent = "";
}

export function plainTarget(text) {
  shown = null;
  byId("translation").replaceChildren(text);
}

export function showMarks(text, answer) {
  const words = bound(text, answer);
  const spans = { source: [], target: [] };
  byId("mirror").replaceChildren(...drawn(text, words.source, spans.source, sourceWord), "\n");
  byId("translation").replaceChildren(...drawn(answer.text, words.target, spans.target, targetWord));
  shown = { ...words, spans };
  const lost = words.source.some((one) => one.lost);
  const unsure = words.target.some((one) => one.unsure);
  byId("legend-lost").hidden = !lost;
  byId("legend-unsure").hidden = !unsure;
  showHelp();
}

function showHelp() {
  byId("word-note").textContent = shown.links.length ? t("mark.help") : "";
}

function drawn(text, words, spans, build) {
  return parts(text, words).map((part) => {
    if (part.word === null) return document.createTextNode(part.text);
    spans[part.word] = build(words[part.word], part.text, part.word);
    return spans[part.word];
  });
}

function sourceWord(word, text, index) {
  return el("span", { class: word.lost ? "word lost" : "word", "data-source": index }, text);
}

// One stop for the tab key; the arrows go from word to word.
function targetWord(word, text, index) {
  return el(
    "span",
    { class: word.unsure ? "word unsure" : "word", "data-target": index, tabindex: index === 0 ? "0" : "-1" },
    text,
  );
}

function light(side, index) {
  dark();
  if (!shown || !shown.spans[side][index]) return;
  const other = side === "source" ? "target" : "source";
  const [own, theirs] = side === "target" ? [0, 1] : [1, 0];
  const links = shown.links.filter((link) => link[own] === index).sort((a, b) => b[2] - a[2]);
  shown.spans[side][index].classList.add("now");
  for (const link of links) {
    const span = shown.spans[other][link[theirs]];
    span.classList.add("lit");
    span.style.setProperty("--weight", link[2]);
  }
  byId("word-note").textContent = sayWord(side, index, links, other, theirs);
}

function sayWord(side, index, links, other, theirs) {
  const word = shown.spans[side][index].textContent;
  const names = links.map((link) => `${shown.spans[other][link[theirs]].textContent} ${percent(link[2])}%`);
  if (side === "source") {
    return names.length ? t("mark.became", { word, targets: names.join(", ") }) : t("mark.missing", { word });
  }
  const made = names.length ? t("mark.made", { word, sources: names.join(", ") }) : t("mark.none", { word });
  const { logp } = shown.target[index];
  return logp === null ? made : `${made} · ${t("mark.sure", { percent: percent(Math.exp(logp)) })}`;
}

function dark() {
  if (!shown) return;
  for (const span of [...shown.spans.source, ...shown.spans.target]) span && span.classList.remove("now", "lit");
  showHelp();
}

function lightAt(side, element) {
  const span = element && element.closest(`[data-${side}]`);
  if (span) light(side, Number(span.dataset[side]));
  else dark();
}

// The field lies above its mirror: whose word is under the pointer, the browser tells.
function sourceUnder(event) {
  return document.elementsFromPoint(event.clientX, event.clientY).find((one) => one.matches("[data-source]"));
}

function sourceAtCaret() {
  const field = byId("source");
  if (!shown || document.activeElement !== field || field.selectionStart !== field.selectionEnd) return;
  const at = Array.from(field.value.slice(0, field.selectionStart)).length;
  const index = shown.source.findIndex((word) => word.start <= at && at <= word.end);
  if (index >= 0) light("source", index);
  else dark();
}

function walk(event) {
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const from = event.target.closest("[data-target]");
  if (!from || !shown || !(event.key in steps)) return;
  const to = shown.spans.target[Number(from.dataset.target) + steps[event.key]];
  event.preventDefault();
  if (!to) return;
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

export function listenForWords() {
  const [field, translation] = [byId("source"), byId("translation")];
  translation.addEventListener("pointerover", (event) => lightAt("target", event.target));
  translation.addEventListener("pointerleave", dark);
  // Read aloud to who goes from word to word, not to who happens to point at one.
  translation.addEventListener("focusin", (event) => {
    byId("word-note").setAttribute("aria-live", "polite");
    lightAt("target", event.target);
  });
  translation.addEventListener("focusout", () => {
    byId("word-note").setAttribute("aria-live", "off");
    dark();
  });
  translation.addEventListener("keydown", walk);
  field.addEventListener("pointermove", (event) => lightAt("source", sourceUnder(event) || null));
  field.addEventListener("pointerleave", dark);
  field.addEventListener("blur", dark);
  document.addEventListener("selectionchange", sourceAtCaret);
}
