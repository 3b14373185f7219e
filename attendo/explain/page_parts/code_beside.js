// The lines of our own code that compute what a station shows.

import { el, fold, tr } from "./elements.js";
import { DATA, Pending } from "./look.js";

let known = null; // {name: {file, line, source}}
let asked = null;
let loadCode = null;

// Where a server has the code: a function that gives a promise of all of it.
export function setCodeLoader(load) {
  loadCode = load;
}

// The names are those of code_beside.py.
export function codeFold(place, ...names) {
  if (!DATA.code && !loadCode) return null;
  return fold(`fold-code-${place}`, [el("b", {}, tr("our code", "我们的代码")), " ", filesHint()], () =>
    names.filter(Boolean).map((name) => codeBlock(ourCode()[name])),
  );
}

function filesHint() {
  return el("span", { class: "quiet" }, tr("the lines that compute this", "计算这一步的那几行"));
}

function ourCode() {
  if (DATA.code) return DATA.code;
  if (known) return known;
  if (!asked) {
    asked = loadCode().then((all) => {
      known = all;
    });
    asked.catch(() => {
      asked = null; // the next who opens a fold tries again
    });
  }
  throw new Pending(asked);
}

function codeBlock({ file, line, source }) {
  return el(
    "figure",
    { class: "our-code" },
    el("figcaption", { class: "quiet" }, `${file}, ${tr(`line ${line}`, `第 ${line} 行`)}`),
    el("pre", { tabindex: "0", "aria-label": file }, el("code", {}, source)),
  );
}
