// The look that is shown: what is known of one sentence, its model's configuration, the hands on it, and its numbers.

// As page_data.py writes it.
export let DATA = null;
export let CONFIG = null;
export let HANDS = null;

// Where numbers come from: embedded.js on a page that holds them, server/page/fetched.js where a server does.
//   has(name), shape(name), values(name)    a tensor that weights made; or a norm's gain and bias
//   hasColumn(matrix, k), column(matrix, k) {values, bias}: what a product is made with
//   hasOutput(id), output(id)               the row of the output matrix that belongs to a piece
//   pieces(word, step)                      a promise of the ids that say a word there; a server's alone
// What is on its way is a Pending, thrown.
export let NUMBERS = null;

// lookWith(hands, {beam}) looks at the sentence again, with other hands, and with another beam where one is given. A
// promise; null on a page that nobody computes for.
export let lookWith = null;

// The hands that were asked for last: while a look is on its way, others than those that are shown.
export let wantedHands = () => HANDS;

export class Pending {
  constructor(promise) {
    this.promise = promise;
  }
}

const listeners = [];

// Called after each new look, before anything of it is drawn.
export function onLook(listener) {
  listeners.push(listener);
}

export function take(data, numbers) {
  DATA = data;
  CONFIG = data.config;
  HANDS = data.hands;
  NUMBERS = numbers;
  for (const listener of listeners) listener();
}

export function setLookWith(look, wanted) {
  lookWith = look;
  wantedHands = wanted;
}
