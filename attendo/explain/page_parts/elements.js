// Small builders of the page: elements, folds that are filled when they are opened, rows of buttons to choose by.

import { DATA, Pending } from "./look.js";
import { state } from "./state.js";

export const MATH = "http://www.w3.org/1998/Math/MathML";
const SVG = "http://www.w3.org/2000/svg";

// el("td", {class: "number", onclick}, "text", child): an attribute that is a function is a listener.
export function el(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

// A text of the page in the language that was chosen.
export function tr(english, chinese) {
  return state.language === "zh" ? chinese : english;
}

// Opened and closed by a click; what is inside is made when it is first opened, and the page remembers which are open.
export function fold(id, summary, content, open = false) {
  const isOpen = id in state.open ? state.open[id] : open;
  const details = el("details", { class: "fold", open: isOpen, id }, el("summary", {}, summary));
  const fill = () => {
    if (details.children.length === 1) details.append(el("div", { class: "inside" }, patient(content)));
  };
  if (isOpen) fill();
  details.addEventListener("toggle", () => {
    state.open[id] = details.open;
    if (details.open) fill();
  });
  return details;
}

// Buttons of which one is chosen: [{label, title, mark}]
export function chooser(name, options, chosen, choose) {
  const buttons = options.map((one, index) =>
    el(
      "button",
      {
        type: "button",
        class: one.mark ? "marked" : null,
        "aria-pressed": String(index === chosen),
        title: one.title,
        lang: one.lang,
        onclick: () => choose(index),
      },
      one.label,
    ),
  );
  return el(
    "div",
    { class: "chooser", role: "group", "aria-label": name },
    el("span", { class: "quiet" }, name),
    buttons,
  );
}

// What may be larger than its place, and is scrolled by keys, too.
export function scroller(label, ...content) {
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, content);
}

// A table that a narrow screen scrolls: the texts of its head, the rows of its body, the columns that hold text.
export function plainTable(head, rows, { wide = false, textColumns = [] } = {}) {
  const cells = head.map((text, at) =>
    el(text ? "th" : "td", { class: textColumns.includes(at) ? "text" : null }, text),
  );
  return scroller(
    head.filter(Boolean).join(", "),
    el("table", { class: wide ? "plain wide" : "plain" }, el("thead", {}, el("tr", {}, cells)), el("tbody", {}, rows)),
  );
}

export function note(...text) {
  return el("p", { class: "note" }, text);
}

export function code(text) {
  return el("code", {}, text);
}

// name [6, 256]
export function nameAndShape(name, shape) {
  return el("span", { class: "name" }, code(name), el("span", { class: "shape" }, ` [${shape.join(", ")}]`));
}

// What is drawn by numbers that are on their way is drawn when they are there.
export function patient(draw) {
  const holder = el("div", { class: "patient" }),
    look = DATA;
  const attempt = () => {
    if (look !== DATA) return; // another sentence is shown by now
    try {
      filled(holder, {}, [draw()]);
    } catch (error) {
      if (!(error instanceof Pending)) throw error;
      if (!holder.children.length) holder.append(el("p", { class: "quiet" }, "…"));
      error.promise.then(
        () => {
          holder.replaceChildren();
          attempt();
        },
        () => {},
      );
    }
  };
  attempt();
  return holder;
}
