// A check: the number is computed again, here, from the factors that are shown, and held beside the one that is known.

import { el, tr } from "./elements.js";

const CLOSE = 2e-3; // of the number, or of 1: the page of `attendo explain` stores five digits of each factor
const DIGITS_CHECKED = 6;

// {value, again(), isModels: the number is the model's own, not one that the page has computed}
export function checkButton(made) {
  if (!made.again) return null;
  const answer = el("span", { class: "checked", role: "status" });
  const check = () => answer.replaceChildren(verdict(made.again(), made.value, made.isModels));
  return el(
    "p",
    { class: "line check" },
    el("button", { type: "button", onclick: check }, tr("check", "验算")),
    " ",
    answer,
  );
}

function verdict(computed, known, isModels) {
  const same = computed === known || Math.abs(computed - known) <= CLOSE * Math.max(1, Math.abs(known));
  return el(
    "span",
    { class: same ? "same" : "different" },
    `${same ? "✓" : "≠"} `,
    tr("computed now from the factors above: ", "由上面的各项重新计算："),
    digits(computed),
    isModels ? tr(" · the model has ", " · 模型的值为 ") : tr(" · the page has ", " · 页面上的值为 "),
    digits(known),
  );
}

function digits(value) {
  if (value === -Infinity) return "−∞";
  return String(Number(value.toPrecision(DIGITS_CHECKED))).replace(/-/g, "−");
}
