"""The sides of a comparison of real models, each at its best learning rate and with every seed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

import torch
from torch import nn

from attendo.data.batches import Batches
from attendo.lab.tools.measuring import best_rate
from attendo.lab.tools.real_training import TEACHER_FORCING, RealBudget, RealData, machine_for, train_real
from attendo.lab.tools.side_by_side import side_by_side
from attendo.model.build import Model, build_model
from attendo.model.config import ModelConfig
from attendo.runs.validation import mean_loss, one_epoch
from attendo.training.objective import Objective

AnyModel = TypeVar("AnyModel", bound=nn.Module)
TRIED = 1 / 4  # of the epochs, for each learning rate


@dataclass(frozen=True)
class Side(Generic[AnyModel]):
    """A model to be, and how it is taught."""

    build: Callable[[], AnyModel]
    objective: Objective = TEACHER_FORCING


@dataclass(frozen=True)
class Trained(Generic[AnyModel]):
    model: AnyModel
    losses: Sequence[float]  # of every step
    rate: float


@dataclass(frozen=True)
class Task(Generic[AnyModel]):
    side: Side[AnyModel]
    rate: float
    seed: int


def translator(config: ModelConfig) -> Side[Model]:
    return Side(partial(build_model, config))


def train_sides(
    sides: Mapping[str, Side[AnyModel]],
    data: RealData,
    budget: RealBudget,
    rates: Sequence[float],
    seeds: Sequence[int],
) -> list[dict[str, Trained[AnyModel]]]:
    """For each seed a model of each side, by its name."""
    best = tuned_rates(sides, data, budget, rates, seeds[0])
    tasks = [Task(side, best[name], seed) for seed in seeds for name, side in sides.items()]
    done = iter(side_by_side(partial(train_one, data, budget), tasks))
    return [{name: at_home(next(done)) for name in sides} for _ in seeds]


def train_side(
    side: Side[AnyModel], data: RealData, budget: RealBudget, rates: Sequence[float], seeds: Sequence[int]
) -> list[AnyModel]:
    """A model of each seed."""
    return [trained["it"].model for trained in train_sides({"it": side}, data, budget, rates, seeds)]


def tuned_rates(
    sides: Mapping[str, Side[AnyModel]], data: RealData, budget: RealBudget, rates: Sequence[float], seed: int
) -> dict[str, float]:
    """For each side the rate that is the best in a shorter run, by the loss on the validation set."""
    if len(rates) == 1:
        return dict.fromkeys(sides, rates[0])
    trial = replace(budget, epochs=TRIED * budget.epochs)
    tasks = [Task(side, rate, seed) for side in sides.values() for rate in rates]
    losses = iter(side_by_side(partial(loss_of_one, data, trial), tasks))
    return {name: best_rate({rate: next(losses) for rate in rates}) for name in sides}


def train_one(data: RealData, budget: RealBudget, task: Task[AnyModel]) -> Trained[AnyModel]:
    torch.manual_seed(task.seed)
    model = task.side.build()
    losses = train_real(model, task.side.objective, data, budget, task.rate, task.seed)
    return Trained(model.cpu(), losses, task.rate)


def loss_of_one(data: RealData, budget: RealBudget, task: Task[AnyModel]) -> float:
    model = at_home(train_one(data, budget, task)).model
    validation = list(one_epoch(Batches([data.validation], budget.tokens, seed=0, packed=False)))
    torch.manual_seed(0)  # what an objective leaves to chance is the same at every rate
    return mean_loss(model, validation, task.side.objective)


def at_home(trained: Trained[AnyModel]) -> Trained[AnyModel]:
    """Where models are at work: on the GPU, if there is one. From process to process they go as plain memory."""
    trained.model.to(machine_for(trained.model).device)
    return trained
