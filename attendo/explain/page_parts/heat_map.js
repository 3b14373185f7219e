// Maps of who looks at whom: a table where it is small, else a canvas, a pixel a cell, with the labels beside it.

import { el, tr } from "./elements.js";
import { hideHint, showHint } from "./hints.js";
import { matrix } from "./matrices.js";
import { unfoldAt } from "./state.js";

const MOST_CELLS = 256; // of a table
const HEAT = [84, 112, 196]; // to be seen on a light ground as on a dark one
const WARM = [217, 95, 2];
const COLD = [32, 110, 200];

// {rows, columns, value(i, j), hidden(i, j), chosen, choose(i), place, cell(i, j), signed}
export function heatMap(of, summary) {
  return of.rows.length * of.columns.length <= MOST_CELLS ? matrix(of) : largeMap(of, summary);
}

// The colours alone: a canvas as many pixels wide as there are columns, made larger by its style.
export function paintedMap(of, attributes) {
  const canvas = el("canvas", { class: "map", width: of.columns.length, height: of.rows.length, ...attributes });
  const context = canvas.getContext("2d"),
    picture = context.createImageData(canvas.width, canvas.height);
  const largest = of.signed ? largestSize(of) : 1;
  let to = 0;
  for (let i = 0; i < of.rows.length; i++)
    for (let j = 0; j < of.columns.length; j++) {
      const value = of.hidden && of.hidden(i, j) ? 0 : of.value(i, j);
      const colour = !of.signed ? HEAT : value < 0 ? COLD : WARM;
      picture.data.set([...colour, Math.round(255 * Math.min(Math.abs(value) / largest, 1))], to);
      to += 4;
    }
  context.putImageData(picture, 0, 0);
  return canvas;
}

function largestSize(of) {
  let largest = 1e-9;
  for (let i = 0; i < of.rows.length; i++)
    for (let j = 0; j < of.columns.length; j++) {
      const size = Math.abs(of.value(i, j));
      if (size < Infinity) largest = Math.max(largest, size);
    }
  return largest;
}

function largeMap(of, summary) {
  const canvas = paintedMap(of, { tabindex: "0", role: "img", "aria-label": summary });
  const frame = el("div", { class: "frame" }),
    cells = el("div", { class: "cells" }, canvas, el("div", { class: "chosen-row" }), frame);
  const rows = of.rows.map((label, i) =>
    of.choose
      ? el("button", { type: "button", "aria-pressed": String(i === of.chosen), onclick: () => of.choose(i) }, label)
      : el("span", { class: i === of.chosen ? "chosen" : null }, label),
  );
  const grid = el(
    "div",
    { class: "large-map" },
    el("div", { class: "corner" }),
    el(
      "div",
      { class: "column-labels" },
      of.columns.map((label) => el("span", {}, label)),
    ),
    el("div", { class: "row-labels" }, rows),
    cells,
  );
  grid.style.setProperty("--rows", String(of.rows.length));
  grid.style.setProperty("--columns", String(of.columns.length));
  grid.style.setProperty("--chosen", String(of.chosen));
  onCanvas(of, canvas, frame);
  return el("div", { class: "scroll" }, grid);
}

// The pointer or the arrow keys go from cell to cell; a click or Enter unfolds the one they are at.
function onCanvas(of, canvas, frame) {
  let at = [of.chosen || 0, 0];
  const go = (i, j) => {
    at = [Math.max(0, Math.min(i, of.rows.length - 1)), Math.max(0, Math.min(j, of.columns.length - 1))];
    frame.style.setProperty("--at-row", String(at[0]));
    frame.style.setProperty("--at-column", String(at[1]));
    frame.classList.add("shown");
    showHint(of.cell(...at), frame.getBoundingClientRect(), { element: canvas });
  };
  const leave = () => {
    frame.classList.remove("shown");
    hideHint();
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const index = (where, size, count) => Math.floor((where / size) * count);
    go(
      index(event.clientY - box.top, box.height, of.rows.length),
      index(event.clientX - box.left, box.width, of.columns.length),
    );
  });
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("blur", leave);
  canvas.addEventListener("click", () => unfoldAt(of.place, of.cell(...at)));
  canvas.addEventListener("keydown", (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (move) go(at[0] + move[0], at[1] + move[1]);
    if (event.key === "Enter") unfoldAt(of.place, of.cell(...at));
    if (move) event.preventDefault();
  });
}

// A real table of the same numbers, for who reads by ear, or wants to copy them.
export function tableTwin(of, caption) {
  const head = el(
    "tr",
    {},
    el("td", {}),
    of.columns.map((label) => el("th", { scope: "col" }, label)),
  );
  const body = of.rows.map((label, i) =>
    el(
      "tr",
      { class: i === of.chosen ? "chosen" : null },
      el("th", { scope: "row" }, label),
      of.columns.map((_, j) =>
        el("td", {}, of.hidden && of.hidden(i, j) ? tr("masked", "掩码") : of.value(i, j).toFixed(3)),
      ),
    ),
  );
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", { class: "plain twin" }, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, body)),
  );
}
