"""The mean of several checkpoints (6.1): the paper averaged the last 5 of its base models, 20 of its big ones."""

from collections.abc import Iterable

import torch
from torch import Tensor


def mean_weights(checkpoints: Iterable[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Summed in float64, one checkpoint in memory at a time."""
    total: dict[str, Tensor] = {}
    count = 0
    for weights in checkpoints:
        count += 1
        for name, weight in weights.items():
            total[name] = total[name] + weight.double() if name in total else weight.double()
    return {name: (weight / count).to(torch.float32) for name, weight in total.items()}
