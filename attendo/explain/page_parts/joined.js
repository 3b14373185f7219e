// Who looks at whom, by pieces or by words: of a word the weights onto its pieces are added, and the rows of its pieces
// are averaged. The bytes of a rare character are pieces of one word, too.

import { isMasked } from "./arithmetic.js";
import { DATA } from "./look.js";
import { set, state } from "./state.js";
import { tensor } from "./tensors.js";

const BYTE = /^(.+?)([₀-₉]+)$/u;

function isOfSource(part) {
  return part.startsWith("encoder");
}

export function isCross(part) {
  return part.endsWith("cross_attention");
}

export function keyLabels(part) {
  return isOfSource(part) || isCross(part) ? DATA.source.labels : DATA.target_in.labels;
}

// Who looks: a piece that is read; in cross-attention the piece that is about to be written.
export function queryLabels(part) {
  if (isOfSource(part)) return DATA.source.labels;
  return isCross(part) ? DATA.target.labels : DATA.target_in.labels;
}

// What a picture of one head shows: {rows, columns, own: whether they are the same, value(i, j), hidden(i, j) or null,
// cell(i, j), chosen, choose(i), chosenColumn, chooseColumn(j)}. `of` has the part, the chosen row and how to choose.
export function lookingOf(of, head) {
  const looking = state.units === "words" ? byWords(of, head) : byPieces(of, head);
  const own = !isCross(of.part);
  return { ...looking, own, place: of.place, chosenColumn: own ? looking.chosen : looking.chosenColumn };
}

function byPieces({ part, chosen, choose }, head) {
  const weights = tensor(`${part}.weights`);
  return {
    rows: queryLabels(part),
    columns: keyLabels(part),
    value: (i, j) => weights.at(head, i, j),
    hidden: isMasked(part) ? (i, j) => j > i : null,
    cell: (i, j) => ["weight", part, head, i, j],
    chosen,
    choose,
    chosenColumn: state.position,
    chooseColumn: isCross(part) ? (j) => set({ position: j }) : null,
  };
}

function byWords({ part, chosen, choose }, head) {
  const rows = wordsThatLook(part),
    columns = wordsLookedAt(part);
  const table = rows.map((row) => columns.map((column) => joinedWeight(part, head, row, column)));
  return {
    rows: rows.map((range) => wordLabel(queryLabels(part), range)),
    columns: columns.map((range) => wordLabel(keyLabels(part), range)),
    value: (r, c) => table[r][c],
    hidden: isMasked(part) ? (r, c) => columns[c][0] > rows[r][1] - 1 : null,
    cell: (r, c) => ["joined", part, head, rows[r], columns[c]],
    chosen: rangeAt(rows, chosen),
    choose: (r) => choose(rows[r][0]),
    chosenColumn: rangeAt(columns, state.position),
    chooseColumn: isCross(part) ? (c) => set({ position: columns[c][0] }) : null,
  };
}

// The mean over the pieces that look of the sum over those that are looked at.
export function joinedWeight(part, head, [from, to], [first, end]) {
  const weights = tensor(`${part}.weights`);
  let total = 0;
  for (let i = from; i < to; i++) for (let j = first; j < end; j++) total += weights.at(head, i, j);
  return total / (to - from);
}

// Ranges [start, end) of pieces.
function wordsLookedAt(part) {
  return isOfSource(part) || isCross(part) ? DATA.words.source : wordsRead();
}

function wordsThatLook(part) {
  if (isOfSource(part)) return DATA.words.source;
  return isCross(part) ? DATA.words.target : wordsRead();
}

// The decoder reads what it has written one place later, after <s>; its last piece it does not read.
function wordsRead() {
  const count = DATA.target_in.ids.length;
  const later = DATA.words.target.map(([start, end]) => [start + 1, Math.min(end + 1, count)]);
  return [[0, 1], ...later.filter(([start, end]) => start < end)];
}

// The word of the source that a piece belongs to, as [start, end).
export function sourceWordAt(position) {
  return DATA.words.source[rangeAt(DATA.words.source, position)];
}

function rangeAt(ranges, position) {
  return ranges.findIndex(([start, end]) => start <= position && position < end);
}

// ␣mach + ine -> machine; 𠮷₁ 𠮷₂ 𠮷₃ 𠮷₄ -> 𠮷
export function wordLabel(labels, [start, end]) {
  const pieces = labels.slice(start, end);
  const text = pieces.map((label, at) =>
    isLaterByte(pieces, at) ? "" : isFirstByte(pieces, at) ? label.match(BYTE)[1] : label,
  );
  return text.join("").replace(/^␣(?=.)/u, "");
}

function isFirstByte(labels, at) {
  const found = labels[at].match(BYTE);
  return found !== null && found[2] === "₁" && labels[at + 1] === `${found[1]}₂`;
}

function isLaterByte(labels, at) {
  const found = labels[at].match(BYTE);
  if (!found) return false;
  const first = labels.lastIndexOf(`${found[1]}₁`, at - 1);
  return (
    at > 0 &&
    first >= 0 &&
    isFirstByte(labels, first) &&
    labels.slice(first, at).every((one) => one.startsWith(found[1]))
  );
}
