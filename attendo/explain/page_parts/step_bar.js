// The step bar: forward and back through the steps of decoding, by hand, by the arrow keys or by itself. The pieces that
// are written stand beside its buttons, that of the step is lit, those to come are faint.

import { el, svg, tr } from "./elements.js";
import { DATA, onLook } from "./look.js";
import { showShare } from "./numbers.js";
import { set, state } from "./state.js";

const PACE = 900; // milliseconds of a step that plays

// In a square of 16; not letters, which not every font has.
const SIGNS = {
  first: "M3 3h2v10h-2zM13 3v10L6 8z",
  back: "M11 3v10L4 8z",
  play: "M4 2.5v11L13.5 8z",
  pause: "M4 3h3v10h-3zM9 3h3v10h-3z",
  next: "M5 3v10l7-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};

let playing = null; // the timer

// Stays where it is while the stations are drawn anew: what has just come into the page is not read out.
const announcer = el("div", { class: "glass announcer", "aria-live": "polite" });

export function stepBar() {
  const { step } = state,
    last = lastStep();
  const bar = el(
    "div",
    { class: "step-bar", role: "group", "aria-label": tr("steps of decoding", "解码的各步"), onkeydown: stepByKey },
    el(
      "div",
      { class: "step-buttons" },
      stepButton("first", tr("first step", "第一步"), () => goToStep(0), step === 0),
      stepButton("back", tr("step back", "上一步"), () => goToStep(step - 1), step === 0),
      stepButton("play", playLabel(), playOrPause, false),
      stepButton("next", tr("next step", "下一步"), () => goToStep(step + 1), step === last),
      stepButton("last", tr("last step", "最后一步"), () => goToStep(last), step === last),
    ),
    el(
      "span",
      { class: "quiet step-count" },
      tr(`step ${step + 1} of ${last + 1}`, `第 ${step + 1} 步，共 ${last + 1} 步`),
    ),
    el(
      "div",
      { class: "step-pieces", role: "group", "aria-label": tr("what is written", "写出的词元") },
      DATA.target.labels.map(pieceButton),
    ),
  );
  requestAnimationFrame(() => {
    if (!announcer.isConnected) document.querySelector("main").append(announcer);
    bringIntoView(bar);
  });
  return bar;
}

const lastStep = () => DATA.steps.length - 1;

// Not disabled where there is nowhere to go: a button that is would lose the focus, and with it the keys.
function stepButton(name, label, press, isIdle) {
  return el(
    "button",
    {
      type: "button",
      class: name,
      "data-step-button": name,
      "aria-label": label,
      "aria-disabled": isIdle ? "true" : null,
      title: label,
      onclick: press,
    },
    stepSign(name === "play" && playing ? "pause" : name),
  );
}

function stepSign(name) {
  return svg(
    "svg",
    { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", { d: SIGNS[name] }),
  );
}

// One of them is reached by the tab key, the others from there by the arrows.
function pieceButton(label, step) {
  const when = step < state.step ? "before" : step === state.step ? "now" : "after";
  return el(
    "button",
    {
      type: "button",
      class: when,
      "data-step": String(step),
      "aria-current": when === "now" ? "step" : null,
      tabindex: when === "now" ? "0" : "-1",
      title: tr(
        `step ${step + 1}: reads ${DATA.target_in.labels[step]}, writes ${label}`,
        `第 ${step + 1} 步：读入 ${DATA.target_in.labels[step]}，写出 ${label}`,
      ),
      onclick: () => goToStep(step),
    },
    label,
  );
}

function stepByKey(event) {
  const to = { ArrowLeft: state.step - 1, ArrowRight: state.step + 1, Home: 0, End: lastStep() }[event.key];
  if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  goToStep(to);
}

// Whoever goes by hand does not want to be carried on.
function goToStep(step) {
  pause();
  walkToStep(step);
}

function walkToStep(step) {
  if (step < 0 || step > lastStep() || step === state.step) return;
  const wasOnPiece = document.activeElement && "step" in document.activeElement.dataset;
  set({ step });
  const bar = document.activeElement && document.activeElement.closest(".step-bar");
  if (wasOnPiece && bar) bar.querySelector("[aria-current]").focus({ preventScroll: true });
  announce();
}

function announce() {
  const one = DATA.steps[state.step],
    label = DATA.target.labels[state.step],
    p = showShare(Math.exp(one.log_prob));
  announcer.textContent = tr(
    `step ${state.step + 1} of ${lastStep() + 1}: ${label}, p ${p}`,
    `第 ${state.step + 1} 步，共 ${lastStep() + 1} 步：${label}，p ${p}`,
  );
}

const playLabel = () => (playing ? tr("pause", "暂停") : tr("play", "播放"));

function playOrPause() {
  if (playing) return pause();
  if (state.step === lastStep()) walkToStep(0);
  playing = setInterval(playOn, PACE);
  return markPlaying();
}

function playOn() {
  walkToStep(state.step + 1);
  if (state.step === lastStep()) pause();
}

function pause() {
  if (!playing) return;
  clearInterval(playing);
  playing = null;
  markPlaying();
}

onLook(pause);

function markPlaying() {
  for (const button of document.querySelectorAll("[data-step-button=play]")) {
    button.replaceChildren(stepSign(playing ? "pause" : "play"));
    button.setAttribute("aria-label", playLabel());
    button.title = playLabel();
  }
}

// Sideways alone, and at once: the page itself stays where it is.
function bringIntoView(bar) {
  const row = bar.querySelector(".step-pieces"),
    piece = row.querySelector("[aria-current]");
  row.scrollLeft = piece.offsetLeft - row.offsetLeft - (row.clientWidth - piece.offsetWidth) / 2;
}
