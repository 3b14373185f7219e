// A part of the page as an SVG of its own, which looks alike where the page's styles are not: what is drawn as SVG with
// its computed styles, a canvas as an image, and all else as what it is on the screen: boxes and lines of text.

import { filled, svg } from "./elements.js";

const MARGIN = 12;
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-size",
  "font-style",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "text-decoration-line",
  "letter-spacing",
  "visibility",
];
const UPRIGHT = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/; // stand upright where lines run downwards

const SCROLLED = ".scroll, .step-pieces, .every-head, .equation, .terms, pre";

// On the page's light colours, where it has both; what is scrolled is laid out whole for the moment.
export function pictureOf(element) {
  const root = document.documentElement,
    theme = root.dataset.theme;
  root.dataset.theme = "light";
  const fold = unfolded(element);
  try {
    return drawnWhole(element);
  } finally {
    fold();
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
  }
}

// As wide as what is scrolled in it asks for, without what is there to be pressed; gives what makes it as it was.
function unfolded(element) {
  const { scrollX, scrollY } = window,
    scrolled = [...element.querySelectorAll(SCROLLED)].map((one) => [one, one.scrollLeft, one.scrollTop]),
    missing = Math.max(0, ...scrolled.map(([one]) => one.scrollWidth - one.clientWidth));
  if (missing) element.style.setProperty("width", `${element.getBoundingClientRect().width + missing}px`);
  element.classList.add("whole");
  return () => {
    element.classList.remove("whole");
    element.style.removeProperty("width");
    for (const [one, left, top] of scrolled) one.scrollTo({ left, top, behavior: "instant" });
    window.scrollTo({ left: scrollX, top: scrollY, behavior: "instant" });
  };
}

function drawnWhole(element) {
  const box = element.getBoundingClientRect(),
    width = Math.max(box.width, element.scrollWidth || 0) + 2 * MARGIN,
    height = Math.max(box.height, element.scrollHeight || 0) + 2 * MARGIN;
  const drawing = { left: box.left - element.scrollLeft - MARGIN, top: box.top - element.scrollTop - MARGIN, clips: 0 };
  return svg(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}` },
    svg("rect", { width, height, fill: groundOf(element) }),
    drawnElement(element, drawing, true),
  );
}

// The first colour behind an element that is not see-through.
function groundOf(element) {
  for (let one = element; one; one = one.parentElement) {
    const colour = getComputedStyle(one).backgroundColor;
    if (!isClear(colour)) return colour;
  }
  return "white";
}

const isClear = (colour) => colour === "transparent" || /[,/] ?0\)$/.test(colour);

function drawnElement(element, drawing, isRoot = false) {
  const box = placedBox(element.getBoundingClientRect(), drawing),
    style = getComputedStyle(element);
  if (!isSeen(element, style) || element.matches("[data-unsaved]")) return null; // the latter are there to be pressed
  if (element.localName === "svg") return styledCopy(element, box);
  if (element.localName === "canvas") return imageOf(element, box);
  const inside = [...element.childNodes].map((one) => {
    if (one.nodeType === Node.TEXT_NODE) return linesOf(one, style, drawing);
    return one.nodeType === Node.ELEMENT_NODE ? drawnElement(one, drawing) : null;
  });
  if (element.matches("input, select, textarea")) inside.push(valueOf(element, style, box));
  const isCut = !isRoot && style.overflow !== "visible" && element.scrollWidth > element.clientWidth + 1;
  return [...boxOf(box, style), ...signsOf(element, style, drawing), isCut ? clipped(inside, box, drawing) : inside];
}

// An element may have no box of its own, and be seen by what is in it.
function isSeen(element, style) {
  return (
    style.display === "contents" || !element.checkVisibility || element.checkVisibility({ visibilityProperty: true })
  );
}

function placedBox(rect, { left, top }) {
  return { x: rect.left - left, y: rect.top - top, width: rect.width, height: rect.height };
}

// Of a formula what is drawn and not written: the bar of a fraction, the sign of a root.
function signsOf(element, style, drawing) {
  const stroke = { fill: "none", stroke: style.color, "stroke-width": 1 };
  if (element.localName === "mfrac") {
    const [above, below] = [...element.children].map((one) => placedBox(one.getBoundingClientRect(), drawing));
    const whole = placedBox(element.getBoundingClientRect(), drawing),
      y = (above.y + above.height + below.y) / 2;
    return [svg("path", { ...stroke, d: `M${whole.x} ${y}h${whole.width}` })];
  }
  if (element.localName === "msqrt") {
    const { x, y, width, height } = placedBox(element.getBoundingClientRect(), drawing);
    return [
      svg("path", {
        ...stroke,
        d: `M${x + 1} ${y + height * 0.6}l2 -1l3 ${height * 0.35}L${x + 9} ${y + 1.5}H${x + width}`,
      }),
    ];
  }
  return [];
}

// What a window scrolls is cut where the window ends.
function clipped(inside, box, drawing) {
  const id = `clip-${++drawing.clips}`;
  return [svg("clipPath", { id }, svg("rect", box)), svg("g", { "clip-path": `url(#${id})` }, inside)];
}

function styledCopy(element, box) {
  const copy = element.cloneNode(true);
  const originals = [element, ...element.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((one, at) => {
    const style = getComputedStyle(originals[at]);
    for (const name of STYLES) one.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex", "role"]) one.removeAttribute(name);
  });
  return filled(copy, box, []);
}

function imageOf(canvas, box) {
  const pixelated = { "image-rendering": getComputedStyle(canvas).imageRendering };
  return svg("image", { ...box, ...pixelated, preserveAspectRatio: "none", href: canvas.toDataURL() });
}

function boxOf(box, style) {
  if (!box.width || !box.height) return [];
  const rx = Math.min(Number.parseFloat(style.borderTopLeftRadius) || 0, box.height / 2);
  const hatched = /^repeating-/.test(style.backgroundImage) && style.backgroundImage.match(/rgba?\([^)]*\)/);
  const ground = isClear(style.backgroundColor) ? null : style.backgroundColor;
  return [
    hatched ? svg("rect", { ...box, rx, fill: hatched[0], "fill-opacity": 0.6 }) : null,
    ground ? svg("rect", { ...box, rx, fill: ground, "fill-opacity": style.opacity }) : null,
    ...bordersOf(box, style, rx),
  ];
}

function bordersOf({ x, y, width, height }, style, rx) {
  const of = (side) =>
    style[`border${side}Style`] === "none" ? 0 : Number.parseFloat(style[`border${side}Width`]) || 0;
  const [top, right, bottom, left] = ["Top", "Right", "Bottom", "Left"].map(of);
  const lines = [];
  if (top && right && bottom && left) {
    const half = top / 2,
      frame = { x: x + half, y: y + half, width: width - top, height: height - top, rx };
    lines.push(svg("rect", { ...frame, fill: "none", stroke: style.borderTopColor, "stroke-width": top }));
  } else {
    const side = (size, colour, x1, y1, x2, y2) =>
      size && !isClear(colour) ? svg("line", { x1, y1, x2, y2, stroke: colour, "stroke-width": size }) : null;
    lines.push(
      side(top, style.borderTopColor, x, y + top / 2, x + width, y + top / 2),
      side(bottom, style.borderBottomColor, x, y + height - bottom / 2, x + width, y + height - bottom / 2),
      side(left, style.borderLeftColor, x + left / 2, y, x + left / 2, y + height),
      side(right, style.borderRightColor, x + width - right / 2, y, x + width - right / 2, y + height),
    );
  }
  if (style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth)) {
    lines.push(svg("rect", { x, y, width, height, fill: "none", stroke: style.outlineColor, "stroke-width": 1.5 }));
  }
  return lines;
}

