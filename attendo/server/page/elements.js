// Small builders: elements whose text is only ever text, words of the page, the clipboard.

import { t } from "./settings.js";

// el("button", {class: "quiet", onclick}, "text", child): an attribute that is a function is a listener.
export function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

// Fills every element that names its words: data-word its text, data-label and data-hint what is said of it.
export function speak(root = document) {
  for (const one of root.querySelectorAll("[data-word]")) one.textContent = t(one.dataset.word);
  for (const one of root.querySelectorAll("[data-label]")) one.setAttribute("aria-label", t(one.dataset.label));
  for (const one of root.querySelectorAll("[data-hint]")) one.setAttribute("placeholder", t(one.dataset.hint));
}

export function byId(id) {
  return document.getElementById(id);
}

// Pages without https may not use the clipboard of today; the older way works there.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "unseen", readonly: true, "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

// Copies and says so on the button, for a moment.
export async function copyFrom(button, text, label = "box.copy") {
  const done = await copied(text);
  button.focus();
  button.classList.toggle("done", done);
  button.textContent = done ? t("box.copied") : t("error.clipboard");
  setTimeout(() => {
    button.classList.remove("done");
    button.textContent = t(label);
  }, 1600);
}
