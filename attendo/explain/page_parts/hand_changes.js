// Hands, changed by one: each function gives the hands that were asked for last with this one laid on, or taken off
// again.

import { wantedHands } from "./look.js";

const AS_EVER = { causal_mask: true, positions: "on", seed: 1, scale: true, temperature: 1 };

// The same hands, some of them changed; what is as ever is left out, as the server leaves it out.
export function handsWith(changes) {
  const hands = { ...wantedHands(), ...changes };
  if (hands.positions !== "shuffled") delete hands.seed; // it deals out positions, and nothing else
  return Object.fromEntries(Object.entries(hands).filter(([name, value]) => !isAsEver(name, value)));
}

function isAsEver(name, value) {
  if (value === null || value === undefined) return true;
  if (typeof value === "object") return Object.keys(value).length === 0;
  return name in AS_EVER && AS_EVER[name] === value;
}

// where: encoder, decoder or cross; layers and heads count from 0
export function toggleHead(where, layer, head) {
  return handsWith({ heads_off: toggledIn(wantedHands().heads_off, [where, layer, head]) });
}

// where: encoder or decoder
export function toggleFeedForward(where, layer) {
  return handsWith({ feed_forward_off: toggledIn(wantedHands().feed_forward_off, [where, layer]) });
}

// Positions of the source: all of them are erased, or all given back where none of them is left.
export function toggleErase(positions) {
  const now = wantedHands().erase || [],
    others = now.filter((one) => !positions.includes(one));
  const erase = isErasedWhole(positions) ? others : [...others, ...positions].sort((a, b) => a - b);
  return handsWith({ erase });
}

export function isErasedWhole(positions) {
  return positions.every((one) => (wantedHands().erase || []).includes(one));
}

export function isHeadSwitchedOff(where, layer, head) {
  return holds(wantedHands().heads_off, [where, layer, head]);
}

export function isFeedForwardOff(where, layer) {
  return holds(wantedHands().feed_forward_off, [where, layer]);
}

function toggledIn(list, one) {
  return holds(list, one) ? list.filter((other) => !isSameRow(other, one)) : [...(list || []), one];
}

function holds(list, one) {
  return (list || []).some((other) => isSameRow(other, one));
}

function isSameRow(one, other) {
  return one.every((part, at) => part === other[at]);
}
