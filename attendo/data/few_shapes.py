"""Batches of one pair a row in a few shapes, so that a GPU can record the step of each (training/graphed.py).

Packed batches all have one shape, but a recurrent model cannot have those, nor one that guesses a target as a whole.
Here a batch is padded to the next of WIDTHS on both sides, and with empty rows to as many as fit: a tenth more to
compute, and ten shapes instead of hundreds. Padding changes no loss.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.data.batches import Batches, Position
from attendo.special_tokens import SPECIAL

# Each about a sixth wider than the one before.
WIDTHS = (4, 5, 6, 7, 8, 10, 12, 14, 16, 19, 22, 26, 30, 35, 41, 48, 56, 65, 76, 89, 104, 121, 141, 164, 191, 223, 260)


@dataclass(frozen=True)
class FewShapes:
    """A source of batches, one pair a row, that gives those of another in few shapes."""

    batches: Batches

    def stream(self, position: Position) -> Iterator[tuple[Batch, Position]]:
        for batch, after in self.batches.stream(position):
            yield widened(batch, self.batches.tokens_per_batch), after


def widened(batch: Batch, tokens_per_batch: int) -> Batch:
    """A batch of at most so many tokens on its wider side. One that is wider than all WIDTHS stays as it is."""
    widest = max(batch.source.shape[1], batch.target_in.shape[1])
    index = bisect_left(WIDTHS, widest)
    if index == len(WIDTHS):
        return batch
    narrowest = WIDTHS[index - 1] + 1 if index else WIDTHS[0]  # of the batches that get this width
    rows = max(len(batch.source), tokens_per_batch // narrowest)

    def pad(side: Tensor) -> Tensor:
        return F.pad(side, (0, WIDTHS[index] - side.shape[1], 0, rows - len(side)), value=SPECIAL.pad)

    return batch.each(pad)
