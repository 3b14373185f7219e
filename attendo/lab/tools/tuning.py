"""Both sides of a comparison at their best: each trained at every learning rate of one small grid.

That takes seven times as long as one rate. So `attendo lab tune` does it once, with seeds by which nothing is judged,
and keeps the best rate of each side (learning_rates.json); "quick" takes that. "full" tries all of them itself.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor, nn

from attendo.errors import AttendoError, InputError
from attendo.files.durable import write_file
from attendo.files.tables import from_dict, looks_like, read_json, short_repr
from attendo.lab.claim import Size
from attendo.lab.tools.measuring import at_the_end, best_rate
from attendo.lab.tools.toy_training import Budget, Draw, train_one_by_one, train_together

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


def train_tuned(
    build: Callable[[int], Model],
    draw: Draw,
    seeds: Sequence[int],
    budgets: Sequence[Budget],
    *,
    data_seeds: Sequence[int] | None = None,
    least: Callable[[Tensor], float] = at_the_end,
    together: bool = True,
) -> tuple[list[Model], Tensor, float]:
    """The models of the budget that has the least of something, or nearly; their losses [steps, models]; its rate.

    Toy data are drawn anew at every step, so the training loss is the loss on data never seen. The seed of a model
    draws its data as well, unless these have seeds of their own. `together`: in one pass, where the models can.
    """
    tries = {budget.learning_rate: train_anew(build, draw, seeds, budget, data_seeds, together) for budget in budgets}
    best = best_rate({rate: least(losses) for rate, (_, losses) in tries.items()})
    return *tries[best], best


def train_anew(
    build: Callable[[int], Model],
    draw: Draw,
    seeds: Sequence[int],
    budget: Budget,
    data_seeds: Sequence[int] | None = None,
    together: bool = True,
) -> tuple[list[Model], Tensor]:
    """A model of each seed, and their losses [steps, models]."""
    models = []
    for seed in seeds:
        torch.manual_seed(seed)
        models.append(build(seed))
    train = train_together if together else train_one_by_one
    return models, train(models, draw, data_seeds or seeds, budget)


# --- the table of the best rates

PATH = Path(__file__).parent.parent / "learning_rates.json"
LARGEST = 1_000_000  # bytes


@dataclass(frozen=True)
class TunedRates:
    """What one claim was tuned to, and where that comes from."""

    date: str  # such as 2026-11-16
    machine: str
    seeds: tuple[int, ...]  # others than those it is judged by
    code: str  # the hash of what measured
    rates: Mapping[str, float] = field(default_factory=dict)  # of each side


def rate_of(claim: str, side: str) -> float:
    rates = rates_of(claim)
    if side not in rates:
        raise InputError(f"{PATH} has no learning rate for {side} of {claim}: attendo lab tune {claim} writes it")
    return rates[side]


def rates_of(claim: str) -> Mapping[str, float]:
    """side -> rate; empty for a claim that was never tuned."""
    found = read_rows().get(claim)
    return found.rates if found else {}


def read_rows() -> dict[str, TunedRates]:
    """claim -> what it was tuned to. A file may hold anything: whatever does not fit is an error that names it."""
    if not PATH.exists():
        return {}
    table = read_json(PATH, LARGEST)
    try:
        if not isinstance(table, dict):
            raise InputError(f"it is {short_repr(table)}: expected an object with a row for each claim")
        return {claim: checked(row, claim) for claim, row in table.items()}
    except AttendoError as error:
        raise InputError(f"{PATH} is no table of learning rates: {error}") from error


def checked(row: object, claim: str) -> TunedRates:
    if not isinstance(row, dict):
        raise InputError(f"{claim} is {short_repr(row)}: expected an object")
    rates = row.get("rates")
    if not isinstance(rates, dict) or not all(looks_like(rate, float) and rate > 0 for rate in rates.values()):
        raise InputError(f"rates of {claim} is {short_repr(rates)}: expected a number above 0 for each side")
    return replace(from_dict(TunedRates, {key: row[key] for key in row if key != "rates"}, claim), rates=rates)


def write_rows(rows: Mapping[str, TunedRates]) -> None:
    """These rows; what the table has of other claims stays. In the order of the claims' numbers."""
    table = {**read_rows(), **rows}
    in_order = {claim: asdict(table[claim]) for claim in sorted(table, key=lambda claim: (len(claim), claim))}
    write_file(PATH, (json.dumps(in_order, indent=1, ensure_ascii=False) + "\n").encode())
