"""Small models that learn to compute what another one computes: regression, many of them in one pass, at the best rate.

Inputs are drawn anew at every step, so the loss is the loss on inputs never seen.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional as F

from attendo.lab.knobs import Settings
from attendo.lab.tools.measuring import at_the_end, best_rate
from attendo.lab.tools.toy_training import Budget, StackedLearner, ToyStepGraph, training_device
from attendo.lab.tools.tuning import TUNING_SEEDS, TrainedSide, build_seeded, rates_to_try

Model = TypeVar("Model", bound=nn.Module)
Teacher = Callable[[Tensor], Tensor]  # inputs [seeds, pairs, n, d] -> what is to be computed, of the same shape
TeacherOf = Callable[[Sequence[int], str], Teacher]  # seeds, device -> a teacher that lives there
AT_ONCE = 25  # steps whose inputs are drawn together


def fit_side(
    claim: str,
    name: str,
    at: Settings,
    seeds: Sequence[int],
    build: Callable[[int], Model],
    teacher_of: TeacherOf,
    shape: Sequence[int],
) -> TrainedSide[Model]:
    """Like tuning.train_side: a model for each seed, at the rate that was the best with other seeds.

    `shape`: [pairs, n, d] of the inputs of a step, which are normal.
    """
    steps = at.whole("steps")
    device = training_device(at.size)
    fit = partial(fit_together, build=build, teacher_of=teacher_of, shape=shape)
    rates = rates_to_try(claim, name, at.size)
    budget = Budget(steps, shape[0], rates[0], device=device)
    if at.size == "full":
        _, losses = fit(seeds=list(TUNING_SEEDS), budget=replace(budget, steps=max(1, steps // 2)), rates=rates)
        rates = [best_of(losses, rates)]
    models, losses = fit(seeds=seeds, budget=budget, rates=rates)
    best = best_of(losses, rates)
    place = slice(len(seeds) * rates.index(best), len(seeds) * (1 + rates.index(best)))
    if at.size != "full":
        return TrainedSide(models[place], losses[:, place], best)
    _, half = fit(seeds=seeds, budget=replace(budget, steps=max(1, steps // 2)), rates=rates)
    return TrainedSide(models[place], losses[:, place], best, [at_the_end(own) for own in half.T])


def best_of(losses: Tensor, rates: Sequence[float]) -> float:
    """losses [steps, rates × seeds] -> the rate whose models end lowest."""
    by_rate = losses.unflatten(1, (len(rates), -1)).unbind(1)
    return best_rate({rate: at_the_end(own) for rate, own in zip(rates, by_rate, strict=True)})


def fit_together(
    build: Callable[[int], Model],
    teacher_of: TeacherOf,
    shape: Sequence[int],
    seeds: Sequence[int],
    budget: Budget,
    rates: Sequence[float],
) -> tuple[list[Model], Tensor]:
    """For each rate a model of each seed; their losses [steps, rates × seeds]. A seed draws model and inputs."""
    models = [build_seeded(build, seed).to(budget.device) for _ in rates for seed in seeds]
    whose = torch.arange(len(seeds), device=budget.device).repeat(len(rates))
    learner = RegressionLearner(models, [rate for rate in rates for _ in seeds], whose)
    teacher = teacher_of(seeds, budget.device)

    def learn(x: Tensor, factors: Tensor) -> Tensor:
        return learner.step(x, x[:, :0], teacher(x), factors)

    step: Callable[..., Tensor] = ToyStepGraph(learn) if budget.device == "cuda" else learn
    factors = torch.tensor([learner.factors(number, budget) for number in range(1, budget.steps + 1)])
    inputs = drawn_inputs(shape, seeds, budget)
    losses = [step(x, now).clone() for x, now in zip(inputs, factors.to(budget.device), strict=True)]
    learner.give_back(models)
    return models, torch.stack(losses).cpu()


def drawn_inputs(shape: Sequence[int], seeds: Sequence[int], budget: Budget) -> Iterator[Tensor]:
    """[seeds, pairs, n, d], step by step."""
    generators = [torch.Generator(budget.device).manual_seed(seed) for seed in seeds]
    for first in range(0, budget.steps, AT_ONCE):
        several = (min(AT_ONCE, budget.steps - first), *shape)
        drawn = [torch.randn(several, generator=generator, device=budget.device) for generator in generators]
        yield from torch.stack(drawn, dim=1)


class RegressionLearner(StackedLearner):
    """With the mean of the squared errors as the loss."""

    def __init__(self, models: Sequence[nn.Module], peaks: Sequence[float], whose: Tensor) -> None:
        super().__init__(models, peaks, whose)
        pattern = models[0]

        def loss_of(own: dict[str, Tensor], fixed: Any, given: Tensor, _: Tensor, wanted: Tensor) -> Tensor:
            return F.mse_loss(functional_call(pattern, (own, fixed), (given,)), wanted)

        self.loss_of_each = torch.vmap(loss_of)
