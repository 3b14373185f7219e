// Arcs from who looks to who is looked at, the thicker the more: over one row of pieces where they look at each other,
// between two rows where a translation looks at its source.

import { el, svg, tr } from "./elements.js";
import { onCells } from "./matrices.js";
import { sum } from "./numbers.js";

const FAINTEST = 0.04; // arcs of less than this are not drawn
const MOST_WITH_ALL = 24; // pieces; of more, each has its strongest arcs alone
const STRONGEST = 5;
const WIDEST = 640; // short sentences are spread out to this, where there is room
const AROUND = 90; // pixels of a small screen that are left and right of a picture
const HIGHEST = 190; // of an arc
const BETWEEN = 116; // two rows
const scrolledTo = new Map(); // by place: drawn anew, a long sentence stays where it was

// of: as joined.js gives it. Without a place nothing can be unfolded.
export function arcs(of, summary) {
  const rows = placed(of.rows),
    columns = of.own ? rows : placed(of.columns);
  const wide = spread(of.own ? [rows] : [rows, columns]);
  const drawing = of.own ? overOneRow(of, rows.middle) : betweenRows(of, rows.middle, columns.middle);
  const picture = svg(
    "svg",
    {
      class: of.own ? "arcs" : "arcs between",
      width: wide,
      height: drawing.height,
      viewBox: `0 0 ${wide} ${drawing.height}`,
      role: "group",
      "aria-label": summary,
    },
    svg(
      "g",
      { class: "lines" },
      drawing.lines.map((one) => one.path),
    ),
    drawing.sides.map((side) => svg("g", { class: "shares" }, side.shares)),
    drawing.sides.map((side) =>
      svg("g", { class: side === drawing.rowSide ? "pieces-of who-looks" : "pieces-of" }, side.labels),
    ),
  );
  followPointer(picture, of, drawing);
  onCells(picture, of.place);
  const holder = el("div", { class: "scroll arcs-holder" }, picture);
  stayWhere(holder, of.place);
  return holder;
}

function stayWhere(holder, place) {
  holder.addEventListener("scroll", () => scrolledTo.set(place, holder.scrollLeft), { passive: true });
  if (scrolledTo.get(place)) requestAnimationFrame(() => holder.scrollTo(scrolledTo.get(place), 0));
}

// Arcs that are worth drawing: [[weight, i, j]], the strong ones last and on top.
function strongest(of) {
  const most = of.rows.length > MOST_WITH_ALL ? STRONGEST : Infinity;
  const all = of.rows.flatMap((_, i) => {
    const row = of.columns.map((_, j) => [of.value(i, j), i, j]).filter(([weight]) => weight >= FAINTEST);
    return row.sort((a, b) => b[0] - a[0]).slice(0, most);
  });
  return all.sort((a, b) => (a[1] === of.chosen) - (b[1] === of.chosen) || a[0] - b[0]);
}

function arc(of, [weight, i, j], d) {
  const path = svg("path", {
    d,
    class: i === of.chosen ? "now" : null,
    "stroke-width": (1 + 6 * weight).toFixed(2),
    "stroke-opacity": (0.2 + 0.7 * weight).toFixed(3),
    "data-of": of.place,
    "data-cell": of.place ? JSON.stringify(of.cell(i, j)) : null,
  });
  return { path, i, j };
}

function overOneRow(of, middle) {
  const wanted = strongest(of);
  const high = (i, j) =>
    (i === j ? 34 : Math.min(HIGHEST, 26 + 0.42 * Math.abs(middle[i] - middle[j]))) * (j < i ? 0.86 : 1);
  const floor = 10 + 0.75 * Math.max(34, ...wanted.map(([, i, j]) => high(i, j)));
  const lines = wanted.map((one) => {
    const [, i, j] = one,
      top = floor - high(i, j);
    const [from, to, lean] = i === j ? [middle[i] - 5, middle[i] + 5, 9] : [middle[i], middle[j], 0];
    return arc(of, one, `M${from} ${floor} C${from - lean} ${top} ${to + lean} ${top} ${to} ${floor}`);
  });
  const side = {
    labels: pieceTexts(of.rows, middle, floor + 22, of.chosen, of.choose),
    shares: shareTexts(middle, floor + 41),
  };
  return { height: floor + 48, lines, sides: [side], rowSide: side, columnSide: side };
}

