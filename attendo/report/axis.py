"""A scale from numbers to places on paper, with ticks at numbers people like."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ROOM = 0.04  # above and below the data, as a share of their span
MOST_TICKS, MOST_LOG_TICKS = 6, 8  # about; more would run into each other on a phone


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`; a logarithmic one where the numbers span decades."""

    low: float
    high: float
    ticks: list[float]
    labels: list[str]
    log: bool = False

    def place(self, values: np.ndarray | Sequence[float]) -> np.ndarray:
        """0 at the low end, 1 at the high end."""
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        numbers = np.asarray(values, dtype=np.float64)
        return ((np.log10(numbers) if self.log else numbers) - low) / (high - low)


def linear_axis(low: float, high: float, *, whole: bool = False) -> Axis:
    """`whole`: ticks at whole numbers alone, without room at the ends."""
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # one number, but for rounding
        half = 0.5 if whole or low == 0 else 0.5 * abs(low)
        low, high = low - half, high + half
    elif not whole:
        low, high = (low if low == 0 else low - ROOM * (high - low)), high + ROOM * (high - low)
    distance = nice_distance((high - low) / MOST_TICKS)
    if whole:
        distance = max(distance, 1.0)
    first, last = math.ceil(low / distance), math.floor(high / distance)
    ticks = [distance * count for count in range(first, last + 1)]
    decimals = max(0, -math.floor(math.log10(distance)))
    return Axis(low, high, ticks, [label(tick, decimals) for tick in ticks])


def log_axis(low: float, high: float) -> Axis:
    """For numbers above 0, from tick to tick; where they span many decades, only those are ticks."""
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    nice = [factor * 10.0**decade for decade in decades for factor in (1, 2, 5)]
    low, high = max(tick for tick in nice if tick <= low), min(tick for tick in nice if tick > high)
    ticks = [tick for tick in nice if low <= tick <= high]
    if len(ticks) > MOST_LOG_TICKS:
        ticks = [tick for tick in (10.0**decade for decade in decades) if low <= tick <= high]
    ticks = ticks[:: math.ceil(len(ticks) / MOST_LOG_TICKS)]
    return Axis(low, high, ticks, [f"{tick:,g}" for tick in ticks], log=True)


def nice_distance(distance: float) -> float:
    """The least of … 1, 2, 5, 10, 20, 50 … that is no less."""
    decade = 10.0 ** math.floor(math.log10(distance))
    return next(decade * factor for factor in (1, 2, 5, 10) if decade * factor >= distance * (1 - 1e-9))


def label(tick: float, decimals: int) -> str:
    if tick == 0:
        return "0"
    return f"{tick:,.{decimals}f}" if decimals < 6 and abs(tick) < 1e9 else f"{tick:.1e}"
