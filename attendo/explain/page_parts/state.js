// What the reader has chosen; a change draws those stations anew that depend on it.

import { el, patient, tr } from "./elements.js";
import { CONFIG, DATA, onLook } from "./look.js";
import { saveButtons } from "./saving.js";
import { sharpestHead } from "./tensors.js";
import { unfolding } from "./unfold.js";

export const state = {
  language: "en",
  position: 1, // of the source
  layer: 0, // of the encoder
  decoderLayer: 0,
  step: 0,
  heads: {}, // by part; the sharpest where nothing was chosen
  picture: "arcs", // of attention; or "map"
  units: "pieces", // that look at each other; or "words"
  cell: {}, // by place: which number is unfolded there
  open: {}, // folds, by their ids
};

let stations = []; // {id, title(), depends: names of what it is drawn by, draw()}

export function setStations(all) {
  stations = all;
}

const changeListeners = [];

// Called after each change with what has changed.
export function onChoice(listener) {
  changeListeners.push(listener);
}

export function set(changes) {
  Object.assign(state, changes);
  redraw(stations.filter((one) => one.depends.some((key) => key in changes)));
  for (const listener of changeListeners) listener(changes);
}

// Of a new look there may be fewer pieces, layers or steps.
onLook(() => {
  state.position = Math.min(state.position, DATA.source.ids.length - 1);
  state.layer = Math.min(state.layer, CONFIG.encoder_layers - 1);
  state.decoderLayer = Math.min(state.decoderLayer, CONFIG.decoder_layers - 1);
  state.step = Math.min(state.step, DATA.steps.length - 1);
  state.cell = {};
});

// A number is unfolded at its place, or folded again.
export function unfoldAt(place, cell) {
  const same = JSON.stringify(state.cell[place]) === JSON.stringify(cell);
  state.cell[place] = same ? null : cell;
  const holder = document.querySelector(`[data-place="${place}"]`);
  if (holder) holder.replaceChildren(patient(() => unfolding(place)));
  for (const one of document.querySelectorAll(`[data-of="${place}"]`)) {
    one.classList.toggle("unfolded", !same && one.dataset.cell === JSON.stringify(cell));
  }
}

export function headOf(part) {
  if (part in state.heads) return Math.min(state.heads[part], CONFIG.num_heads - 1);
  return DATA.view.head === null ? sharpestHead(part) : DATA.view.head;
}

// All are read before any is replaced: to read where something is scrolled to, the browser lays out the whole page.
function redraw(some) {
  const there = some.map((one) => [one, document.getElementById(one.id)]).filter(([, old]) => old);
  const exchanges = there.map(([one, old]) => [exchangerOf(old), drawn(one)]);
  for (const [put, fresh] of exchanges) put(fresh);
}

// The fresh stands where the old stood, has the focus where the old had it, and is scrolled as far.
export function exchange(old, fresh) {
  exchangerOf(old)(fresh);
}

function exchangerOf(old) {
  const where = pathTo(document.activeElement, old),
    scrolled = scrollers(old).map((one) => [one.scrollLeft, one.scrollTop]);
  return (fresh) => {
    old.replaceWith(fresh);
    scrollers(fresh).forEach((one, at) => {
      const [left, top] = scrolled[at] || [0, 0];
      if (left || top) one.scrollTo(left, top);
    });
    if (where) focusAt(fresh, where);
  };
}

const scrollers = (root) => [...root.querySelectorAll(".scroll, .chooser")];

export function redrawStation(id) {
  redraw(stations.filter((one) => one.id === id));
}

export function drawn(one) {
  const save = saveButtons(() => document.getElementById(one.id), `station-${one.id}`, tr("this station", "这一站"));
  return el("section", { id: one.id, class: "station" }, el("h2", {}, one.title()), patient(one.draw), save);
}

// Who has come to a button by the keyboard stays there when its station is drawn anew: [child, its child, …]
function pathTo(element, root) {
  if (!element || !root.contains(element) || element === root) return null;
  const path = [];
  for (let one = element; one !== root; one = one.parentNode) path.unshift([...one.parentNode.children].indexOf(one));
  return path;
}

function focusAt(root, path) {
  let one = root;
  for (const index of path) one = one && one.children[index];
  if (one) one.focus({ preventScroll: true });
}
