// Words of both texts and what binds them, from the answer's alignment. The server counts characters as Unicode does,
// the browser in halves of them: all offsets here are the server's, and texts are lists of characters.

// A translation needs no word of its own for these: only others that nothing looked at are worth a mark.
const SMALL_WORDS = new Set(
  (
    "a an the of to in on at by for from with and or is are was were be been am do does did has have had will would it " +
    "its this that there as so over up out about into than then not " +
    "der die das den dem des ein eine einen einem einer eines und oder zu zum zur im in am an auf ab aus bei mit nach " +
    "von vom vor ist sind war hat haben wird werden es sich so da nicht doch ja mal " +
    "的 了 着 过 地 得 是 在 和 与 也 都 就 吗 呢 吧 啊 把 被 给 对 从 到 很 个 之 其 而 所 会 要 上 下 里"
  ).split(" "),
);
const UNSURE = Math.log(1 / 3); // of a word: the model would say something else two times in three
const WORD_LIKE = /[\p{L}\p{N}]+/gu;

// Words that a reader of the language sees, as [start, end].
function wordsOf(text, language) {
  const at = positions(text);
  if (globalThis.Intl && Intl.Segmenter) {
    const segmenter = new Intl.Segmenter(language || undefined, { granularity: "word" });
    const found = [...segmenter.segment(text)].filter((one) => one.isWordLike);
    return found.map((one) => [at[one.index], at[one.index + one.segment.length]]);
  }
  return [...text.matchAll(WORD_LIKE)].map((one) => [at[one.index], at[one.index + one[0].length]]);
}

// By the browser's offset: the server's.
function positions(text) {
  const at = new Array(text.length + 1);
  let halves = 0;
  let count = 0;
  for (const character of text) {
    at[halves] = at[halves + 1] = count++;
    halves += character.length;
  }
  at[text.length] = count;
  return at;
}

function joined(spans) {
  const found = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = found[found.length - 1];
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else if (end > start) found.push({ start, end });
  }
  return found;
}

const overlaps = (a, start, end) => a.start < end && start < a.end;

// What was looked at, each with the rest of the word that it is a part of (天 of 天气); and words that were not.
function sourceWords(words, looked) {
  const others = [];
  for (const [start, end] of words) {
    const inside = looked.filter((one) => overlaps(one, start, end));
    if (!inside.length) {
      others.push({ start, end });
      continue;
    }
    inside[0].start = Math.min(inside[0].start, start);
    inside.slice(1).forEach((one, index) => (inside[index].end = Math.max(inside[index].end, one.start)));
    inside.at(-1).end = Math.max(inside.at(-1).end, end);
  }
  return [...looked, ...others].sort((a, b) => a.start - b.start);
}

// 图书 and 馆 side by side are 图书馆: where one word ends is less sure than that nothing looked there.
function joinLost(words) {
  for (let index = words.length - 1; index > 0; index--) {
    const [before, after] = [words[index - 1], words[index]];
    if (!before.lost || !after.lost || before.end !== after.start) continue;
    before.end = after.end;
    words.splice(index, 1);
  }
}

// {source: [{start, end, lost}], target: [{start, end, logp, unsure}], links: [[target, source, weight]]}
export function bound(text, answer) {
  const alignment = answer.alignment || [];
  const characters = Array.from(text);
  const looked = alignment.flatMap((one) => one.source);
  const source = answer.alignment ? sourceWords(wordsOf(text, answer.from), joined(looked)) : [];
  for (const word of source) {
    const written = characters.slice(word.start, word.end).join("");
    const isWord = written.search(WORD_LIKE) >= 0;
    word.lost = isWord && !SMALL_WORDS.has(written.toLowerCase()) && !looked.some(([s, e]) => overlaps(word, s, e));
  }
  joinLost(source);
  const words = answer.words || [];
  const said = Array.from(answer.text);
  const target = joined([...alignment.map((one) => one.target), ...words.map((one) => [one.start, one.end])]);
  for (const word of target) {
    const known = words.filter((one) => overlaps(word, one.start, one.end) && Number.isFinite(one.logp));
    word.logp = known.length ? known.reduce((sum, one) => sum + one.logp, 0) : null;
    const isWord = said.slice(word.start, word.end).join("").search(WORD_LIKE) >= 0;
    word.unsure = isWord && word.logp !== null && word.logp < UNSURE;
  }
  const weights = new Map();
  for (const one of alignment) {
    const to = target.findIndex((word) => overlaps(word, ...one.target));
    for (const [start, end, weight] of one.source) {
      const from = source.findIndex((word) => overlaps(word, start, end));
      const key = `${to} ${from}`;
      weights.set(key, Math.max(weight, weights.get(key) || 0));
    }
  }
  const links = [...weights].map(([key, weight]) => [...key.split(" ").map(Number), weight]);
  return { source, target, links };
}

// The parts of a text between and in words: [{text, word}] with word the index of it, or null.
export function parts(text, words) {
  const characters = Array.from(text);
  const found = [];
  let at = 0;
  words.forEach((word, index) => {
    if (word.start > at) found.push({ text: characters.slice(at, word.start).join(""), word: null });
    found.push({ text: characters.slice(word.start, word.end).join(""), word: index });
    at = word.end;
  });
  if (at < characters.length) found.push({ text: characters.slice(at).join(""), word: null });
  return found;
}
