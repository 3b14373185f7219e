// What is said of a guess: whether it was right, how far off it was, and in the end how many were near.

import { tr } from "/glass/elements.js";
import { rough } from "./tour_numbers.js";

const CLOSE = 0.1; // of the right number: as near as a guess need be

// Of a choice whether it was right; of a number how far off the guess was. {good, words}
export function verdict(stop, said, answer) {
  return stop.choices ? ofChoice(stop, said, answer) : ofNumber(stop, said, answer);
}

function ofChoice({ named = String }, said, answer) {
  const [yours, right] = [said, answer].map(named);
  if (said === null) return { good: false, words: tr(`It is ${right}.`, `答案是 ${right}。`) };
  if (said === answer) return { good: true, words: tr(`Right: ${right}.`, `对了：${right}。`) };
  return { good: false, words: tr(`You said ${yours}; it is ${right}.`, `你选的是 ${yours}，答案是 ${right}。`) };
}

function ofNumber({ isCount }, said, answer) {
  if (said === null) return { good: false, words: "" };
  const off = Math.abs(said - answer);
  const isExact = isCount ? off === 0 : off < 0.005 * Math.max(1, Math.abs(answer));
  if (isExact) return { good: true, words: tr("Exactly.", "完全正确。") };
  return {
    good: off <= CLOSE * Math.abs(answer),
    words: tr(`You said ${said}: off by ${rough(off)}.`, `你猜 ${said}，差 ${rough(off)}。`),
  };
}

// null where nothing was guessed
export function score(guesses) {
  const guessed = guesses.filter((one) => one && one.guess !== null);
  if (!guessed.length) return null;
  const good = guessed.filter((one) => one.good).length;
  return tr(
    `Guesses that were right or within 10 %: ${good} of ${guessed.length}.`,
    `你猜了 ${guessed.length} 次，其中 ${good} 次正确或误差在 10% 以内。`,
  );
}
