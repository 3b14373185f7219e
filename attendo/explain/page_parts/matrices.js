// Matrices with a label for each row and column: weights of attention by how dark a cell is, other numbers by a warm
// colour above zero and a cold one below. A click on a cell unfolds it; a click on a row's label chooses the row.

import { code, el, tr } from "./elements.js";
import { show, showShare } from "./numbers.js";
import { unfoldAt } from "./state.js";
import { unfolding } from "./unfold.js";

const MOST_WITH_NUMBERS = 12; // columns; with more there is room for colours alone

// {rows, columns, value(i, j), hidden(i, j), chosen, choose(i), place, cell(i, j), signed}
export function matrix(of) {
  const numbers = of.columns.length <= MOST_WITH_NUMBERS;
  const largest = of.signed ? largestOf(of) : 1;
  const head = el(
    "tr",
    {},
    el("td", {}),
    of.columns.map((label) => el("th", { scope: "col" }, el("span", {}, label))),
  );
  const body = of.rows.map((label, i) =>
    el(
      "tr",
      { class: i === of.chosen ? "chosen" : null },
      el(
        "th",
        { scope: "row" },
        of.choose
          ? el("button", { type: "button", "data-row": String(i), "aria-pressed": String(i === of.chosen) }, label)
          : label,
      ),
      of.columns.map((_, j) => heatCell(of, i, j, largest, numbers)),
    ),
  );
  const table = el("table", { class: numbers ? "heat numbers" : "heat" }, el("thead", {}, head), el("tbody", {}, body));
  table.addEventListener("click", (event) => {
    const button = event.target.closest("[data-row]"),
      cell = event.target.closest("td[data-cell]");
    if (button) of.choose(Number(button.dataset.row));
    else if (cell) unfoldAt(of.place, JSON.parse(cell.dataset.cell));
  });
  return el("div", { class: "scroll" }, table);
}

function heatCell(of, i, j, largest, numbers) {
  if (of.hidden && of.hidden(i, j))
    return el("td", { class: "hidden", title: tr("masked", "被掩码遮住") }, numbers ? "−∞" : "");
  const value = of.value(i, j);
  const text = of.signed ? show(value) : value.toFixed(2);
  const cell = el(
    "td",
    {
      class: value < 0 ? "cold" : of.signed ? "warm" : null,
      "data-of": of.place,
      "data-cell": JSON.stringify(of.cell(i, j)),
    },
    numbers ? text : "",
  );
  cell.style.setProperty("--share", String(Math.min(Math.abs(value) / largest, 1)));
  return cell;
}

function largestOf(of) {
  let largest = 1e-9;
  of.rows.forEach((_, i) =>
    of.columns.forEach((_, j) => {
      if (!(of.hidden && of.hidden(i, j))) largest = Math.max(largest, Math.abs(of.value(i, j)));
    }),
  );
  return largest;
}

// Rows of numbers under the labels of their columns: what becomes of one query's scores.
// rows: [{name, note, values, cell(j), share: how dark, or null}]
export function rowsTable(columns, rows, place) {
  const head = el(
    "tr",
    {},
    el("td", {}),
    columns.map((label) => el("th", { scope: "col" }, label)),
  );
  const body = rows.map((one) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, code(one.name), one.note ? el("span", { class: "quiet" }, ` ${one.note}`) : null),
      Array.from(one.values, (value, j) => {
        const cell = el(
          "td",
          {
            class: one.share ? "warm" : null,
            "data-of": place,
            "data-cell": JSON.stringify(one.cell(j)),
            role: "button",
            tabindex: "0",
          },
          one.share ? showShare(value) : show(value),
        );
        if (one.share) cell.style.setProperty("--share", String(value));
        return cell;
      }),
    ),
  );
  const table = el("table", { class: "heat rows" }, el("thead", {}, head), el("tbody", {}, body));
  onCells(table, place);
  return el("div", { class: "scroll" }, table);
}

// Cells are unfolded by a click, or by Enter or space where the keyboard has come to them.
export function onCells(holder, place) {
  const open = (event) => {
    const cell = event.target.closest("[data-cell]");
    if (!cell) return;
    unfoldAt(place, JSON.parse(cell.dataset.cell));
    event.preventDefault(); // space would scroll
  };
  holder.addEventListener("click", open);
  holder.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") open(event);
  });
}

export function unfoldHolder(place) {
  return el("div", { class: "holder", "data-place": place, "aria-live": "polite" }, unfolding(place));
}
