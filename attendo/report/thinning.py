"""Fewer points for the same picture."""

import numpy as np

MOST_POINTS = 1_000


def smooth(values: np.ndarray, window: int) -> np.ndarray:
    """The mean of the numbers in a window around each place; at the start a smaller one, where a loss falls fast.

    values [n], NaN where there is none -> [n], NaN where the whole window has none.
    """
    known = np.isfinite(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(known, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(known)])
    places = np.arange(len(values))
    half = np.minimum(places, window // 2)
    low, high = places - half, np.minimum(places + half + 1, len(values))
    with np.errstate(invalid="ignore"):
        return (sums[high] - sums[low]) / (counts[high] - counts[low])


def extremes(x: np.ndarray, y: np.ndarray, most: int = MOST_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Of each stretch the lowest and the highest point: a jagged line keeps its peaks."""
    x, y = numbers(x, y)
    if len(x) <= most:
        return x, y
    edges = np.linspace(0, len(x), most // 2 + 1).astype(np.int64)
    kept = set()
    for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        kept |= {start + int(y[start:end].argmin()), start + int(y[start:end].argmax())}
    chosen = np.array(sorted(kept))
    return x[chosen], y[chosen]


def evenly(x: np.ndarray, y: np.ndarray, most: int = MOST_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Every so many-th point, the first and the last among them: enough for a smooth line."""
    x, y = numbers(x, y)
    if len(x) <= most:
        return x, y
    chosen = np.linspace(0, len(x) - 1, most).round().astype(np.int64)
    return x[chosen], y[chosen]


def numbers(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    known = np.isfinite(y)
    return x[known], y[known]
