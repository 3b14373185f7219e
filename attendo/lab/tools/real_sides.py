"""The sides of a comparison of real models, each at its best learning rate and with every seed."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from typing import Generic, TypeVar

import torch
from torch import nn

from attendo.data.batches import Batches
from attendo.lab.tools.measuring import best_rate
from attendo.lab.tools.real_training import TEACHER_FORCING, RealBudget, RealData, machine_for, train_real
from attendo.model.build import Model, build_model
from attendo.model.config import ModelConfig
from attendo.runs.validation import mean_loss, one_epoch
from attendo.training.objective import Objective

AnyModel = TypeVar("AnyModel", bound=nn.Module)
Job = TypeVar("Job")
Result = TypeVar("Result")
TRIED = 1 / 4  # of the epochs, for each learning rate


@dataclass(frozen=True)
class RealSide(Generic[AnyModel]):
    """A model to be, and how it is taught."""

    build: Callable[[], AnyModel]
    objective: Objective = TEACHER_FORCING


@dataclass(frozen=True)
class TrainedModel(Generic[AnyModel]):
    model: AnyModel
    losses: Sequence[float]  # of every step
    rate: float


@dataclass(frozen=True)
class TrainingJob(Generic[AnyModel]):
    side: RealSide[AnyModel]
    rate: float
    seed: int


def translator(config: ModelConfig) -> RealSide[Model]:
    return RealSide(partial(build_model, config))


def train_sides(
    sides: Mapping[str, RealSide[AnyModel]],
    data: RealData,
    budget: RealBudget,
    rates: Sequence[float],
    seeds: Sequence[int],
) -> list[dict[str, TrainedModel[AnyModel]]]:
    """For each seed a model of each side, by its name."""
    best = tuned_rates(sides, data, budget, rates, seeds[0])
    jobs = [TrainingJob(side, best[name], seed) for seed in seeds for name, side in sides.items()]
    done = iter(side_by_side(partial(train_one, data, budget), jobs))
    return [{name: on_its_device(next(done)) for name in sides} for _ in seeds]


def train_side(
    side: RealSide[AnyModel], data: RealData, budget: RealBudget, rates: Sequence[float], seeds: Sequence[int]
) -> list[AnyModel]:
    """A model of each seed."""
    return [trained["it"].model for trained in train_sides({"it": side}, data, budget, rates, seeds)]


def tuned_rates(
    sides: Mapping[str, RealSide[AnyModel]], data: RealData, budget: RealBudget, rates: Sequence[float], seed: int
) -> dict[str, float]:
    """For each side the rate that is the best in a shorter run, by the loss on the validation set."""
    if len(rates) == 1:
        return dict.fromkeys(sides, rates[0])
    trial = replace(budget, epochs=TRIED * budget.epochs)
    jobs = [TrainingJob(side, rate, seed) for side in sides.values() for rate in rates]
    losses = iter(side_by_side(partial(loss_of_one, data, trial), jobs))
    return {name: best_rate({rate: next(losses) for rate in rates}) for name in sides}


def train_one(data: RealData, budget: RealBudget, job: TrainingJob[AnyModel]) -> TrainedModel[AnyModel]:
    torch.manual_seed(job.seed)
    model = job.side.build()
    losses = train_real(model, job.side.objective, data, budget, job.rate, job.seed)
    return TrainedModel(model.cpu(), losses, job.rate)


def loss_of_one(data: RealData, budget: RealBudget, job: TrainingJob[AnyModel]) -> float:
    model = on_its_device(train_one(data, budget, job)).model
    validation = list(one_epoch(Batches([data.validation], budget.tokens, seed=0, packed=False)))
    torch.manual_seed(0)  # what an objective leaves to chance is the same at every rate
    return mean_loss(model, validation, job.side.objective)


def on_its_device(trained: TrainedModel[AnyModel]) -> TrainedModel[AnyModel]:
    """Where models are at work: on the GPU, if there is one. From process to process they go as plain memory."""
    trained.model.to(machine_for(trained.model).device)
    return trained


# --- several at a time: a model of this size leaves most of a GPU idle

AT_A_TIME = 8


def side_by_side(work: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
    """The work on each job, in their order. On a GPU each has a process of its own, so that none disturbs what another
    leaves to chance; without a GPU they are done one after the other."""
    if len(jobs) < 2 or not on_a_gpu():
        return [work(job) for job in jobs]
    with ProcessPoolExecutor(min(len(jobs), AT_A_TIME), get_context("spawn"), torch.set_num_threads, (1,)) as pool:
        return list(pool.map(work, jobs))


def on_a_gpu() -> bool:
    return torch.cuda.is_available()