function betweenRows(of, below, above) {
  const upper = 46,
    lower = upper + BETWEEN,
    half = (upper + lower) / 2;
  const lines = strongest(of).map((one) => {
    const [, i, j] = one;
    return arc(of, one, `M${below[i]} ${lower} C${below[i]} ${half} ${above[j]} ${half} ${above[j]} ${upper}`);
  });
  const columnSide = {
    labels: pieceTexts(of.columns, above, upper - 11, of.chosenColumn, of.chooseColumn),
    shares: shareTexts(above, 14),
  };
  const rowSide = {
    labels: pieceTexts(of.rows, below, lower + 20, of.chosen, of.choose),
    shares: shareTexts(below, lower + 38),
  };
  return { height: lower + 46, lines, sides: [columnSide, rowSide], rowSide, columnSide };
}

// One of a row can be come to by the Tab key, the others by the arrow keys.
function pieceTexts(labels, middle, y, chosen, choose) {
  const texts = labels.map((label, at) =>
    svg(
      "text",
      {
        x: middle[at],
        y,
        class: at === chosen ? "chosen" : null,
        tabindex: at === chosen ? "0" : "-1",
        role: "button",
        "aria-pressed": String(at === chosen),
        onclick: () => choose(at),
      },
      label,
    ),
  );
  texts.forEach((text, at) =>
    text.addEventListener("keydown", (event) => {
      const next = { ArrowLeft: at - 1, ArrowRight: at + 1 }[event.key];
      if (texts[next]) texts[next].focus();
      if (event.key === "Enter" || event.key === " ") choose(at);
      if (texts[next] || event.key === " ") event.preventDefault();
    }),
  );
  return texts;
}

function shareTexts(middle, y) {
  return middle.map((x) => svg("text", { x, y, class: "share", "aria-hidden": "true" }));
}

// The arcs of the piece that is pointed at come forward, and the weights of its row, or its column, are written.
function followPointer(picture, of, { lines, sides, rowSide, columnSide }) {
  const write = (side, value, hidden) =>
    side.shares.forEach((text, at) => {
      const share = value(at);
      text.textContent = share >= 0.005 ? share.toFixed(2) : "";
      side.labels[at].classList.toggle("masked", hidden(at));
    });
  const clear = () =>
    sides.forEach((side) =>
      write(
        side,
        () => 0,
        () => false,
      ),
    );
  const showRow = (i) =>
    write(
      columnSide,
      (j) => of.value(i, j),
      (j) => Boolean(of.hidden && of.hidden(i, j)),
    );
  const showColumn = (j) =>
    write(
      rowSide,
      (i) => of.value(i, j),
      () => false,
    );
  const point = (isHot) => {
    picture.classList.toggle("pointed", isHot !== null);
    for (const { path, i, j } of lines) path.classList.toggle("hot", isHot !== null && isHot(i, j));
  };
  const follow = (texts, isHot, showShares) =>
    texts.forEach((text, at) => {
      const begin = () => {
        clear();
        showShares(at);
        point((i, j) => isHot(i, j, at));
      };
      const end = () => {
        clear();
        showRow(of.chosen);
        point(null);
      };
      text.addEventListener("pointerenter", begin);
      text.addEventListener("focus", begin);
      text.addEventListener("pointerleave", end);
      text.addEventListener("blur", end);
    });
  follow(rowSide.labels, (i, j, at) => i === at, showRow);
  if (columnSide !== rowSide) follow(columnSide.labels, (i, j, at) => j === at, showColumn);
  showRow(of.chosen);
}

// Where the middle of each label stands, if they stand side by side; a Chinese character is about as wide as it is high.
function placed(labels) {
  let at = 8;
  const middle = labels.map((label) => {
    const size = Math.max(32, 13 + sum(Array.from(label, (one) => (one > "\u2e7f" ? 17 : 9.5))));
    at += size;
    return at - size / 2;
  });
  return { middle, width: at + 8 };
}

// Sides of different lengths are centred, short ones spread out; gives the width of all.
function spread(sides) {
  const width = Math.max(...sides.map((side) => side.width)),
    room = document.documentElement.clientWidth - AROUND,
    wide = Math.max(width, Math.min(WIDEST, room, 1.6 * width));
  for (const side of sides)
    side.middle = side.middle.map((x) => Number((((x + (width - side.width) / 2) * wide) / width).toFixed(1)));
  return wide;
}

export function arcsHint() {
  return tr(
    "Point at a piece to see its arcs alone; click it to follow it; click an arc to see what made its weight.",
    "指向一个词元，只看它的弧线；点击它，跟着它看；点击弧线，看权重怎样算出。",
  );
}
