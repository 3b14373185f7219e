"""Both sides of a comparison at their best: each trained at every learning rate of one small grid.

That takes seven times as long as one rate. So `attendo lab tune` does it once, with seeds by which nothing is judged,
and keeps the best rate of each side (learning_rates.json); "quick" takes that. "full" tries all of them itself.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor, nn

from attendo.lab.claim import Size
from attendo.lab.tools.best_rate import best_rate
from attendo.lab.tools.learning_rates import rate_of
from attendo.lab.tools.toy_training import Budget, Draw, train_together

# One for all claims; each is two or two and a half times the one before.
GRID = (5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2)
ENDS = (GRID[0], GRID[-1])  # where one of these is the best, a rate beyond it might be better still

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

    tries = {budget.learning_rate: train_anew(build, draw, seeds, budget, data_seeds) for budget in budgets}
    best = best_rate({rate: least(losses) for rate, (_, losses) in tries.items()})
    return *tries[best], best


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
