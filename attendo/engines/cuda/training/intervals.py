"""Which keys each query may see, as intervals: with all rows of a batch in one line, a sentence is a stretch of it.

    segments  [[1, 1, 1, 2, 2, 0]]       a token of sentence 1 sees places 0 to 2, one of sentence 2 places 3 and 4,
    first      [0, 0, 0, 3, 3, 0]        and padding sees nothing
    before     [3, 3, 3, 5, 5, 0]

This asks that sentences stand in the order of their numbers, and padding after them, as `Batches` lays them out.
"""

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from attendo.data.batch import Batch
from attendo.special_tokens import SPECIAL

AFTER_ALL = 2**30  # a number for padding that is larger than all sentences'


@dataclass(frozen=True)
class Intervals:
    """Of each query the keys it sees, of each key the queries that see it: [queries] and [keys], int32."""

    first: Tensor
    before: Tensor
    first_query: Tensor
    before_query: Tensor

    @classmethod
    def between(cls, queries: Tensor, keys: Tensor) -> Self:
        """Segments [rows, queries] and [rows, keys]: a token sees those of the sentence with its number."""
        return cls(*stretches(queries, keys), *stretches(keys, queries))

    def causal(self) -> "Intervals":
        """Of a sequence that looks at itself: no query sees what comes after it."""
        here = torch.arange(len(self.first), device=self.first.device, dtype=torch.int32)
        real = self.before > self.first
        return Intervals(
            self.first,
            torch.where(real, here + 1, 0),
            torch.where(real, here, 0),
            self.before_query,
        )


@dataclass(frozen=True)
class BatchIntervals:
    source: Intervals
    target: Intervals  # causal
    cross: Intervals
    source_places: Tensor  # of each token within its sentence, [tokens], int32
    target_places: Tensor

    @classmethod
    def of(cls, batch: Batch) -> Self:
        if batch.segments is None:
            source, target = ((side != SPECIAL.pad).to(torch.int32) for side in (batch.source, batch.target_in))
        else:
            source, target = batch.segments
        own, past = Intervals.between(source, source), Intervals.between(target, target)
        cross = Intervals.between(target, source)
        return cls(own, past.causal(), cross, places_within(own), places_within(past))


def stretches(queries: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
    """Where the sentence of each query begins among the keys of its row, and where it has ended."""
    width = keys.shape[1]
    sorted_keys, numbers = (each.masked_fill(each == 0, AFTER_ALL).contiguous() for each in (keys, queries))
    row = torch.arange(len(keys), device=keys.device, dtype=torch.int32)[:, None] * width
    found = (torch.searchsorted(sorted_keys, numbers, right=right, out_int32=True) + row for right in (False, True))
    first, before = (each.masked_fill(queries == 0, 0).flatten() for each in found)
    return first, before


def places_within(own: Intervals) -> Tensor:
    """Counted from 0 anew in every sentence; padding stands at 0."""
    here = torch.arange(len(own.first), device=own.first.device, dtype=torch.int32)
    return torch.where(own.before > own.first, here - own.first, 0)
