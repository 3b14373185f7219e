"""Which part of a step each rank computes: together they compute exactly the step that one process would.

A step has `accumulate` micro-batches, however many ranks there are, so that a recipe means the same on one GPU and on
sixteen. Whole micro-batches are dealt out as far as they go; then the rows of one are.

    micro-batches  ranks   each rank computes
    8              4       2 whole ones
    4              8       every second row of one
    6              4       every second row of three
    1              4       every fourth row of it
"""

import math
from collections.abc import Sequence

from torch import Tensor

from attendo.data.batch import Batch


def my_share(micro_batches: Sequence[Batch], rank: int, world: int) -> list[Batch]:
    """Every rank gets as many batches as any other, so none waits for another that has nothing left to do."""
    groups = math.gcd(len(micro_batches), world)
    a_group = world // groups  # ranks that share a micro-batch
    own = micro_batches[rank % groups :: groups]
    return [rows_of(batch, rank // groups, a_group) for batch in own]


def rows_of(batch: Batch, part: int, parts: int) -> Batch:
    """Every `parts`-th row: long and short ones alike. Without a row left, one of padding, which counts nothing."""
    if parts == 1:
        return batch

    def rows(side: Tensor) -> Tensor:
        return side[part::parts] if part < len(side) else side[:1].new_zeros((1, side.shape[1]))

    return batch.each(rows).counted()
