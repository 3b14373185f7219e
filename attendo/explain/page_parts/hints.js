// Pointing at a number, or coming to it by the keyboard, shows in one line what made it.

import { el, tr } from "./elements.js";
import { factorsOf } from "./factors.js";
import { onLook, Pending } from "./look.js";
import { factorsLine } from "./unfold.js";

const GAP = 8; // pixels between a number and what is said of it
const hint = el("div", { id: "factors-hint", role: "tooltip", hidden: true });
let described = null; // the element whose description the hint is

// Above the box that is pointed at, or below where there is no room. `element` is described by the hint; `more` says
// what a click does.
export function showHint(cell, box, { element = null, more = unfoldWords() } = {}) {
  hideHint();
  try {
    hint.replaceChildren(...hintLines(factorsOf(cell), more));
  } catch (error) {
    if (error instanceof Pending) return;
    throw error;
  }
  if (!hint.isConnected) document.body.append(hint);
  hint.hidden = false;
  const { width, height } = hint.getBoundingClientRect(),
    room = document.documentElement.clientWidth - width - GAP;
  const left = Math.max(GAP, Math.min((box.left + box.right - width) / 2, room));
  const top = box.top - height - GAP >= 0 ? box.top - height - GAP : box.bottom + GAP;
  hint.style.setProperty("--left", `${left}px`);
  hint.style.setProperty("--top", `${top}px`);
  if (element) {
    described = element;
    element.setAttribute("aria-describedby", hint.id);
  }
}

export function hideHint() {
  hint.hidden = true;
  if (described) described.removeAttribute("aria-describedby");
  described = null;
}

function unfoldWords() {
  return tr("click or Enter: all of it", "点击或按回车：展开全部");
}

function hintLines(made, more) {
  return [
    el("div", { class: "hint-name" }, made.name),
    el("div", {}, factorsLine(made)),
    el("div", { class: "hint-more" }, more),
  ];
}

export function boxAt(event) {
  return { left: event.clientX, right: event.clientX, top: event.clientY - GAP, bottom: event.clientY + GAP };
}

document.addEventListener("pointerover", (event) => {
  const element = event.target.closest("[data-cell]");
  if (!element || event.pointerType === "touch") hideHint();
  else {
    const box = element instanceof SVGElement ? boxAt(event) : element.getBoundingClientRect();
    showHint(JSON.parse(element.dataset.cell), box, { element });
  }
});
document.addEventListener("focusin", (event) => {
  const element = event.target.closest("[data-cell]");
  if (element && element.matches(":focus-visible")) {
    showHint(JSON.parse(element.dataset.cell), element.getBoundingClientRect(), { element });
  } else hideHint();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideHint();
});
document.addEventListener("scroll", hideHint, { capture: true, passive: true });
onLook(hideHint);
