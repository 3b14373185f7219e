"""What an epoch is mixed from: corpora in one direction each, with a weight, maybe with BPE-dropout."""

import math
from dataclasses import dataclass, replace

import numpy as np

from attendo.data.encoded import Side
from attendo.data.sheet import Numbers
from attendo.errors import ConfigError, DataError
from attendo.text.bpe_dropout import BpeDropout
from attendo.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class Part:
    """A corpus in one direction: the tag names the language of its target. Weight 2 means every pair twice an epoch.

    `members` are the pairs that may be drawn, at least one; None: all. The others are held out.
    """

    source: Side
    target: Side
    tag: int
    weight: float = 1.0
    members: Numbers | None = None

    def __post_init__(self) -> None:
        if not 0 < self.weight <= 1000:
            raise ConfigError(f"weight = {self.weight} of a corpus: expected a number above 0 and at most 1000")
        if self.members is not None:
            if len(self.members) == 0:
                raise DataError("no pairs of a corpus may be drawn: all are held out")
            if self.members.min() < 0 or self.members.max() >= len(self):
                raise ValueError(f"members of a corpus of {len(self)} pairs are numbered from 0 to {len(self) - 1}")

    def __len__(self) -> int:
        return len(self.source)

    def numbers(self, seed: int, epoch: int) -> Numbers:
        """Its pairs in this epoch. Of a fraction of the corpus each epoch takes the next, until all had their turn."""
        members = np.arange(len(self)) if self.members is None else self.members
        count = len(members)
        whole = int(self.weight)
        some = (self.weight - whole) * count  # a number of pairs that need not be whole, so counted from the start
        turn = np.arange(math.floor((epoch - 1) * some + 1e-9), math.floor(epoch * some + 1e-9)) % max(1, count)
        order = np.random.default_rng([seed, count]).permutation(count)
        return np.concatenate((np.tile(members, whole), members[order[turn]]))

    def in_epoch(self, seed: int, epoch: int) -> "Part":
        """The ids to use in this epoch."""
        return self


@dataclass(frozen=True, kw_only=True)
class DropoutPart(Part):
    """Cut anew in every epoch. The text need not be kept: the tokenizer loses nothing, so the ids still know it."""

    tokenizer: Tokenizer
    rate: float

    def in_epoch(self, seed: int, epoch: int) -> Part:
        dropout = BpeDropout(self.tokenizer, self.rate)
        source = redrawn(self.source, self.tokenizer, dropout, seed, epoch, first=0)
        target = redrawn(self.target, self.tokenizer, dropout, seed, epoch, first=1)
        return replace(self, source=source, target=target)


def redrawn(side: Side, tokenizer: Tokenizer, dropout: BpeDropout, seed: int, epoch: int, first: int) -> Side:
    """Every sentence with other merges left out; sources have the even numbers of the draw, targets the odd ones."""
    sentences = [
        dropout.encode(tokenizer.decode(side[number]), seed, epoch, 2 * number + first) for number in range(len(side))
    ]
    starts = np.cumsum([0, *map(len, sentences)])
    ids = np.fromiter((number for sentence in sentences for number in sentence), dtype=side.ids.dtype)
    return Side(ids, starts)
