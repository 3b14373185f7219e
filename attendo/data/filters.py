"""Which pairs to keep, and counts of those that were not: read = kept + dropped, reason by reason."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from attendo.data.corpus import Pair
from attendo.data.hash_set import HashSet, fingerprint
from attendo.errors import ConfigError
from attendo.text.scripts import could_be

SHORT = 10  # pieces; a ratio of lengths says nothing about "OK" and its translation


@dataclass(frozen=True)
class FilterConfig:
    """None or false is off. Empty pairs are always dropped: there is nothing to learn from them."""

    max_length: int | None = 250  # pieces of the longer side
    max_ratio: float | None = None  # pieces of the longer side per piece of the shorter
    language: bool = False  # each side must be in its language
    duplicates: bool = False  # of identical pairs the first is kept

    def __post_init__(self) -> None:
        if self.max_length is not None and self.max_length < 1:
            raise ConfigError(f"max_length = {self.max_length}: expected at least 1")
        if self.max_ratio is not None and not self.max_ratio >= 1:
            raise ConfigError(f"max_ratio = {self.max_ratio}: expected at least 1")


@dataclass
class FilterCounts:
    """What became of every pair that was read."""

    read: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def adds_up(self) -> bool:
        return self.read == self.kept + self.dropped.total()

    def __str__(self) -> str:
        return self.summary("pairs")

    def summary(self, what: str) -> str:
        """Of pairs, or of lines of plain text."""
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(self.dropped.items()))
        return f"{self.read:,} {what} read, {self.kept:,} kept" + (f", dropped: {reasons}" if reasons else "")


class Filter:
    """Judges pairs in chunks, in order; it remembers what it has seen when duplicates are to go.

    A side without a language is not there: a line of plain text has only a target.
    """

    def __init__(self, config: FilterConfig, languages: tuple[str, str]) -> None:
        self.config, self.languages = config, languages
        self.seen = HashSet()
        self.counts = FilterCounts()

    def keep(self, pairs: Sequence[Pair], lengths: Sequence[tuple[int, int]]) -> list[bool]:
        """Which of these pairs to keep; `lengths` are their pieces on both sides. The counts are brought up to date."""
        reasons = [self.reason(pair, length) for pair, length in zip(pairs, lengths, strict=True)]
        if self.config.duplicates:
            # Only what would be kept counts as seen, or a pair could go because of one that went itself.
            kept = [index for index, reason in enumerate(reasons) if reason is None]
            those = (pairs[index] for index in kept)
            hashes = [fingerprint(f"{len(pair.source)} {pair.source}{pair.target}") for pair in those]
            for index, new in zip(kept, self.seen.add(np.array(hashes, dtype=np.uint64)), strict=True):
                if not new:
                    reasons[index] = "duplicate"
        self.counts.read += len(reasons)
        self.counts.kept += reasons.count(None)
        self.counts.dropped.update(reason for reason in reasons if reason is not None)
        return [reason is None for reason in reasons]

    def reason(self, pair: Pair, length: tuple[int, int]) -> str | None:
        """Why to drop it, if so."""
        first = 0 if self.languages[0] else 1
        sides, shorter, longer = (pair.source, pair.target)[first:], min(length[first:]), max(length[first:])
        if not all(side.strip() for side in sides):
            return "empty"
        if self.config.max_length is not None and longer > self.config.max_length:
            return "too long"
        if self.config.max_ratio is not None and longer > SHORT and longer > self.config.max_ratio * shorter:
            return "unequal lengths"
        if self.config.language and not all(map(could_be, sides, self.languages[first:])):
            return "wrong language"
        return None
