// Looking: the sentence of the box goes to the glass, what the glass saw is taken and drawn. One look at a time; while
// one is under way, the latest wish waits.

import { el } from "/glass/elements.js";
import { setLookWith, take } from "/glass/look.js";
import { drawn, setStations, state } from "/glass/state.js";
import { STATIONS } from "/glass/stations.js";
import { askJson, patiently, sayError } from "./asking.js";
import { byId } from "./elements.js";
import { fetchedNumbers } from "./fetched.js";
import { settings } from "./settings.js";

export const EXAMPLE = { text: "我爱机器学习。", to: "en", from: "zh" };
const OF_ONE_TEXT = ["erase", "force"]; // hands that name pieces of a sentence: another sentence has others

// What was asked for last, as POST /api/glass takes it.
export let request = { ...EXAMPLE, beam: 4, hands: {}, target: null };
let controller = null;
const lookListeners = [];

// Called after each look has been drawn.
export function onLooked(listener) {
  lookListeners.push(listener);
}

// The groups of tensors that the open stations show at once.
const groupsInView = () => ["source", `encoder.${state.layer}`, "target", `decoder.${state.decoderLayer}`];

// Looks with some of the request changed; whoever asks again meanwhile is served instead.
export async function look(changes) {
  request = { ...request, ...changes };
  if (controller) controller.abort();
  controller = new AbortController();
  const { signal } = controller,
    wish = request;
  byId("glass").classList.add("working");
  try {
    const head = await patiently(() => post(wish, signal), signal, sayLine);
    const numbers = fetchedNumbers(head, () => post(wish));
    await numbers.preload([...groupsInView(), `decoder.${head.config.decoder_layers - 1}`]);
    if (signal.aborted) return;
    take(head, numbers);
    sayLine("");
    drawStations();
    for (const listener of lookListeners) listener();
  } catch (error) {
    if (error.name !== "AbortError") sayLine(sayError(error));
  } finally {
    if (wish === request) byId("glass").classList.remove("working");
  }
}

const post = (body, signal) => askJson("/api/glass", { method: "POST", body, signal });

// Another sentence; what was done to the pieces of the last one is forgotten.
export function lookAt(text, to, from) {
  if (text === request.text && to === request.to && from === request.from) return undefined;
  const hands = Object.fromEntries(Object.entries(request.hands).filter(([name]) => !OF_ONE_TEXT.includes(name)));
  return look({ text, to, from, hands, target: null });
}

export function drawStations() {
  const fresh = STATIONS.map(drawn);
  byId("stations").replaceChildren(...fresh);
}

function sayLine(text) {
  byId("glass-line").replaceChildren(text ? el("span", {}, text) : "");
}

export function startLooking() {
  state.language = settings.language;
  setStations(STATIONS);
  setLookWith((hands) => look({ hands }));
}

// The words of the page have changed.
export function speakGlass() {
  state.language = settings.language;
  if (byId("stations").children.length) drawStations();
}
