// The search as a tree, from left to right: each step a column, each continuation that was looked at a row by its rank;
// lines lead from what was kept to what came after it, as thick as it was probable.

import { el, svg, tr } from "./elements.js";
import { continueWith } from "./forcing.js";
import { DATA, lookWith, onLook } from "./look.js";
import { show, showShare, sum } from "./numbers.js";
import { fateOf, isOnBestPath, NODES, pathOf, textBefore } from "./search_nodes.js";
import { set, state } from "./state.js";

const ROW_HEIGHT = 27;
const HEAD = 26; // the numbers of the steps
const BETWEEN_COLUMNS = 44; // columns: where the lines run
const LONGEST_LABEL = 14; // characters
const LONGEST_BEFORE = 40; // characters of what stands before a piece
const BEYOND = 900; // pixels that are drawn on either side of what is seen: a long search has thousands of nodes

let treeLayout = null; // {columns: [{x, width, nodes}], rows}, of one look

onLook(() => {
  treeLayout = null;
});

// {box, details: what is told of the piece that is pointed at, whole(): the drawing with all that it has}
export function beamTree() {
  treeLayout = treeLayout || treeLaidOut();
  const width = treeLayout.columns.reduce((end, one) => Math.max(end, one.x + one.width), 0) + 12,
    height = HEAD + treeLayout.rows * ROW_HEIGHT + 6;
  const drawing = svg("svg", {
    class: "tree",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "group",
    "aria-label": tr("the search as a tree; arrow keys go from piece to piece", "搜索树；用方向键在词元之间移动"),
  });
  const box = el("div", { class: "scroll tree-box" }, drawing),
    details = el("p", { class: "tree-details" });
  const tree = { drawing, box, details, from: 0, to: 0, at: nodeOfStep() };
  const middle = columnOf(tree.at).x;
  drawBetween(tree, middle - BEYOND, middle + BEYOND);
  tellNode(tree, tree.at);
  listenToTree(tree);
  requestAnimationFrame(() => {
    revealColumn(tree, columnOf(tree.at));
    drawWhatIsSeen(tree);
  });
  return { box, details, whole: () => drawBetween(tree, 0, width).drawing };
}

// That of the best path at the step that is shown.
function nodeOfStep() {
  return NODES.find((one) => one.step === state.step + 1 && isOnBestPath(one)) || NODES[0];
}

function columnOf(node) {
  return treeLayout.columns[node.step];
}

function treeLaidOut() {
  const steps = [];
  for (const one of NODES) (steps[one.step] = steps[one.step] || []).push(one);
  let x = 10;
  const columns = steps.map((nodes) => {
    const width = Math.max(...nodes.map(widthOf)),
      column = { x, width, nodes };
    x += width + BETWEEN_COLUMNS;
    return column;
  });
  return { columns, rows: Math.max(...NODES.map((one) => one.rank)) };
}

function labelOf(node) {
  const letters = Array.from(node.parent === null ? "<s>" : DATA.pieces[node.piece]);
  return letters.length > LONGEST_LABEL ? `${letters.slice(0, LONGEST_LABEL - 1).join("")}…` : letters.join("");
}

const hasEnded = (node) => node.ended && node.kept;

// A Chinese character is about as wide as it is high.
function widthOf(node) {
  const letters = hasEnded(node) ? `${labelOf(node)} ${show(node.score)}` : labelOf(node);
  const letter = isOnBestPath(node) ? 9 : 8; // in bold
  return 16 + sum(Array.from(letters, (one) => (one > "\u2e7f" ? 14 : letter)));
}

const middleOf = (node) => HEAD + (node.rank - 0.5) * ROW_HEIGHT;

// What stands between two places of the drawing, on the band of the step that is shown.
function drawBetween(tree, from, to) {
  Object.assign(tree, { from, to });
  const columns = treeLayout.columns.filter((one) => one.x + one.width + BETWEEN_COLUMNS >= from && one.x <= to),
    nodes = columns.flatMap((one) => one.nodes);
  const lines = nodes.filter((one) => one.parent !== null).sort((a, b) => weightOf(a) - weightOf(b));
  const reached = nodes.includes(tree.at) ? tree.at : nodes[0]; // by the tab key
  const isFocused = tree.drawing.contains(document.activeElement);
  tree.drawing.replaceChildren(
    bandOf(),
    ...columns.map(stepNumber).filter(Boolean),
    ...lines.map(treeLine),
    ...nodes.map((node) => nodeMark(node, node === reached)),
  );
  if (isFocused) focusOn(tree, tree.at);
  return tree;
}

// What matters most is drawn last, over the others.
const weightOf = (node) => (isOnBestPath(node) ? 2 : node.kept ? 1 : 0);
const fateClass = (node) => (isOnBestPath(node) ? "best" : node.kept ? "kept" : "lost");

function bandOf() {
  const column = treeLayout.columns[state.step + 1];
  if (!column) return svg("g", {});
  return svg("rect", {
    class: "band",
    x: column.x - 6,
    y: 2,
    width: column.width + 12,
    height: HEAD + treeLayout.rows * ROW_HEIGHT,
    rx: 8,
  });
}

function stepNumber(column) {
  const { step } = column.nodes[0];
  return step ? svg("text", { class: "step-number", x: column.x + 8, y: 19 }, String(step)) : null;
}

