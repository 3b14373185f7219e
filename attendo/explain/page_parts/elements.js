// Small builders of the page: elements, folds that are filled when they are opened, rows of buttons to choose by.

const MATH = "http://www.w3.org/1998/Math/MathML";

// el("td", {class: "number", onclick}, "text", child): an attribute that is a function is a listener.
function el(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

// A text of the page in the language that was chosen.
function tr(english, chinese) {
  return state.language === "zh" ? chinese : english;
}

// Opened and closed by a click; what is inside is made when it is first opened, and the page remembers which are open.
function fold(id, summary, content, open = false) {
  const isOpen = id in state.open ? state.open[id] : open;
  const details = el("details", { class: "fold", open: isOpen, id }, el("summary", {}, summary));
  const fill = () => {
    if (details.children.length === 1) details.append(el("div", { class: "inside" }, content()));
  };
  if (isOpen) fill();
  details.addEventListener("toggle", () => {
    state.open[id] = details.open;
    if (details.open) fill();
  });
  return details;
}

// Buttons of which one is chosen: [{label, title, mark}]
function chooser(name, options, chosen, choose) {
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

// A table that a narrow screen scrolls: the texts of its head, the rows of its body, the columns that hold text.
function plainTable(head, rows, { wide = false, textColumns = [] } = {}) {
  const cells = head.map((text, at) => el("th", { class: textColumns.includes(at) ? "text" : null }, text));
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: wide ? "plain wide" : "plain" },
      el("thead", {}, el("tr", {}, cells)),
      el("tbody", {}, rows),
    ),
  );
}

function note(...text) {
  return el("p", { class: "note" }, text);
}

function code(text) {
  return el("code", {}, text);
}

// name [6, 256]
function nameAndShape(name, shape) {
  return el("span", { class: "name" }, code(name), el("span", { class: "shape" }, ` [${shape.join(", ")}]`));
}
