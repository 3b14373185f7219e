"""The paper's sines and cosines, looked up: a decoding step has one position, and computing it takes a dozen calls."""

import torch
from torch import Tensor
from torch.nn import functional as F

from attendo.model.positions import Positions, SinusoidalPositions, sinusoidal_encoding

ROWS = 1_024  # positions; beyond them they are computed as ever


class TabledPositions(Positions):
    """For a model that is used, and neither trained nor moved."""

    def __init__(self, positions: SinusoidalPositions) -> None:
        super().__init__()
        self.positions = positions
        self.table = sinusoidal_encoding(torch.arange(ROWS)[None], positions.d_model)[0]

    def forward(self, x: Tensor, position_ids: Tensor, end: int) -> Tensor:
        if end > ROWS or x.dtype != self.table.dtype:
            return self.positions.forward(x, position_ids, end)
        return x + F.embedding(position_ids, self.table)


def tabled(positions: Positions) -> Positions:
    return TabledPositions(positions) if isinstance(positions, SinusoidalPositions) else positions
