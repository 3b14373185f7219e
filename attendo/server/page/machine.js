// The machine beside its stations: a map of where one is, and a way to each part. On narrow screens a bar of names.

import { el, tr } from "/glass/elements.js";
import { DATA, Pending } from "/glass/look.js";
import { saveButtons } from "/glass/saving.js";
import { onChoice, state } from "/glass/state.js";
import { STATIONS } from "/glass/stations.js";
import { tensor } from "/glass/tensors.js";
import { byId } from "./elements.js";
import { onLooked } from "./looking.js";
import { machineFigure, machineWords } from "./machine_figure.js";

let inView = "overview";
let blockInView = null; // of the station: its attention, say
let isUnfolded = false; // the figure, on a narrow screen
const viewListeners = [];

export function stationInView() {
  return inView;
}

// Called when another station comes into view.
export function onStation(listener) {
  viewListeners.push(listener);
}

// To a station, or to a block of it; the keyboard goes there, too.
export function goTo(station, block = null, behavior = "auto") {
  const goal = (block && byId(block)) || byId(station);
  if (!goal) return;
  goal.scrollIntoView({ block: "start", behavior });
  const title = goal.querySelector("h2, h3, h4") || goal;
  title.setAttribute("tabindex", "-1");
  title.focus({ preventScroll: true });
}

export function drawMachine() {
  const holder = byId("machine");
  if (!DATA) return holder.replaceChildren();
  const focused = holder.contains(document.activeElement)
    ? [...holder.querySelectorAll("[tabindex], a, button")].indexOf(document.activeElement)
    : -1;
  holder.replaceChildren(
    el(
      "div",
      { class: "machine-top" },
      figureButton(),
      el("nav", { class: "machine-bar", "aria-label": tr("stations", "各站") }, bar()),
    ),
    el("div", { class: "machine-figure", id: "machine-figure" }, machineFigure(goFromFigure), machineWords()),
    el(
      "div",
      { class: "machine-foot" },
      saveButtons(() => byId("machine").querySelector("svg"), "machine"),
    ),
  );
  if (focused >= 0) holder.querySelectorAll("[tabindex], a, button")[focused]?.focus({ preventScroll: true });
  light();
  whenThere();
  return undefined;
}

// On a narrow screen the figure lies over the stations: it is folded again when it has led to one.
function unfold(isWished) {
  isUnfolded = isWished;
  byId("machine").classList.toggle("unfolded", isUnfolded);
  byId("machine").querySelector(".machine-show").setAttribute("aria-expanded", String(isUnfolded));
}

function goFromFigure(station, block) {
  unfold(false);
  goTo(station, block);
}

function figureButton() {
  return el(
    "button",
    {
      type: "button",
      class: "machine-show",
      "aria-expanded": String(isUnfolded),
      "aria-controls": "machine-figure",
      onclick: () => unfold(!isUnfolded),
    },
    tr("Figure", "结构图"),
  );
}

function bar() {
  return STATIONS.map((one) =>
    el(
      "a",
      {
        href: `#${one.id}`,
        "data-station": one.id,
        onclick: (event) => {
          event.preventDefault(); // the address is that of what is looked at
          goTo(one.id);
        },
      },
      one.name(),
    ),
  );
}

// The rows of layers that are on their way are drawn when they have come.
function whenThere() {
  const look = DATA,
    layers = [`encoder.${state.layer}`, `decoder.${state.decoderLayer}`];
  for (const layer of layers) {
    try {
      tensor(`${layer}.self_attention.weights`);
    } catch (error) {
      if (!(error instanceof Pending)) throw error;
      error.promise.then(
        () => look === DATA && drawMachine(),
        () => {},
      );
    }
  }
}

function light() {
  for (const one of byId("machine").querySelectorAll("[data-station]")) {
    const isLit = one.dataset.station === inView && (!one.dataset.block || one.dataset.block === blockInView);
    one.classList.toggle("lit", isLit);
    if (one.localName !== "a") continue;
    if (isLit) one.setAttribute("aria-current", "true");
    else one.removeAttribute("aria-current");
  }
  requestAnimationFrame(showChip);
}

// Not at once: to know where the chip is, the browser would lay out the page, and again after what is drawn next.
function showChip() {
  const chip = byId("machine").querySelector(".machine-bar .lit");
  const row = chip && chip.parentElement;
  if (row) row.scrollTo({ left: chip.offsetLeft - row.offsetLeft - (row.clientWidth - chip.clientWidth) / 2 });
}

// The last block that begins above the middle of the screen.
function watchBlocks() {
  const station = byId(inView);
  const begun = station ? [...station.querySelectorAll(".block")].filter(beginsAbove) : [];
  const found = begun.length ? begun[begun.length - 1].id : null;
  if (found === blockInView) return;
  blockInView = found;
  light();
}

const beginsAbove = (one) => one.getBoundingClientRect().top < innerHeight / 2;

// What stands in a band somewhat above the middle is what one reads.
function watchStations() {
  const watcher = new IntersectionObserver(
    (entries) => {
      const found = entries.find((entry) => entry.isIntersecting);
      if (!found || found.target.id === inView) return;
      inView = found.target.id;
      light();
      for (const listener of viewListeners) listener(inView);
    },
    { rootMargin: "-35% 0px -60% 0px" },
  );
  const watchAll = () => {
    watcher.disconnect();
    for (const one of byId("stations").children) watcher.observe(one);
  };
  new MutationObserver(watchAll).observe(byId("stations"), { childList: true });
  let isAsked = false;
  const soon = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      watchBlocks();
    });
  };
  addEventListener("scroll", soon, { passive: true });
}

export function startMachine() {
  onLooked(drawMachine);
  onChoice(drawMachine);
  watchStations();
}
