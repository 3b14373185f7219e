"""Both sides of a comparison at their best: each trained at every learning rate of one small grid, then at the best.

The rate is chosen with seeds by which nothing is judged. `attendo lab tune` does that, and a full run as well; what is
found is kept in learning_rates.json, and "quick" takes it from there.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from attendo.errors import AttendoError, InputError
from attendo.files.durable import write_file
from attendo.files.tables import from_dict, looks_like, read_json, short_repr
from attendo.lab.knobs import Settings, Size
from attendo.lab.tools.measuring import at_the_end, best_rate, on_the_way, steps_until
from attendo.lab.tools.toy_training import Budget, Draw, train_one_by_one, train_together, training_device

# One for all claims; each is two or two and a half times the one before.
GRID = (5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2)
ENDS = (GRID[0], GRID[-1])  # where one of these is the best, a rate beyond it might be better still
TUNING_SEED = 5000  # the first by which learning rates are chosen: no verdict stands on these
WARMUP_STEPS = 100  # or a tenth of all, if that is less: more steps in all make no slower beginning
TUNING_SEEDS = range(TUNING_SEED, TUNING_SEED + 4)  # of a full run

Model = TypeVar("Model", bound=nn.Module)


@dataclass(frozen=True)
class TrainedSide(Generic[Model]):
    """One side of a comparison: a model for each seed, trained at the rate that is the best for this side."""

    models: list[Model]
    losses: Tensor  # [steps, models]
    rate: float
    half: Sequence[float] | None = None  # of a full run: the loss at the end of a run with half the steps, of each seed

    def ends(self) -> list[float]:
        """The loss at the end, of each seed."""
        return [at_the_end(own) for own in self.losses.T]

    def numbers(self, name: str, level: float, width: int = 10) -> list[dict[str, float]]:
        """For each seed: NAME, the loss at the end; NAME_half, if it is known; NAME_learnt, after how many steps the
        loss is below a level (one window of `width` more than all steps if never); NAME_failed, 1 if it is not at the
        end; and rate_NAME."""
        found = []
        for index, own in enumerate(self.losses.T):
            learnt = steps_until(level, own, min(width, len(own)))
            end = at_the_end(own)
            numbers = {name: end, f"{name}_learnt": learnt, f"{name}_failed": float(not end < level)}
            numbers[f"rate_{name}"] = self.rate
            found.append(numbers | ({f"{name}_half": self.half[index]} if self.half else {}))
        return found

    def add_to(self, runs: Sequence[dict[str, float | Sequence[float]]], name: str, level: float) -> None:
        """The numbers of each seed, to the row of that seed."""
        for run, numbers in zip(runs, self.numbers(name, level), strict=True):
            run |= numbers


def train_side(
    claim: str,
    name: str,
    at: Settings,
    seeds: Sequence[int],
    build: Callable[[int], Model],
    draw: Draw,
    pairs: int,
    *,
    steps: int | None = None,
    data_seeds: Sequence[int] | None = None,
    least: Callable[[Tensor], float] = on_the_way,
    together: bool = True,
) -> TrainedSide[Model]:
    """The one way to train a side of a claim. `steps`: where they are not the knob's.

    Toy data are drawn anew at every step, so the training loss is the loss on data never seen. The seed of a model
    draws its data as well, unless these have seeds of their own. `least`: what the best rate has the least of; the mean
    loss of all steps, if nothing else is said: so a rate is sought that is both soon there and good in the end.
    `together`: in one pass, where the models can.
    """
    steps = steps or at.whole("steps")
    device = training_device(at.size)
    warmup = min(0.1, WARMUP_STEPS / steps)
    budgets = [Budget(steps, pairs, rate, warmup, device) for rate in rates_to_try(claim, name, at.size)]
    if at.size == "full":
        tuning = list(TUNING_SEEDS)
        *_, best = train_tuned(build, draw, tuning, budgets, least=least, together=together)
        budgets = [replace(budgets[0], learning_rate=best)]
    models, losses, rate = train_tuned(
        build, draw, seeds, budgets, data_seeds=data_seeds, least=least, together=together
    )
    if at.size != "full":
        return TrainedSide(models, losses, rate)
    shorter = replace(budgets[0], steps=max(2, steps // 2), warmup=min(0.1, 2 * WARMUP_STEPS / steps))
    _, half = train_anew(build, draw, seeds, [shorter], data_seeds, together)[0]
    return TrainedSide(models, losses, rate, [at_the_end(own) for own in half.T])


def rates_to_try(claim: str, side: str, size: Size) -> Sequence[float]:
    """ "quick": the one that was found before. A side that nobody has tuned, as when a knob is turned: those of the
    claim's other sides."""
    if size == "small":
        return GRID[len(GRID) // 2 :][:1]  # any will do
    if size != "quick":
        return GRID
    known = rates_of(claim)
    return [known[side]] if side in known else sorted(set(known.values())) or GRID


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
    """The models of the budget that has the least of something, or nearly; their losses [steps, models]; its rate."""
    tries = train_anew(build, draw, seeds, budgets, data_seeds, together)
    by_rate = {budget.learning_rate: one for budget, one in zip(budgets, tries, strict=True)}
    best = best_rate({rate: least(losses) for rate, (_, losses) in by_rate.items()})
    return *by_rate[best], best


def train_anew(
    build: Callable[[int], Model],
    draw: Draw,
    seeds: Sequence[int],
    budgets: Sequence[Budget],
    data_seeds: Sequence[int] | None = None,
    together: bool = True,
) -> list[tuple[list[Model], Tensor]]:
    """For each budget a model of each seed, and their losses [steps, models]. Budgets differ in the rate alone."""
    models = [build_seeded(build, seed) for _ in budgets for seed in seeds]
    data = list(data_seeds or seeds) * len(budgets)
    if together:
        peaks = [budget.learning_rate for budget in budgets for _ in seeds]
        losses = train_together(models, draw, data, budgets[0], peaks)
    else:
        parts = [
            train_one_by_one(models[at : at + len(seeds)], draw, data[: len(seeds)], budget)
            for at, budget in zip(range(0, len(models), len(seeds)), budgets, strict=True)
        ]
        losses = torch.cat(parts, dim=1)
    places = [slice(at, at + len(seeds)) for at in range(0, len(models), len(seeds))]
    return [(models[place], losses[:, place]) for place in places]


def build_seeded(build: Callable[[int], Model], seed: int) -> Model:
    torch.manual_seed(seed)
    return build(seed)


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
