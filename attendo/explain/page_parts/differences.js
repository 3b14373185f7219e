// Where one text differs from another: its words one by one, and whether the other has them in that order.

const WORD_OR_SIGN = /[\p{Script=Han}]|[\p{L}\p{N}'’]+|\s+|[^\s\p{L}\p{N}]/gu;
const MOST_WORDS = 300; // beyond that a table of both is too large, and nothing is marked

// [{text, differs}]
export function differences(text, other) {
  const [ours, theirs] = [text.match(WORD_OR_SIGN) || [], other.match(WORD_OR_SIGN) || []];
  if (Math.max(ours.length, theirs.length) > MOST_WORDS) return [{ text, differs: false }];
  // common[i][j]: how many words the rest of both from there on have in common, in order
  const common = Array.from({ length: ours.length + 1 }, () => new Array(theirs.length + 1).fill(0));
  for (let i = ours.length - 1; i >= 0; i--) {
    for (let j = theirs.length - 1; j >= 0; j--) {
      common[i][j] = ours[i] === theirs[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const found = [];
  for (let i = 0, j = 0; i < ours.length;) {
    if (j < theirs.length && ours[i] !== theirs[j] && common[i][j + 1] > common[i + 1][j]) {
      j++;
      continue;
    }
    const same = j < theirs.length && ours[i] === theirs[j];
    found.push({ text: ours[i++], differs: !same });
    if (same) j++;
  }
  return found;
}
