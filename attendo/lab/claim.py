"""A claim of the notes, as the lab sees it: an experiment with knobs, a rule that judges it, and a picture.

The words, English and Chinese, stand beside each experiment in two Markdown files of the same name (texts.py).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from matplotlib.figure import Figure

from attendo.lab.knobs import Knob, Settings, Size, by_size

Verdict = Literal["holds", "holds only if", "does not hold", "undecided"]
Numbers = Mapping[str, float | Sequence[float]]  # what one seed gave, by name
Runs = Sequence[Numbers]  # of all seeds
Tr = Callable[[str, str], str]  # of an English and a Chinese text, the one to show
# measured: takes seconds, so it is always measured anew. trained: toy models; the full run is stored, and a laptop can
# measure it again in a minute or two. real: takes corpora and a GPU; only the full run measures.
Origin = Literal["measured", "trained", "real"]

SEEDS = by_size(2, 3, 8)
ONE_SEED = by_size(1, 1, 1)  # where nothing is left to chance


@dataclass(frozen=True)
class Experiment:
    """Numbers come from `measure` alone, the verdict from the numbers alone, by a stated rule.

    The knobs' values are among the numbers, under the knobs' names: rule and picture find them there.
    """

    id: str  # L1, L2, …: L1 to L40 as in the notes' list of claims
    measure: Callable[[Sequence[int], Settings], list[Numbers]]  # seeds, settings -> one row of numbers a seed
    judge: Callable[[Runs], Verdict]
    draw: Callable[[Runs, Tr], Figure]
    knobs: Sequence[Knob] = ()
    seeds: Mapping[Size, int] = field(default_factory=lambda: SEEDS)  # how many
    evidence: Origin = "measured"
    data: Sequence[str] = ()  # the corpora it reads, as files of $ATTENDO_DATA
    tunes: bool = False  # it has sides, each trained at its best learning rate: the number rate_SIDE

    @property
    def module(self) -> str:
        return self.measure.__module__


def for_each_seed(measure: Callable[[int, Settings], Numbers]) -> Callable[[Sequence[int], Settings], list[Numbers]]:
    """Seed after seed. (Where models are trained, those of all seeds can learn in one pass instead.)"""

    def measured(seeds: Sequence[int], at: Settings) -> list[Numbers]:
        return [measure(seed, at) for seed in seeds]

    measured.__module__ = measure.__module__
    measured.__wrapped__ = measure  # type: ignore[attr-defined]  # for the page, which shows its lines
    return measured


def rows_to_fill(seeds: Sequence[int], **same: float | Sequence[float]) -> list[dict[str, float | Sequence[float]]]:
    """A row of numbers for each seed, with those that are the same for all; the others are added one by one."""
    return [dict(same) for _ in seeds]


def number(run: Numbers, name: str) -> float:
    value = run[name]
    if not isinstance(value, int | float):
        raise TypeError(f"{name} is a row of numbers")
    return float(value)


def row(run: Numbers, name: str) -> Sequence[float]:
    values = run[name]
    if isinstance(values, int | float):
        raise TypeError(f"{name} is a single number")
    return values


def over_seeds(runs: Runs, name: str) -> list[float]:
    """What each seed gave."""
    return [number(run, name) for run in runs]
