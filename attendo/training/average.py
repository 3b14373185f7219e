"""Means of weights, calmer than the weights themselves and often better: of checkpoints (6.1), and a moving one.

The paper averaged the last 5 checkpoints of its base models, 20 of its big ones.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from attendo.model_folder.weights import load_weights_, weights_of
from attendo.training.sharded import local


def mean_weights(checkpoints: Iterable[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Summed in float64, one checkpoint in memory at a time."""
    total: dict[str, Tensor] = {}
    count = 0
    for weights in checkpoints:
        count += 1
        for name, weight in weights.items():
            total[name] = total[name] + weight.double() if name in total else weight.double()
    return {name: (weight / count).to(torch.float32) for name, weight in total.items()}


class MovingAverage:
    """average ← d · average + (1 - d) · weights, with d = min(decay, (1 + step) / (10 + step)).

    The smaller d of the first steps lets go of the random start sooner. A skipped update changes nothing here either.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.weights = {name: weight.detach().clone() for name, weight in weights_of(model).items()}

    @torch.no_grad()
    def update(self, model: nn.Module, step: int, finite: Tensor) -> None:
        decay = min(self.decay, (1 + step) / (10 + step))
        share = (1 - decay) * finite  # a tensor, so that the host need not know
        names, parameters = zip(*model.named_parameters(), strict=True)
        weights, averages = [*map(local, parameters)], [local(self.weights[name]) for name in names]
        ways = torch._foreach_sub(weights, averages)  # all weights in one call: one by one the host would be slow
        torch._foreach_mul_(ways, share)
        torch._foreach_add_(averages, ways)

    @contextmanager
    def applied_to(self, model: nn.Module) -> Iterator[None]:
        """The model has the average as its weights inside the block, and its own again after it."""
        own = {name: weight.detach().clone() for name, weight in weights_of(model).items()}
        load_weights_(model, self.weights)
        try:
            yield
        finally:
            load_weights_(model, own)
