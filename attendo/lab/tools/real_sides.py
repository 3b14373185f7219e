"""The sides of a comparison of real models, each at its best learning rate and with every seed."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from typing import Any, Generic, TypeVar

import torch
from torch import nn

from attendo.data.batches import Batches
from attendo.lab.claim import Numbers, number
from attendo.lab.tools.kept_models import code_of, kept_or_measured, kept_or_trained, kept_path
from attendo.lab.tools.measuring import best_rate
from attendo.lab.tools.real_training import TEACHER_FORCING, RealBudget, RealData, machine_for, train_real
from attendo.model.config import ModelConfig
from attendo.runs.validation import mean_loss, one_epoch
from attendo.training.objective import Objective

AnyModel = TypeVar("AnyModel", bound=nn.Module)
Job = TypeVar("Job")
Result = TypeVar("Result")
TRIED = 1 / 8  # of the epochs, for each learning rate


@dataclass(frozen=True)
class RealSide(Generic[AnyModel]):
    """A model to be, and how it is taught: at the best of these learning rates."""

    build: Callable[[Any], AnyModel]
    config: ModelConfig
    rates: tuple[float, ...]
    objective: Objective = TEACHER_FORCING


@dataclass(frozen=True)
class TrainedModel(Generic[AnyModel]):
    model: AnyModel  # on its device
    losses: Sequence[float]  # of every step
    rate: float
    objective: Objective


@dataclass(frozen=True)
class TrainingJob(Generic[AnyModel]):
    side: RealSide[AnyModel]
    rate: float
    seed: int


MeasureModel = Callable[[TrainedModel[AnyModel], RealData], Numbers]


def measure_sides(
    sides: Mapping[str, RealSide[AnyModel]],
    data: RealData,
    budget: RealBudget,
    seeds: Sequence[int],
    measure: MeasureModel[AnyModel],
) -> list[dict[str, Numbers]]:
    """For each seed what was measured of each side, by its name."""
    done = iter(side_by_side(do, work_on_sides(sides, data, budget, seeds, measure)))
    return [{name: next(done) for name in sides} for _ in seeds]


def work_on_sides(
    sides: Mapping[str, RealSide[AnyModel]],
    data: RealData,
    budget: RealBudget,
    seeds: Sequence[int],
    measure: MeasureModel[AnyModel],
) -> list[Callable[[], Numbers]]:
    """Seed after seed, side after side: to be done beside other work."""
    best = tuned_rates(sides, data, budget, seeds[0])
    jobs = [TrainingJob(side, best[name], seed) for seed in seeds for name, side in sides.items()]
    return [partial(measure_one, data, budget, measure, job) for job in jobs]


def do(work: Callable[[], Result]) -> Result:
    return work()


def measure_one(
    data: RealData, budget: RealBudget, measure: MeasureModel[AnyModel], job: TrainingJob[AnyModel]
) -> Numbers:
    """And the seconds it took, beside what others did."""

    def measure_now() -> Numbers:
        started = time.perf_counter()
        numbers = measure(trained(data, budget, job), data)
        return {**numbers, "seconds": time.perf_counter() - started}

    made_of = (code_of(measure.__module__), measure.__qualname__, recipe(data, budget, job))
    return kept_or_measured(kept_path("json", *made_of), measure_now)


def tuned_rates(
    sides: Mapping[str, RealSide[AnyModel]], data: RealData, budget: RealBudget, seed: int
) -> dict[str, float]:
    """For each side the rate that is the best in a shorter run, by the loss on the validation set."""
    trials = rate_trials(sides, data, budget, seed)
    return best_rates(sides, dict(zip(trials, side_by_side(do, list(trials.values())), strict=True)))


def rate_trials(
    sides: Mapping[str, RealSide[AnyModel]], data: RealData, budget: RealBudget, seed: int
) -> dict[tuple[str, float], Callable[[], Numbers]]:
    """By side and rate a shorter run, where a side has several rates: to be done beside other work."""
    trial = replace(budget, epochs=TRIED * budget.epochs)
    return {
        (name, rate): partial(measure_one, data, trial, objective_on_validation, TrainingJob(side, rate, seed))
        for name, side in sides.items()
        if len(side.rates) > 1
        for rate in side.rates
    }


def best_rates(sides: Mapping[str, RealSide[AnyModel]], tried: Mapping[tuple[str, float], Numbers]) -> dict[str, float]:
    """By what the trials gave; a side that had none has one rate."""
    losses: dict[str, dict[float, float]] = {}
    for (name, rate), found in tried.items():
        losses.setdefault(name, {})[rate] = number(found, "loss")
    return {name: best_rate(losses[name]) if name in losses else side.rates[0] for name, side in sides.items()}


def trained(
    data: RealData, budget: RealBudget, job: TrainingJob[AnyModel], taught: Callable[[], RealData] | None = None
) -> TrainedModel[AnyModel]:
    """From the cache, where the same was trained before. `taught`: what it learns from, if that is not `data` itself
    but made of it by what `data.identity` says."""
    side = job.side
    torch.manual_seed(job.seed)
    model = side.build(side.config)

    def train() -> list[float]:
        given = taught() if taught else data
        return train_real(model, side.objective, given, budget, job.rate, job.seed)

    losses = kept_or_trained(kept_path("safetensors", code_of(__name__), recipe(data, budget, job)), model, train)
    return TrainedModel(on_its_device(model), losses, job.rate, side.objective)


def recipe(data: RealData, budget: RealBudget, job: TrainingJob[AnyModel]) -> tuple[object, ...]:
    """All that decides what a model becomes, but for the code."""
    side = job.side
    return (side.build.__qualname__, side.config, side.objective, data.identity, budget, job.rate, job.seed)


def objective_on_validation(trained: TrainedModel[AnyModel], data: RealData) -> Numbers:
    """Of what it was taught to do."""
    validation = list(one_epoch(Batches([data.validation], 8_192, seed=0, packed=False)))
    torch.manual_seed(0)  # what an objective leaves to chance is the same at every rate
    return {"loss": mean_loss(trained.model, validation, trained.objective)}


def on_its_device(model: AnyModel) -> AnyModel:
    """Where models are at work: on the GPU, if there is one."""
    return model.to(machine_for(model).device)


# --- several at a time: a model of this size leaves most of a GPU idle

AT_A_TIME = 8


def side_by_side(work: Callable[[Job], Result], jobs: Sequence[Job], at_a_time: int = AT_A_TIME) -> list[Result]:
    """The work on each job, in their order. On a GPU each has a process of its own, so that none disturbs what another
    leaves to chance; without a GPU they are done one after the other."""
    if len(jobs) < 2 or not on_a_gpu():
        return [work(job) for job in jobs]
    with ProcessPoolExecutor(min(len(jobs), at_a_time), get_context("spawn"), torch.set_num_threads, (1,)) as pool:
        return list(pool.map(work, jobs))


def on_a_gpu() -> bool:
    return torch.cuda.is_available()
