"""Sentences laid into the rows of a rectangle, without a loop over them: this runs for every batch of a training."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from attendo.data.encoded import Side
from attendo.special_tokens import SPECIAL

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Sentences:
    """Pieces of many sentences, one behind the other."""

    ids: Numbers
    lengths: Numbers


def gather(sides: Sequence[Side], part: Numbers, pair: Numbers) -> Sentences:
    """Sentence `pair[n]` of side `part[n]`, in this order."""
    starts, lengths = np.empty_like(pair), np.empty_like(pair)
    for number, side in enumerate(sides):
        mine = part == number
        starts[mine] = side.starts[pair[mine]]
        lengths[mine] = side.starts[pair[mine] + 1] - starts[mine]
    if len(sides) == 1:
        return Sentences(sides[0].ids[ranges(starts, lengths)].astype(np.int64), lengths)
    ids = np.empty(lengths.sum(), dtype=np.int64)
    behind = np.cumsum(lengths) - lengths
    for number, side in enumerate(sides):
        mine = part == number
        ids[ranges(behind[mine], lengths[mine])] = side.ids[ranges(starts[mine], lengths[mine])]
    return Sentences(ids, lengths)


@dataclass(frozen=True)
class Sheet:
    """A rectangle of places, and where on it each sentence stands: its pieces and, around them, its control ids."""

    num_rows: int
    width: int
    starts: Numbers  # first place of each sentence, counted through all rows
    lengths: Numbers  # its places, control ids included

    @classmethod
    def laid_out(cls, num_rows: int, width: int, row: Numbers, lengths: Numbers) -> "Sheet":
        """Sentences one behind the other in their rows; `row` must not fall."""
        behind = np.cumsum(lengths) - lengths  # if there were one endless row
        first_of_row = np.searchsorted(row, row)
        return cls(num_rows, width, row * width + behind - behind[first_of_row], lengths)

    def written(
        self, sentences: Sentences, at: int, first: Numbers | int | None = None, last: int | None = None
    ) -> torch.Tensor:
        """The pieces, from place `at` of each sentence on, and control ids at its first and last place."""
        sheet = np.full(self.num_rows * self.width, SPECIAL.pad, dtype=np.int64)
        sheet[ranges(self.starts + at, sentences.lengths)] = sentences.ids
        if first is not None:
            sheet[self.starts] = first
        if last is not None:
            sheet[self.starts + self.lengths - 1] = last
        return torch.from_numpy(sheet.reshape(self.num_rows, self.width))

    def numbered(self, numbers: Numbers) -> torch.Tensor:
        """Each sentence's number at all of its places, 0 elsewhere."""
        sheet = np.zeros(self.num_rows * self.width, dtype=np.int32)
        sheet[ranges(self.starts, self.lengths)] = np.repeat(numbers, self.lengths)
        return torch.from_numpy(sheet.reshape(self.num_rows, self.width))


def ranges(starts: Numbers, lengths: Numbers) -> Numbers:
    """[5, 9], [2, 3]  ->  [5, 6, 9, 10, 11]"""
    shift = starts - (np.cumsum(lengths) - lengths)
    return np.arange(lengths.sum()) + np.repeat(shift, lengths)