function treeLine(node) {
  const parent = NODES[node.parent],
    before = columnOf(parent),
    begin = before.x + widthOf(parent),
    bend = before.x + before.width,
    end = columnOf(node).x,
    half = (bend + end) / 2;
  return svg("path", {
    class: `line ${fateClass(node)}`,
    "stroke-width": 1 + 5 * Math.exp(node.logProb),
    d: `M${begin} ${middleOf(parent)}H${bend}C${half} ${middleOf(parent)} ${half} ${middleOf(node)} ${end} ${middleOf(node)}`,
  });
}

function nodeMark(node, isReached) {
  const { x } = columnOf(node),
    y = middleOf(node),
    width = widthOf(node);
  return svg(
    "g",
    {
      class: `node ${fateClass(node)}${hasEnded(node) ? " ended" : ""}`,
      "data-node": String(node.id),
      role: "button",
      tabindex: isReached ? "0" : "-1",
      "aria-label": `${labelOf(node)} ${wordsOf(node)}`,
    },
    svg("rect", { x, y: y - 11, width, height: 22, rx: 6 }),
    svg(
      "text",
      { x: x + 8, y: y + 5 },
      labelOf(node),
      hasEnded(node) ? svg("tspan", { class: "score", dx: 6 }, show(node.score)) : null,
    ),
  );
}

// What stands before it, and its numbers.
function wordsOf(node) {
  if (node.parent === null) return tr("the beginning", "开始");
  return [
    tr(`after ${endOf(textBefore(node))}`, `接在 ${endOf(textBefore(node))} 之后`),
    `p ${showShare(Math.exp(node.logProb))}`,
    `${tr("sum of log p", "log p 之和")} ${show(node.total)}`,
    `${tr("score", "得分")} ${show(node.score)}`,
    `${tr("rank", "排名")} ${node.rank}`,
    isOnBestPath(node) ? tr("on the best path", "在最佳路径上") : fateOf(node),
  ].join(" · ");
}

function endOf(text) {
  const letters = Array.from(text);
  return letters.length > LONGEST_BEFORE ? `…${letters.slice(1 - LONGEST_BEFORE).join("")}` : text;
}

// The words of a node, and what a click on it does.
function tellNode(tree, node) {
  const does = isOnBestPath(node)
    ? ""
    : lookWith
      ? tr(" · click it to go on from there", " · 点击它，从这里接着写")
      : tr(" · click it to see its step", " · 点击它，看这一步");
  tree.details.replaceChildren(el("b", {}, labelOf(node)), ` ${wordsOf(node)}`, el("span", { class: "quiet" }, does));
}

function chooseNode(node) {
  if (node.parent === null) return;
  if (lookWith && !isOnBestPath(node)) continueWith(pathOf(node).map((one) => one.piece));
  else set({ step: Math.min(node.step, DATA.steps.length) - 1 });
}

function listenToTree(tree) {
  const nodeAt = (event) => {
    const mark = event.target.closest("[data-node]");
    return mark && NODES[Number(mark.dataset.node)];
  };
  for (const kind of ["mouseover", "focusin"]) {
    tree.drawing.addEventListener(kind, (event) => nodeAt(event) && tellNode(tree, nodeAt(event)));
  }
  tree.drawing.addEventListener("mouseleave", () => tellNode(tree, tree.at));
  tree.drawing.addEventListener("click", (event) => nodeAt(event) && chooseNode(nodeAt(event)));
  tree.drawing.addEventListener("keydown", (event) => {
    const node = nodeAt(event);
    if (!node) return;
    const goes = ["Enter", " "].includes(event.key) ? chooseNode : null,
      to = neighbour(node, event.key);
    if (!goes && !to) return;
    event.preventDefault();
    if (goes) goes(node);
    else focusOn(tree, to);
  });
  tree.box.addEventListener("scroll", () => drawWhatIsSeen(tree));
}

function drawWhatIsSeen(tree) {
  const { scrollLeft, clientWidth } = tree.box;
  if (scrollLeft < tree.from || scrollLeft + clientWidth > tree.to) {
    drawBetween(tree, scrollLeft - BEYOND, scrollLeft + clientWidth + BEYOND);
  }
}

// To the left what it came from, to the right the best of what came of it, up and down those of the same step.
function neighbour(node, key) {
  const { nodes } = columnOf(node),
    at = nodes.indexOf(node);
  if (key === "ArrowLeft") return NODES[node.parent];
  if (key === "ArrowRight") return NODES.find((one) => one.parent === node.id);
  if (key === "ArrowUp") return nodes[at - 1];
  return key === "ArrowDown" ? nodes[at + 1] : undefined;
}

function focusOn(tree, node) {
  const before = tree.drawing.querySelector("[tabindex='0']");
  if (before) before.setAttribute("tabindex", "-1");
  tree.at = node;
  const mark = tree.drawing.querySelector(`[data-node="${node.id}"]`);
  if (!mark) return;
  mark.setAttribute("tabindex", "0");
  mark.focus({ preventScroll: true });
  revealColumn(tree, columnOf(node));
}

// Sideways alone; where it can be seen, nothing moves.
function revealColumn(tree, column) {
  const { scrollLeft, clientWidth } = tree.box;
  if (column.x < scrollLeft || column.x + column.width > scrollLeft + clientWidth) {
    tree.box.scrollLeft = column.x - clientWidth / 3;
  }
}
