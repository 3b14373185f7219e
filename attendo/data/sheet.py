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
    """Ids one behind the other, with free places before and after each sentence for control ids."""

    ids: Numbers
    lengths: Numbers


def gather(sides: Sequence[Side], part: Numbers, pair: Numbers, before: int, after: int) -> Sentences:
    """Sentences `pair` of the sides `part`, in this order, with room around each."""
    starts, lengths = np.empty_like(pair), np.empty_like(pair)
    for number, side in enumerate(sides):
        mine = part == number
        starts[mine] = side.starts[pair[mine]]
        lengths[mine] = side.starts[pair[mine] + 1] - starts[mine]
    padded = lengths + before + after
    ids = np.zeros(padded.sum(), dtype=np.int64)
    target = np.cumsum(padded) - padded + before
    for number, side in enumerate(sides):
        mine = part == number
        ids[ranges(target[mine], lengths[mine])] = side.ids[ranges(starts[mine], lengths[mine])]
    return Sentences(ids, padded)


@dataclass(frozen=True)
class Sheet:
    """Sentences laid into rows, one behind the other in each; the rest is padding (id 0)."""

    num_rows: int
    width: int
    row: Numbers  # of each sentence, not falling
    sentences: Sentences

    @property
    def starts(self) -> Numbers:
        """Where each sentence begins on the sheet, counted through all rows."""
        lengths = self.sentences.lengths
        behind = np.cumsum(lengths) - lengths  # if there were one endless row
        first_of_row = np.searchsorted(self.row, self.row)
        return self.row * self.width + behind - behind[first_of_row]

    def written(self, first: Numbers | int | None = None, last: int | None = None) -> torch.Tensor:
        """The ids, with control ids in the places left for them."""
        sheet, starts, lengths = self.blank(), self.starts, self.sentences.lengths
        sheet[ranges(starts, lengths)] = self.sentences.ids
        if first is not None:
            sheet[starts] = first
        if last is not None:
            sheet[starts + lengths - 1] = last
        return torch.from_numpy(sheet.reshape(self.num_rows, self.width))

    def numbered(self, numbers: Numbers) -> torch.Tensor:
        """Each sentence's number at all of its places."""
        sheet, lengths = self.blank(), self.sentences.lengths
        sheet[ranges(self.starts, lengths)] = np.repeat(numbers, lengths)
        return torch.from_numpy(sheet.reshape(self.num_rows, self.width))

    def blank(self) -> Numbers:
        return np.full(self.num_rows * self.width, SPECIAL.pad, dtype=np.int64)


def ranges(starts: Numbers, lengths: Numbers) -> Numbers:
    """[5, 9], [2, 3]  ->  [5, 6, 9, 10, 11]"""
    shift = starts - (np.cumsum(lengths) - lengths)
    return np.arange(lengths.sum()) + np.repeat(shift, lengths)
