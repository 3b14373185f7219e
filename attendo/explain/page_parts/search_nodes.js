// The continuations that the search looked at, by their ids, and what became of each.

import { tr } from "./elements.js";
import { DATA, onLook } from "./look.js";
import { show } from "./numbers.js";

export let NODES = [];
let bestIds = new Set(); // ids of those on the path that won

onLook(() => {
  NODES = DATA.search.nodes.map(([parent, step, piece, logProb, total, score, rank, isKept, ended], id) => ({
    id,
    parent,
    step,
    piece,
    logProb,
    total,
    score,
    rank,
    kept: isKept === 1,
    ended: ended === 1,
  }));
  bestIds = new Set(pathOf(NODES[DATA.search.finished[0]]).map((one) => one.id)).add(0);
});

// From the first piece to this one; <s>, which is nobody's choice, is left out.
export function pathOf(node) {
  const path = [];
  for (let one = node; one && one.parent !== null; one = NODES[one.parent]) path.unshift(one);
  return path;
}

export function isOnBestPath(node) {
  return bestIds.has(node.id);
}

export function textBefore(node) {
  const labels = pathOf(NODES[node.parent]).map((one) => DATA.pieces[one.piece]);
  return labels.join("").replace(/␣/g, " ").trim() || "<s>";
}

export function fateOf(one) {
  if (one.ended && one.kept) return tr(`ended, score ${show(one.score)}`, `结束，得分 ${show(one.score)}`);
  return one.kept ? tr("goes on", "继续") : tr("lost", "淘汰");
}
