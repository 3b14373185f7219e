// Vectors: a stripe a position, a column a dimension, warm above zero and cold below; and their numbers.

import { el, fold, nameAndShape, note, tr } from "./elements.js";
import { boxAt, hideHint, showHint } from "./hints.js";
import { onCells, unfoldHolder } from "./matrices.js";
import { show } from "./numbers.js";
import { tensor } from "./tensors.js";
import { canUnfold } from "./unfold_products.js";

const FIRST_SHOWN = 8;

// {name, labels, chosen, choose(i), place, head: or null, cell(row, dimension)}
export function stripes(of) {
  const values = tensor(of.name);
  const rowOf = (i) => (of.head === undefined ? values.row(i) : values.row(of.head, i));
  const canvas = el("canvas", {
    width: String(values.width),
    height: String(of.labels.length),
    role: "img",
    "aria-label": tr(`${of.name}, a stripe for each piece`, `${of.name}，每个词元一行`),
  });
  paint(
    canvas,
    of.labels.map((_, i) => rowOf(i)),
  );
  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    const index = (where, size, count) => Math.max(0, Math.min(Math.floor((where / size) * count), count - 1));
    return [
      index(event.clientY - box.top, box.height, of.labels.length),
      index(event.clientX - box.left, box.width, values.width),
    ];
  };
  canvas.addEventListener("click", (event) => of.choose(under(event)[0]));
  canvas.addEventListener("pointermove", (event) =>
    showHint(of.cell(...under(event)), boxAt(event), {
      more: tr("click: the numbers of this row", "点击：这一行的数"),
    }),
  );
  canvas.addEventListener("pointerleave", hideHint);
  const labels = of.labels.map((label, i) =>
    el(
      "button",
      {
        type: "button",
        "aria-pressed": String(i === of.chosen),
        onclick: () => of.choose(i),
      },
      label,
    ),
  );
  const holder = el("div", { class: "stripes" }, el("div", { class: "labels" }, labels), canvas);
  holder.style.setProperty("--rows", String(of.labels.length));
  return holder;
}

function paint(canvas, rows) {
  const context = canvas.getContext("2d"),
    picture = context.createImageData(canvas.width, canvas.height);
  let squares = 0,
    count = 0;
  for (const one of rows)
    for (const value of one) {
      squares += value * value;
      count++;
    }
  const strong = 2.5 * Math.sqrt(squares / count) || 1;
  let to = 0;
  for (const one of rows)
    for (const value of one) {
      const [red, green, blue] = value > 0 ? [217, 95, 2] : [32, 110, 200];
      picture.data.set([red, green, blue, Math.round(255 * Math.min(Math.abs(value) / strong, 1))], to);
      to += 4;
    }
  context.putImageData(picture, 0, 0);
}

// The numbers of one row, the first of them at once, the others in a fold; each can be unfolded.
export function numbers(of) {
  const values = of.head === undefined ? tensor(of.name).row(of.chosen) : tensor(of.name).row(of.head, of.chosen);
  const cells = (from, to) => Array.from(values.subarray(from, to), (value, k) => numberCell(of, value, from + k));
  const grid = el("div", { class: "grid" }, cells(0, FIRST_SHOWN));
  onCells(grid, of.place);
  const rest = () => {
    const more = el("div", { class: "grid" }, cells(FIRST_SHOWN, values.length));
    onCells(more, of.place);
    return more;
  };
  return el(
    "div",
    { class: "numbers-of" },
    el("span", { class: "quiet" }, `${of.labels[of.chosen]}: `),
    grid,
    values.length > FIRST_SHOWN
      ? fold(
          `${of.place}-rest`,
          tr(`the other ${values.length - FIRST_SHOWN} numbers`, `其余 ${values.length - FIRST_SHOWN} 个数`),
          rest,
        )
      : null,
    unfoldHolder(of.place),
  );
}

function numberCell(of, value, k) {
  const cell = of.cell(of.chosen, k);
  return el(
    "span",
    {
      class: canUnfold(cell) ? "number open" : "number",
      "data-of": of.place,
      "data-cell": JSON.stringify(cell),
      role: "button",
      tabindex: "0",
      "data-name": `${of.name}[${of.head === undefined ? "" : `${of.head}, `}${of.chosen}, ${k}]`,
    },
    show(value),
  );
}

// A fold with the name, the shape and the equation of a tensor; inside, its stripes and the numbers of the chosen row.
export function tensorFold(of, title, equations, words, open = false) {
  const place = of.name.replace(/\./g, "-");
  const shape = tensor(of.name).shape;
  const whole = { ...of, place };
  return fold(
    `tensor-${place}`,
    [el("b", {}, title), " ", nameAndShape(of.name, shape), equations],
    () => [words ? note(words) : null, stripes(whole), numbers(whole)],
    open,
  );
}
