"""A claim of the notes, as the lab sees it: an experiment, a rule that judges it, and a picture.

The words, English and Chinese, stand beside each experiment in two Markdown files of the same name (texts.py).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from matplotlib.figure import Figure

Size = Literal["small", "quick", "full"]  # for tests, for `attendo lab run`, for a night or a GPU
Verdict = Literal["holds", "holds only if", "does not hold", "undecided"]
Numbers = Mapping[str, float | Sequence[float]]  # what one seed gave, by name
Runs = Sequence[Numbers]  # of all seeds
Say = Callable[[str, str], str]  # of an English and a Chinese text, the one to show

SEEDS: Mapping[Size, int] = {"small": 2, "quick": 3, "full": 8}
ONE_SEED: Mapping[Size, int] = {"small": 1, "quick": 1, "full": 1}  # where nothing is left to chance


@dataclass(frozen=True)
class Experiment:
    """Numbers come from `measure` alone, the verdict from the numbers alone, by a stated rule."""

    id: str  # L1 to L40, as in the notes' list of claims
    source: str  # the note and its section: A to E
    measure: Callable[[Sequence[int], Size], list[Numbers]]  # seeds, size -> one row of numbers a seed
    judge: Callable[[Runs], Verdict]
    draw: Callable[[Runs, Say], Figure]
    seeds: Mapping[Size, int]  # how many
    # About models too large for a laptop: "stored". Then only "full" measures, and "quick" reads what it kept.
    evidence: Literal["measured", "stored"] = "measured"

    @property
    def module(self) -> str:
        return self.measure.__module__


def for_each_seed(measure: Callable[[int, Size], Numbers]) -> Callable[[Sequence[int], Size], list[Numbers]]:
    """Seed after seed. (Where models are trained, those of all seeds can learn in one pass instead.)"""

    def measured(seeds: Sequence[int], size: Size) -> list[Numbers]:
        return [measure(seed, size) for seed in seeds]

    measured.__module__ = measure.__module__
    measured.__wrapped__ = measure  # type: ignore[attr-defined]  # for the page, which shows its lines
    return measured


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
