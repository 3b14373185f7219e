"""What a few seeds allow to say: a mean, and the interval in which it lies with 95 % confidence."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

# Student's t, two sides, 95 %, for 1 to 30 degrees of freedom; beyond, the normal law's 1.96 is close enough.
T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


@dataclass(frozen=True)
class Interval:
    mean: float
    half: float  # of its width; 0 for a single value that no chance enters

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half


def interval(values: Sequence[float]) -> Interval:
    """Of the mean of independent values, by Student's t."""
    mean = statistics.fmean(values)
    n = len(values)
    if n == 1:
        return Interval(mean, 0.0)
    t = T[n - 2] if n - 2 < len(T) else 1.96
    return Interval(mean, t * statistics.stdev(values) / math.sqrt(n))


def difference(first: Sequence[float], second: Sequence[float]) -> Interval:
    """first - second, seed by seed: both sides of a comparison have the same seeds, and so the same data."""
    return interval([a - b for a, b in zip(first, second, strict=True)])
