"""Pairs of which one side is far longer or shorter than translation makes it."""

import numpy as np
from numpy.typing import NDArray

SHORT = 10.0  # characters added to both sides, because "Yes." and its translations differ by chance
OUTLIER = 5.0  # standard deviations, estimated by the median so that outliers do not widen them
NARROWEST = 0.15  # of the logarithm of the ratio; tidy corpora must not make every free translation an outlier


def log_ratios(source: NDArray[np.uint16], target: NDArray[np.uint16]) -> NDArray[np.float32]:
    """log(target length / source length) of each pair, softened for short ones."""
    return np.log(target + np.float32(SHORT)) - np.log(source + np.float32(SHORT))


def find_length_outliers(source: NDArray[np.uint16], target: NDArray[np.uint16]) -> NDArray[np.bool_]:
    """One flag a pair, from the lengths of both sides in characters; an empty side has its own name."""
    if len(source) == 0:
        return np.zeros(0, dtype=bool)
    ratio = log_ratios(source, target)
    middle = np.median(ratio)
    deviation = max(NARROWEST, 1.4826 * float(np.median(np.abs(ratio - middle))))
    return (np.abs(ratio - middle) > OUTLIER * deviation) & (source > 0) & (target > 0)
