"""Synthetic corpora, for models that should learn in a minute: words to copy or to say backwards."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from attendo.data.corpus import Pair
from attendo.data.lines import Report
from attendo.errors import ConfigError

SyntheticTask = Literal["copy", "reverse"]

MOST_PAIRS = 100_000_000
LONGEST_WORD = 1_000
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
CHUNK = 10_000  # words drawn at once


@dataclass(frozen=True)
class SyntheticCorpus:
    """Words of letters, each beside itself (copy) or itself backwards (reverse): hello -> olleh.

    Drawn by the seed, the same ones every time. Every length is equally likely, so short words come again and again.
    """

    task: SyntheticTask
    num_pairs: int
    shortest: int = 1
    longest: int = 12
    letters: int = len(ALPHABET)
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.num_pairs <= MOST_PAIRS:
            raise ConfigError(f"pairs = {self.num_pairs} of a synthetic corpus: expected 1 to {MOST_PAIRS:,}")
        if not 1 <= self.shortest <= self.longest <= LONGEST_WORD:
            raise ConfigError(
                f"shortest = {self.shortest} and longest = {self.longest} of a synthetic corpus: "
                f"expected 1 to {LONGEST_WORD:,} letters, and the shortest no longer than the longest"
            )
        if not 1 <= self.letters <= len(ALPHABET):
            raise ConfigError(f"letters = {self.letters} of a synthetic corpus: expected 1 to {len(ALPHABET)}")
        if self.seed < 0:
            raise ConfigError(f"seed = {self.seed} of a synthetic corpus: expected at least 0")

    def __str__(self) -> str:
        return f"synthetic words to {self.task}"

    def pairs(self, report: Report) -> Iterator[Pair]:
        """All pairs in order. Nothing can be wrong with them, so nothing is reported."""
        for line, word in enumerate(self.words(), start=1):
            yield Pair(line, word, word if self.task == "copy" else word[::-1])

    def words(self) -> Iterator[str]:
        rng = np.random.default_rng(self.seed)
        for first in range(0, self.num_pairs, CHUNK):
            count = min(CHUNK, self.num_pairs - first)
            ends = np.cumsum(rng.integers(self.shortest, self.longest + 1, count)).tolist()
            letters = "".join(ALPHABET[letter] for letter in rng.integers(0, self.letters, ends[-1]).tolist())
            yield from (letters[start:end] for start, end in zip([0, *ends], ends, strict=False))

    def identity(self) -> object:
        return {"kind": "made up", **asdict(self)}
