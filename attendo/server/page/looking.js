// Looking: the sentence of the box goes to the glass, what the glass saw is taken and drawn. One look at a time; while
// one is under way, the latest wish waits.

import { setCodeLoader } from "/glass/code_beside.js";
import { el } from "/glass/elements.js";
import { NUMBERS, setLookWith, take } from "/glass/look.js";
import { drawn, redrawStation, setStations, state } from "/glass/state.js";
import { STATIONS } from "/glass/stations.js";
import { Refusal, askJson, patiently, sayError } from "./asking.js";
import { byId } from "./elements.js";
import { fetchedNumbers } from "./fetched.js";
import { settings, t } from "./settings.js";

const OF_ONE_TEXT = ["erase", "force"]; // hands that name pieces of a sentence: another sentence has others

// What was asked for last, as POST /api/glass takes it.
export let request = { text: "", to: null, from: null, beam: 4, hands: {}, target: null };
let answered = request; // the last that was: where a wish is refused, the page goes back to it
let controller = null;
const lookListeners = [];

// Called after each look has been drawn.
export function onLooked(listener) {
  lookListeners.push(listener);
}

// The groups of tensors that the open stations show at once.
const groupsInView = () => ["source", `encoder.${state.layer}`, "target", `decoder.${state.decoderLayer}`];

// Looks with some of the request changed; whoever asks again meanwhile is served instead. `say` shows a line on the way,
// or why there is nothing to see; true: it was drawn.
export async function look(changes, say = sayLine) {
  request = { ...request, ...changes };
  if (controller) controller.abort();
  controller = new AbortController();
  const { signal } = controller,
    wish = request;
  byId("glass").classList.add("working");
  try {
    const head = await patiently(() => post(wish, signal), signal, say);
    const numbers = fetchedNumbers(head, () => post(wish));
    // Of the same sentence all that was there is there again when it is drawn: nothing on the page moves.
    const seen = NUMBERS && wish.text === answered.text ? NUMBERS.groups() : [];
    await numbers.preload([...groupsInView(), `decoder.${head.config.decoder_layers - 1}`, ...seen]);
    if (signal.aborted) return false;
    answered = wish;
    take(head, numbers);
    say("");
    inPlace(() => {
      drawStations();
      for (const listener of lookListeners) listener();
    });
    return true;
  } catch (error) {
    if (error.name === "AbortError") return false;
    if (wish === request) request = answered;
    say(sayGlass(error));
    return false;
  } finally {
    if (controller.signal === signal) byId("glass").classList.remove("working");
  }
}

const post = (body, signal) => askJson("/api/glass", { method: "POST", body, signal });

// Another sentence; what was done to the pieces of the last one is forgotten.
export function lookAt(text, to, from) {
  if (text === request.text && to === request.to && from === request.from) return undefined;
  const hands = Object.fromEntries(Object.entries(request.hands).filter(([name]) => !OF_ONE_TEXT.includes(name)));
  return look({ text, to, from, hands, target: null });
}

function drawStations() {
  if (byId("stations").children.length) for (const one of STATIONS) redrawStation(one.id);
  else byId("stations").replaceChildren(...STATIONS.map(drawn));
}

// Draws, and what the reader is at stays where it is on the screen, though things above it may have grown.
function inPlace(draw) {
  const place = readersPlace(),
    top = place && place().getBoundingClientRect().top;
  draw();
  const now = place && place();
  if (now) scrollBy({ top: now.getBoundingClientRect().top - top, behavior: "instant" });
}

// What has the focus, if it can be seen; or the first part of the glass that can be seen. It is asked for again when it
// has been drawn anew.
function readersPlace() {
  const isSeen = (one) => {
    const box = one.getBoundingClientRect();
    return box.height > 0 && box.bottom > 0 && box.top < innerHeight;
  };
  const focused = () => byId("glass").querySelector(":focus");
  if (focused() && isSeen(focused())) return focused;
  const part = [byId("hands"), ...byId("stations").children].find(isSeen);
  return part ? () => byId(part.id) : null;
}

const sayGlass = (error) => (error instanceof Refusal && error.status === 413 ? t("glass.long") : sayError(error));

function sayLine(text) {
  byId("glass-line").replaceChildren(text ? el("span", {}, text) : "");
}

export function startLooking() {
  state.language = settings.language;
  setStations(STATIONS);
  setLookWith(
    (hands, others) => look({ hands, ...others }),
    () => request.hands,
  );
  setCodeLoader(() => askJson("/api/glass/code"));
}

// The words of the page have changed, or its colours.
export function speakGlass() {
  state.language = settings.language;
  if (byId("stations").children.length) drawStations();
}
