// The numbers that the tour asks for, of whatever is looked at.

import { CONFIG, DATA } from "/glass/look.js";
import { headOf, state } from "/glass/state.js";
import { tensor } from "/glass/tensors.js";

// The first piece after the language tag, where there is one.
export const firstWord = () => (/^>>.*<<$/.test(DATA.source.labels[0]) ? 1 : 0);

export const largest = (values) =>
  Array.from(values).reduce((best, value, at, all) => (value > all[best] ? at : best), 0);

const attention = () => `encoder.${state.layer}.self_attention`;

export const rowOf = (name) => tensor(`${attention()}.${name}`).row(headOf(attention()), state.position);

// The two best scores of the row that is followed, the best first.
export const bestScores = () =>
  Array.from(rowOf("scaled"))
    .sort((a, b) => b - a)
    .slice(0, 2);

export function headsLookAt() {
  const weights = tensor(`${attention()}.weights`);
  return Array.from({ length: CONFIG.num_heads }, (_, head) => largest(weights.row(head, state.position)));
}

// A number as one says it: three digits, and whole ones of what is large.
export const rough = (value) => String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

export const length = (values) => Math.hypot(...values);

// Where the translation looked while a piece was written: the last layer, the mean of its heads.
export function lookedAt(step) {
  const weights = tensor(`decoder.${CONFIG.decoder_layers - 1}.cross_attention.weights`);
  return DATA.source.labels.map((_, key) => {
    let sum = 0;
    for (let head = 0; head < CONFIG.num_heads; head++) sum += weights.at(head, step, key);
    return sum / CONFIG.num_heads;
  });
}

// The piece that looks the most clearly at one other.
export function clearestStep() {
  const steps = DATA.steps.map((_, step) => Math.max(...lookedAt(step)));
  return largest(steps.slice(0, -1).length ? steps.slice(0, -1) : steps);
}

// The pieces of the translation that no hand was laid on.
export const untouched = () => (DATA.comparison || DATA.target).labels;

export const leastSure = () => largest(DATA.steps.map((step) => -step.log_prob));

// A few pieces of the source, the right one among them, in their order.
export function someKeys(right, also) {
  const others = DATA.source.labels.map((_, key) => key).filter((key) => key !== right && key !== also);
  const chosen = [...new Set([right, also])].concat(others.slice(0, 4)).slice(0, 4);
  return chosen.sort((a, b) => a - b).map((key) => ({ value: key, label: DATA.source.labels[key] }));
}

export const firstBlock = () => attention().replaceAll(".", "-");
export const blockOf = (part) => () => `decoder-${state.decoderLayer}-${part}`;
