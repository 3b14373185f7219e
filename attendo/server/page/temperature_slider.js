// The temperature of the output's softmax, from 0.1 to 5: equal ways of the slider are equal factors.

import { el, tr } from "/glass/elements.js";
import { handsWith } from "/glass/hand_changes.js";
import { wantedHands } from "/glass/look.js";

const [COLDEST, HOTTEST] = [0.1, 5];
const AT_ONE = 0.03; // so near to 1, by its logarithm, it is 1
const PAUSE = 150; // milliseconds after the last move
let slider = null;
let timer = 0;

export function isTurned() {
  return slider !== null && slider.isConnected && document.activeElement === slider;
}

export function temperatureSlider(act) {
  const now = wantedHands().temperature || 1,
    name = tr("temperature", "温度"),
    shown = el("output", {}, String(now));
  slider = el("input", {
    type: "range",
    min: Math.log10(COLDEST).toFixed(2),
    max: Math.log10(HOTTEST).toFixed(2),
    step: "0.01",
    value: String(Math.log10(now)),
    "aria-label": name,
    "aria-valuetext": String(now),
    oninput: (event) => {
      const temperature = temperatureAt(Number(event.target.value));
      shown.textContent = String(temperature);
      event.target.setAttribute("aria-valuetext", String(temperature));
      clearTimeout(timer);
      timer = setTimeout(() => act(handsWith({ temperature })), PAUSE);
    },
  });
  return el(
    "div",
    { class: "setting temperature" },
    el("span", { class: "quiet" }, name),
    slider,
    shown,
    el(
      "span",
      { class: "quiet" },
      tr("low: surer than the model is; high: less sure", "低：比模型更确定；高：更不确定"),
    ),
  );
}

// Two digits, which is as fine as the slider is.
function temperatureAt(logarithm) {
  if (Math.abs(logarithm) < AT_ONE) return 1;
  return Math.min(HOTTEST, Math.max(COLDEST, Number((10 ** logarithm).toPrecision(2))));
}
