"""Both sides of a comparison at their best: each trained at every learning rate of one small grid.

That takes seven times as long as one rate. So `attendo lab tune` does it once, with seeds by which nothing is judged,
and keeps the best rate of each side (learning_rates.json); "quick" takes that. "full" tries all of them itself.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor, nn

from attendo.lab.claim import Size
from attendo.lab.learning_rates import rate_of
from attendo.lab.toy_training import Budget, Draw, train_together

# One for all claims; each is two or two and a half times the one before.
GRID = (5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2)
ENDS = (GRID[0], GRID[-1])  # where one of these is the best, a rate beyond it might be better still
SAME = 0.005  # nats: where losses are nearer than that, the smaller rate is taken, with which fewer starts fail

Model = TypeVar("Model", bound=nn.Module)


def budgets_of(claim: str, side: str, size: Size, steps: int, pairs: int) -> list[Budget]:
    """The budgets of one side of a claim: they differ in their learning rates alone."""
    if size == "small":
        rates: Sequence[float] = GRID[len(GRID) // 2 :][:1]  # any will do
    elif size == "quick":
        rates = [rate_of(claim, side)]
    else:
        rates = GRID
    device = "cuda" if size == "full" and torch.cuda.is_available() else "cpu"
    return [Budget(steps, pairs, rate, device=device) for rate in rates]


def at_the_end(losses: Tensor) -> float:
    """Mean loss of the last tenth of the steps."""
    return float(losses[-max(1, len(losses) // 10) :].mean())


def on_the_way(losses: Tensor) -> float:
    """Mean loss of all steps: for a claim about how soon something is learnt."""
    return float(losses.mean())


def train_tuned(
    build: Callable[[int], Model],
    draw: Draw,
    seeds: Sequence[int],
    budgets: Sequence[Budget],
    *,
    data_seeds: Sequence[int] | None = None,
    least: Callable[[Tensor], float] = at_the_end,
) -> tuple[list[Model], Tensor, float]:
    """The models of the budget that has the least of something, or nearly; their losses [steps, models]; its rate.

    Toy data are drawn anew at every step, so the training loss is the loss on data never seen. The seed of a model
    draws its data as well, unless these have seeds of their own.
    """

    tries = [train_anew(build, draw, seeds, budget, data_seeds) for budget in budgets]
    best = best_of(budgets, [least(losses) for _, losses in tries])
    return *tries[best], budgets[best].learning_rate


def best_of(budgets: Sequence[Budget], losses: Sequence[float]) -> int:
    """Which of them has the lowest loss; of those that are SAME as that one, the one with the smallest rate."""
    real = [loss if loss == loss else torch.inf for loss in losses]  # NaN has lost
    good = [place for place, loss in enumerate(real) if loss <= min(real) + SAME]
    return min(good, key=lambda place: budgets[place].learning_rate)


def train_anew(
    build: Callable[[int], Model],
    draw: Draw,
    seeds: Sequence[int],
    budget: Budget,
    data_seeds: Sequence[int] | None = None,
) -> tuple[list[Model], Tensor]:
    models = []
    for seed in seeds:
        torch.manual_seed(seed)
        models.append(build(seed))
    return models, train_together(models, draw, data_seeds or seeds, budget)
