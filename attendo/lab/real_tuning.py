"""Real models of any kind and objective, each kind at its best learning rate."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import torch
from torch import nn

from attendo.data.batches import Batches
from attendo.lab.real_training import RealBudget, RealData, train_real
from attendo.training.objective import Objective
from attendo.training.validation import batches_of, mean_loss

Model = TypeVar("Model", bound=nn.Module)
TRIED = 1 / 4  # of the epochs, for each learning rate


def train_each(
    build: Callable[[], Model],
    objective: Objective,
    data: RealData,
    budget: RealBudget,
    rates: Sequence[float],
    seeds: Sequence[int],
) -> list[Model]:
    """A model of each seed, at the best rate."""
    best = replace(budget, learning_rate=best_rate(build, objective, data, budget, rates, seeds[0]))
    return [train_anew(build, objective, data, best, seed) for seed in seeds]


def best_rate(
    build: Callable[[], Model],
    objective: Objective,
    data: RealData,
    budget: RealBudget,
    rates: Sequence[float],
    seed: int,
) -> float:
    """The one that in a shorter run gives the lowest loss on the validation set."""
    trial = replace(budget, epochs=TRIED * budget.epochs)
    validation = [batch for batch, _ in batches_of(Batches([data.validation], budget.tokens, seed=0, packed=False))]

    def loss(rate: float) -> float:
        model = train_anew(build, objective, data, replace(trial, learning_rate=rate), seed)
        torch.manual_seed(0)  # what an objective leaves to chance is the same at every rate
        found = mean_loss(model, validation, objective)
        return found if found == found else torch.inf  # NaN has lost

    return min(rates, key=loss)


def train_anew(
    build: Callable[[], Model], objective: Objective, data: RealData, budget: RealBudget, seed: int
) -> Model:
    torch.manual_seed(seed)
    model = build()
    train_real(model, objective, data, budget, seed)
    return model
