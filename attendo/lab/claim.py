"""A claim of the notes, as the lab sees it: an experiment, a rule that judges it, and a picture.

The words, English and Chinese, stand beside each experiment in two Markdown files of the same name (texts.py).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from matplotlib.figure import Figure

# For tests; for `attendo lab tune`, which tries every learning rate; for `attendo lab run`; for a night or a GPU.
Size = Literal["small", "tuning", "quick", "full"]
Verdict = Literal["holds", "holds only if", "does not hold", "undecided"]
Numbers = Mapping[str, float | Sequence[float]]  # what one seed gave, by name
Runs = Sequence[Numbers]  # of all seeds
Tr = Callable[[str, str], str]  # of an English and a Chinese text, the one to show

T = TypeVar("T")


def by_size(small: T, quick: T, full: T) -> Mapping[Size, T]:
    """A number of steps, of seeds, ...; what is tuned for "quick" is as large."""
    return {"small": small, "tuning": quick, "quick": quick, "full": full}


SEEDS = by_size(2, 3, 8)
ONE_SEED = by_size(1, 1, 1)  # where nothing is left to chance


@dataclass(frozen=True)
class Experiment:
    """Numbers come from `measure` alone, the verdict from the numbers alone, by a stated rule."""

    id: str  # L1 to L40, as in the notes' list of claims
    source: str  # the note and its section: A to E
    measure: Callable[[Sequence[int], Size], list[Numbers]]  # seeds, size -> one row of numbers a seed
    judge: Callable[[Runs], Verdict]
    draw: Callable[[Runs, Tr], Figure]
    seeds: Mapping[Size, int] = field(default_factory=lambda: SEEDS)  # how many
    # About models too large for a laptop: "stored". Then only "full" measures, and "quick" reads what it kept.
    evidence: Literal["measured", "stored"] = "measured"
    tunes: bool = False  # it has sides, each trained at its best learning rate: the number rate_SIDE

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
