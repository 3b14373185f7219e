"""Sides of many corpora as one, so that the sentences of a batch are looked up in all of them at once.

Side by side 186 weighted corpora cost 8 ms a batch, more than a small model's step takes on a GPU. So their ids are
copied into one array, each side once, however many weighted corpora draw from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attendo.data.encoded import EncodedSide, GatheredSentences, Indices, gather

FEW = 4  # sides: those of one or two corpora stay memory-mapped, for there is little to gain
MOST_BYTES = 2 * 2**30  # of ids that are copied; a side that is too large for it stays as it is, and by itself


@dataclass(frozen=True)
class JoinedSides:
    sides: list[EncodedSide]
    where: Indices  # of each side that was joined: in which of `sides` it stands
    first: Indices  # and its first sentence there

    def gather(self, side_index: Indices, pair_index: Indices) -> GatheredSentences:
        """Sentence `pair_index[n]` of side `side_index[n]`, as they were counted before they were joined."""
        return gather(self.sides, self.where[side_index], self.first[side_index] + pair_index)

    @classmethod
    def of(cls, sides: Sequence[EncodedSide], most_bytes: int = MOST_BYTES) -> "JoinedSides":
        each = {id(side): side for side in sides}
        small: list[EncodedSide] = []
        if len(each) > FEW:
            small_first = sorted(each.values(), key=lambda side: side.ids.nbytes)
            total = np.cumsum([side.ids.nbytes for side in small_first])
            small = small_first[: int(np.searchsorted(total, most_bytes, side="right"))]
        joined = [one_after_the_other(small)] if small else []
        firsts = np.cumsum([0, *map(len, small)])
        position = {id(side): (0, int(first)) for side, first in zip(small, firsts[:-1], strict=True)}
        for key, side in each.items():
            if key not in position:
                position[key] = len(joined), 0
                joined.append(side)
        where, first = np.array([position[id(side)] for side in sides], dtype=np.int64).T
        return cls(joined, where, first)


def one_after_the_other(sides: Sequence[EncodedSide]) -> EncodedSide:
    lengths = np.concatenate([side.lengths for side in sides])
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)))
    ids = np.concatenate([side.ids[side.starts[0] : side.starts[-1]] for side in sides])
    return EncodedSide(ids, starts)
