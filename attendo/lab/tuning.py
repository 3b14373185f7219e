"""Both sides of a comparison at their best: each trained at every learning rate of one small grid."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor, nn

from attendo.lab.toy_training import Budget, Draw, train_together

Model = TypeVar("Model", bound=nn.Module)


def train_tuned(
    build: Callable[[int], Model], draw: Draw, seeds: Sequence[int], budgets: Sequence[Budget]
) -> tuple[list[Model], Tensor]:
    """The models of the budget whose last losses are lowest, mean over seeds, and their losses [steps, models].

    Toy data are drawn anew at every step, so the training loss is the loss on data never seen. A model that came to
    NaN has lost.
    """

    def last(trained: tuple[list[Model], Tensor]) -> float:
        losses = trained[1][-max(1, len(trained[1]) // 10) :]
        return float(losses.mean().nan_to_num(torch.inf))

    return min((train_anew(build, draw, seeds, budget) for budget in budgets), key=last)


def train_anew(
    build: Callable[[int], Model], draw: Draw, seeds: Sequence[int], budget: Budget
) -> tuple[list[Model], Tensor]:
    models = []
    for seed in seeds:
        torch.manual_seed(seed)
        models.append(build(seed))
    return models, train_together(models, draw, seeds, budget)


def count(model: nn.Module) -> float:
    """How many weights it has."""
    return float(sum(weight.numel() for weight in model.parameters()))
