"""Which words of a translation were made from which part of its source, so that it can be asked in little time."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from attendo.translation.answer import AlignedWord

THRESHOLD = 0.5  # a word of which less was made inside an element is rather not part of it
LIGHT = 0.15  # what a word costs in a hole that was made from none, or is a sign: articles, particles, commas
WORD_CHARACTER = re.compile(r"[^\W_]")


class SentencePair(NamedTuple):
    """Where a sentence stands in the source, and where its translation."""

    start: int
    end: int
    target_start: int
    target_end: int


Range = tuple[int, int]  # of words


class MadeFrom:
    """The words of a translation, and for each span of the source the words that were made from it."""

    def __init__(self, source: str, target: str, words: Sequence[AlignedWord], pairs: Sequence[SentencePair]) -> None:
        self.source, self.target, self.pairs, self.words = source, target, pairs, words
        self.letters = list(accumulate(map(str.isalnum, source), initial=0))  # so many before each position
        self.begin, self.end = len(source) - len(source.lstrip()), len(source.rstrip())
        self.edges = {pair.end: pair.target_end for pair in pairs} | {pair.start: pair.target_start for pair in pairs}
        made: dict[tuple[int, int], list[tuple[int, float]]] = {}
        for index, word in enumerate(words):
            whole = sum(weight for _, _, weight in word.sources) or 1.0
            for start, end, weight in word.sources:
                if start < end:
                    made.setdefault((start, end), []).append((index, weight / whole))
        self.spans = sorted(made)
        self.made = [made[span] for span in self.spans]
        self.starts, self.ends = [span[0] for span in self.spans], [span[1] for span in self.spans]
        self.word_starts = [word.start for word in words]
        self.is_sign = [not WORD_CHARACTER.search(target[word.start : word.end]) for word in words]
        light = [sign or not word.sources for sign, word in zip(self.is_sign, words, strict=True)]
        self.cost = list(accumulate([LIGHT if one else THRESHOLD for one in light], initial=0.0))

    def inside(self, start: int, end: int) -> dict[int, float]:
        """The words made from source[start:end], and how much of each."""
        shares: dict[int, float] = {}
        for at in range(bisect_right(self.ends, start), bisect_left(self.starts, end)):
            first, last = self.spans[at]
            overlap = (min(last, end) - max(first, start)) / (last - first)
            for index, share in self.made[at]:
                shares[index] = shares.get(index, 0.0) + share * overlap
        return shares

    def ends_of(self, start: int, end: int) -> dict[int, float]:
        """The same in little time, from the first and the last span alone."""
        ends = {bisect_right(self.ends, start), bisect_left(self.starts, end) - 1}
        return {word: 1.0 for at in ends if (word := self.beside(at)) is not None}

    def has_words(self, start: int, end: int) -> bool:
        """Whether there is a letter or a digit in source[start:end]."""
        return self.letters[end] > self.letters[start]

    def words_in(self, start: int, end: int) -> Range:
        """Those that begin in target[start:end]."""
        return bisect_left(self.word_starts, start), bisect_left(self.word_starts, end)

    def beside(self, at: int) -> int | None:
        """The word that says most of the span of the source with this index, if it is one."""
        if not 0 <= at < len(self.spans):
            return None
        return max(self.made[at], key=lambda made: (made[1], -made[0]))[0]