// --- text

function valueOf(field, style, box) {
  const text = field.localName === "select" ? (field.selectedOptions[0] || {}).textContent : field.value;
  const inset = Number.parseFloat(style.paddingLeft) || 0;
  return lineOfText(text || "", style, { ...box, x: box.x + inset, width: 0 });
}

// A text where its letters stand on the screen, line by line.
function linesOf(node, style, drawing) {
  if (!node.data.trim()) return null;
  const range = document.createRange(),
    lines = [];
  let at = 0;
  for (const letter of node.data) {
    range.setStart(node, at);
    at += letter.length;
    range.setEnd(node, at);
    const rect = range.getBoundingClientRect();
    if (!rect.width && !rect.height) continue;
    const box = placedBox(rect, drawing),
      last = lines[lines.length - 1];
    if (last && isOneLine(last.box, box, style)) {
      last.text += letter;
      last.box = union(last.box, box);
    } else lines.push({ text: letter, box });
  }
  return lines.filter((one) => one.text.trim()).map((one) => lineOfText(one.text, style, one.box));
}

function isOneLine(line, letter, style) {
  if (runsDown(style)) return Math.abs(line.x - letter.x) < 2;
  return Math.abs(line.y - letter.y) < letter.height / 2;
}

const runsDown = (style) => style.writingMode.startsWith("vertical");

function union(a, b) {
  const x = Math.min(a.x, b.x),
    y = Math.min(a.y, b.y);
  const right = Math.max(a.x + a.width, b.x + b.width),
    bottom = Math.max(a.y + a.height, b.y + b.height);
  return { x, y, width: right - x, height: bottom - y };
}

function lineOfText(text, style, box) {
  const look = {
    fill: style.color,
    "font-family": style.fontFamily,
    "font-size": style.fontSize,
    "font-weight": style.fontWeight,
    "font-style": style.fontStyle,
    "text-decoration": style.textDecorationLine === "none" ? null : style.textDecorationLine,
    "xml:space": "preserve",
  };
  const ascent = ascentOf(style);
  if (runsDown(style)) {
    if (UPRIGHT.test(text)) return stacked(text, look, box, ascent);
    const x = box.x + (1 - ascent) * box.width;
    return svg("text", { ...look, x, y: box.y, transform: `rotate(90 ${x} ${box.y})` }, text);
  }
  const spread = text.length > 1 && box.width ? { textLength: box.width, lengthAdjust: "spacingAndGlyphs" } : {};
  return svg("text", { ...look, ...spread, x: box.x, y: box.y + ascent * box.height }, text);
}

function stacked(text, look, box, ascent) {
  const letters = Array.from(text),
    height = box.height / letters.length;
  const at = (n) => box.y + (n + ascent) * height;
  return letters.map((letter, n) => svg("text", { ...look, x: box.x, y: at(n) }, letter));
}

let measuring = null;

// Which share of a line's height stands above its letters' feet.
function ascentOf(style) {
  measuring = measuring || document.createElement("canvas").getContext("2d");
  measuring.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = measuring.measureText("x");
  return above / (above + below);
}
