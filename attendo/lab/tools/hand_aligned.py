"""Sentence pairs with the words that belong together, linked by hand (hand_aligned.tsv), and their pieces.

    zh <TAB> 我 爱 机器 学习 。 <TAB> I love machine learning . <TAB> 0-0 1-1 2-2 3-3

i-j is a sure link of word i and English word j, counted from 0; i?j is one that is possible: the article of a noun, the
measure word of a number. Marks have none, nor has a word that the other language does not say. All of it was made up.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from attendo.inspection.readable import Unit, pieces
from attendo.text.tokenizer import Tokenizer

FILE = Path(__file__).with_suffix(".tsv")
LINK = re.compile(r"(\d+)([-?])(\d+)")
BEFORE_A_MARK = re.compile(r" (?=[.,!?])")


@dataclass(frozen=True)
class AlignedSentence:
    language: str
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        if self.language == "zh":
            return "".join(self.words)
        return BEFORE_A_MARK.sub("", " ".join(self.words))


@dataclass(frozen=True)
class AlignedPair:
    source: AlignedSentence
    target: AlignedSentence
    sure: frozenset[tuple[int, int]]  # source word, target word
    possible: frozenset[tuple[int, int]]  # the sure ones among them

    @property
    def swapped(self) -> "AlignedPair":
        sure, possible = (frozenset((j, i) for i, j in links) for links in (self.sure, self.possible))
        return AlignedPair(self.target, self.source, sure, possible)


def hand_aligned() -> dict[str, list[AlignedPair]]:
    """zh and de, each with English as the target."""
    found: dict[str, list[AlignedPair]] = {"zh": [], "de": []}
    for line in FILE.read_text(encoding="utf-8").removesuffix("\n").split("\n")[1:]:
        language, words, english, links = line.split("\t")
        each = [((int(i), int(j)), kind) for i, kind, j in LINK.findall(links)]
        sides = AlignedSentence(language, tuple(words.split())), AlignedSentence("en", tuple(english.split()))
        sure = frozenset(link for link, kind in each if kind == "-")
        found[language].append(AlignedPair(*sides, sure, frozenset(link for link, _ in each)))
    return found


@dataclass(frozen=True)
class Pieces:
    """A side as the model reads it: its ids, joined into words."""

    ids: tuple[int, ...]
    units: tuple[Unit, ...]
    words: tuple[range, ...]  # of each unit: one word, or more where a piece reaches over the border of two


def in_pieces(side: AlignedSentence, tokenizer: Tokenizer) -> Pieces:
    """Pieces are joined until they end where a word ends, so the words of the file decide: 我们 的 老师 is

    two units where the tokenizer has a piece 我们的; nobody could tell what it looks at for 我们, and what for 的.
    """
    ids = tuple(tokenizer.encode(side.text))
    words_at = {end: index + 1 for index, end in enumerate(accumulate(map(len, side.words)))}
    units: list[Unit] = []
    ranges: list[range] = []
    letters = tokens = words = 0
    for piece in pieces(ids, tokenizer):
        letters += len("".join(piece.text.split()))
        tokens += piece.count
        if words_at.get(letters, 0) > words:
            ranges.append(range(words, words_at[letters]))
            units.append(Unit(joined_words(side.words, ranges[-1]), tokens))
            words, tokens = words_at[letters], 0
    return Pieces(ids, tuple(units), tuple(ranges))


def joined_words(words: Sequence[str], which: range) -> str:
    return " ".join(words[index] for index in which)
