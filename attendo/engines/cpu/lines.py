"""The tokens of a batch in one line, without padding: all that looks at one token at a time costs nothing for the rest.

    tokens   [[5, 7, 2],      line   [5, 7, 2, 8, 2]
              [8, 2, 0]]      at     [0, 1, 2, 3, 4]      where each stands, counted through the grid

Attention alone wants the grid, in which a sentence is a row. A batch without padding is its grid, seen otherwise.
"""

from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor

from attendo.model.positions import positions_within
from attendo.special_tokens import SPECIAL


@dataclass(frozen=True)
class Line:
    """One side of a batch: [rows, width] in the grid, [tokens] in the line."""

    rows: int
    width: int
    tokens: Tensor
    places: Tensor  # of each token within its sentence, [tokens]
    at: Tensor | None  # None: there is no padding

    @classmethod
    def of(cls, grid: Tensor, segments: Tensor | None = None) -> Self:
        """Token ids [rows, width], padding after them; with several sentences in a row their numbers, 0 for padding."""
        rows, width = grid.shape
        flat = grid.flatten()
        at = (flat != SPECIAL.pad).nonzero().squeeze(1)
        in_row = torch.arange(width).expand(rows, width) if segments is None else positions_within(segments)
        places = in_row.flatten()
        if len(at) == len(flat):
            return cls(rows, width, flat, places, None)
        return cls(rows, width, flat[at], places[at], at)

    def of_grid(self, grid: Tensor) -> Tensor:
        """[rows, width] -> [tokens], of another grid with the same padding."""
        return grid.flatten() if self.at is None else grid.flatten()[self.at]

    def spread(self, line: Tensor) -> Tensor:
        """[tokens, d] -> [rows, width, d], zeros for padding."""
        if self.at is not None:
            line = Spread.apply(line, self.at, self.rows * self.width)  # type: ignore[no-untyped-call]
        return line.view(self.rows, self.width, -1)

    def gather(self, grid: Tensor) -> Tensor:
        """[rows, width, d] -> [tokens, d]"""
        flat = grid.reshape(self.rows * self.width, -1)
        return flat if self.at is None else Gather.apply(flat, self.at)  # type: ignore[no-untyped-call]


class Spread(torch.autograd.Function):
    """Every index once: then the way back is a copy, where autograd, which cannot know, would add one by one."""

    @staticmethod
    def forward(ctx: Any, line: Tensor, at: Tensor, size: int) -> Tensor:
        ctx.at = at
        return spread(line, at, size)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return gradient.index_select(0, ctx.at), None, None


class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, grid: Tensor, at: Tensor) -> Tensor:
        ctx.at, ctx.size = at, len(grid)
        return grid.index_select(0, at)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return spread(gradient, ctx.at, ctx.size), None


def spread(line: Tensor, at: Tensor, size: int) -> Tensor:
    return line.new_zeros(size, line.shape[1]).index_copy_(0, at, line)
