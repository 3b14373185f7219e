// A link that restores what is looked at: text, languages, hands, station, layer, head and step, in the address after
// #g=, as JSON, deflated, in base64url. Nothing of it is sent to the server before it has been checked here; the hands
// are checked there again.

import { DATA } from "/glass/look.js";
import { onChoice, state } from "/glass/state.js";
import { STATIONS } from "/glass/stations.js";
import { byId, copyFrom } from "./elements.js";
import { showExample, showLinked } from "./following.js";
import { onLooked, request } from "./looking.js";
import { goTo, onStation, stationInView } from "./machine.js";
import { change, onChange, settings, t } from "./settings.js";

const PREFIX = "#g=";
const LONGEST = 2000; // characters of an address's end
const LARGEST = 40_000; // bytes that they may become
const PAUSE = 400; // milliseconds after the last change

let timer = 0;
let untouched = null; // what a page is that nobody has touched: it needs no link

// --- what a link says

function described() {
  const { text, to, from, beam, hands, target } = request;
  return {
    box: byId("source").value,
    text,
    to,
    from,
    detect: byId("from").value === "" || undefined, // the language of the text was found, not chosen
    beam,
    hands,
    target,
    station: stationInView(),
    layer: state.layer,
    decoderLayer: state.decoderLayer,
    position: state.position,
    step: state.step,
    heads: state.heads,
    language: settings.language,
  };
}

// --- reading what a stranger may have written

const isText = (one) => typeof one === "string" && one.length <= 5000;
const isCode = (one) => one === null || (typeof one === "string" && /^[\w-]{1,24}$/.test(one));
const isIndex = (one) => Number.isInteger(one) && one >= 0 && one < 1000;
const isList = (one, of) => Array.isArray(one) && one.length <= 1000 && one.every(of);
const isTable = (one, isName, isValue) =>
  one !== null &&
  typeof one === "object" &&
  !Array.isArray(one) &&
  Object.keys(one).length <= 1000 &&
  Object.entries(one).every(([name, value]) => isName(name) && isValue(value));
const isWhere = (one) => ["encoder", "decoder", "cross"].includes(one);
const isRow = (length) => (one) =>
  isList(one, () => true) && one.length === length && isWhere(one[0]) && one.slice(1).every(isIndex);

const HANDS = {
  heads_off: (one) => isList(one, isRow(3)),
  feed_forward_off: (one) => isList(one, isRow(2)),
  erase: (one) => isList(one, isIndex),
  force: (one) =>
    isTable(
      one,
      (step) => /^\d{1,4}$/.test(step),
      (id) => Number.isInteger(id) && id >= 0,
    ),
  causal_mask: (one) => typeof one === "boolean",
  scale: (one) => typeof one === "boolean",
  positions: (one) => ["on", "off", "shuffled"].includes(one),
  seed: (one) => Number.isInteger(one) && one >= 0,
  temperature: (one) => typeof one === "number" && one > 0 && one <= 100,
};

const FIELDS = {
  box: isText,
  text: (one) => isText(one) && one.trim() !== "",
  to: isCode,
  from: isCode,
  detect: (one) => one === undefined || one === true,
  beam: (one) => Number.isInteger(one) && one >= 1 && one <= 64,
  hands: (one) =>
    isTable(
      one,
      (name) => Object.hasOwn(HANDS, name),
      () => true,
    ) && Object.entries(one).every(([name, value]) => HANDS[name](value)),
  target: (one) => one === null || isText(one),
  station: (one) => STATIONS.some((station) => station.id === one),
  layer: isIndex,
  decoderLayer: isIndex,
  position: isIndex,
  step: isIndex,
  heads: (one) => isTable(one, (part) => /^[\w.]{1,40}$/.test(part), isIndex),
  language: (one) => one === "en" || one === "zh",
};

// All fields, each as it may be; null of anything else.
function checked(found) {
  const isWhole = isTable(
    found,
    (name) => Object.hasOwn(FIELDS, name),
    () => true,
  );
  return isWhole && Object.keys(FIELDS).every((name) => FIELDS[name](found[name])) ? found : null;
}

// --- letters and bytes

function asLetters(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function asBytes(letters) {
  const text = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (one) => one.charCodeAt(0));
}

async function piped(bytes, through) {
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  const parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > LARGEST) throw new RangeError("too large for a link");
    parts.push(value);
  }
}

export async function fragmentOf(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return (
    PREFIX + asLetters(globalThis.CompressionStream ? await piped(bytes, new CompressionStream("deflate-raw")) : bytes)
  );
}

// What the end of an address says, or null where it says nothing that can be.
export async function readFragment(fragment) {
  try {
    if (fragment.length > LONGEST) return null;
    const bytes = asBytes(fragment.slice(PREFIX.length));
    // A browser that cannot deflate has written plain JSON.
    const text =
      bytes[0] === 0x7b && bytes.at(-1) === 0x7d ? bytes : await piped(bytes, new DecompressionStream("deflate-raw"));
    return checked(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text)));
  } catch {
    return null;
  }
}

// --- writing and restoring

async function write() {
  const value = described();
  untouched = untouched ?? JSON.stringify(value);
  const isUntouched = JSON.stringify(value) === untouched;
  const fragment = isUntouched ? "" : await fragmentOf(value);
  const fits = fragment.length <= LONGEST;
  byId("copy-link").hidden = false;
  byId("copy-link").disabled = !fits;
  const others = location.hash && !location.hash.startsWith(PREFIX) && isUntouched; // #connect, say
  if (others) return;
  try {
    history.replaceState(null, "", fits && fragment ? fragment : location.pathname);
  } catch {
    // a browser that lets a page change its address only so often: the next change will
  }
}

function writeSoon() {
  clearTimeout(timer);
  timer = setTimeout(write, PAUSE);
}

// Whether the address had something to say, be it damaged.
export async function restore() {
  if (!location.hash.startsWith(PREFIX)) return false;
  const found = await readFragment(location.hash);
  if (!found) {
    if (!DATA) await showExample();
    byId("glass-line").textContent = t("glass.damaged");
    return true;
  }
  const { box, text, to, from, detect, beam, hands, target, station, language, ...choices } = found;
  change("language", language);
  Object.assign(state, choices);
  untouched = "";
  if (await showLinked({ text: box, detect, request: { text, to, from, beam, hands, target } })) {
    if (station !== STATIONS[0].id) goTo(station, null, "instant"); // on a smooth way it would miss what moves meanwhile
  }
  return true;
}

export function startLinks() {
  onLooked(writeSoon);
  onChoice(writeSoon);
  onStation(writeSoon);
  onChange((name) => {
    if (name === "language") writeSoon();
  });
  addEventListener("hashchange", restore);
  byId("copy-link").addEventListener("click", async () => {
    const address = new URL(location.href);
    address.hash = await fragmentOf(described());
    copyFrom(byId("copy-link"), address.href, "glass.link");
  });
}
