"""A moving average of the weights: calmer than the weights themselves, and often better."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from attendo.model_folder.checkpoint import load_weights_, weights_of


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
        names, weights = zip(*model.named_parameters(), strict=True)
        averages = [self.weights[name] for name in names]
        ways = torch._foreach_sub(weights, averages)  # all weights in one call: one by one the host would be slow
        torch._foreach_mul_(ways, share)
        torch._foreach_add_(averages, ways)

    @contextmanager
    def applied_to(self, model: nn.Module) -> Iterator[None]:
        """The model has the average as its weights inside the block, and its own again behind it."""
        own = {name: weight.detach().clone() for name, weight in weights_of(model).items()}
        load_weights_(model, self.weights)
        try:
            yield
        finally:
            load_weights_(model, own)
