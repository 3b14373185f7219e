"""One token drawn from a distribution, in numpy: what `sampling.draw_tokens` does in torch for the rows of a batch."""

import numpy as np
from numpy.typing import NDArray

from attendo.decoding.options import SamplingOptions


def draw_token(log_probs: NDArray[np.float64], uniform: float, options: SamplingOptions) -> int:
    """Log-probabilities [vocab] (-inf is forbidden) and a number in [0, 1) -> an id.

    The cumulative distribution is a staircase from 0 to 1; the number falls on the step of one token, and the height of
    the step is the token's probability. The steps stand in the order of ids, and with top_p of their heights.
    """
    # p_T ∝ exp(log p / T); the highest is subtracted first, so that a small T divides no large number.
    scaled = (log_probs - log_probs.max()) / options.temperature
    ids = None
    if 0 < options.top_k < len(scaled):
        ids = np.sort(np.argsort(-scaled, kind="stable")[: options.top_k])  # of equals at the edge the lowest ids
        scaled = scaled[ids]
    if options.top_p < 1:
        order = np.argsort(-scaled, kind="stable")
        scaled, ids = scaled[order], order if ids is None else ids[order]
    heights = np.exp(scaled)
    heights /= heights.sum()
    if options.top_p < 1:
        before = np.cumsum(heights) - heights  # what the likelier ones sum to; the first is always kept
        heights[(before >= options.top_p) & (before > 0)] = 0.0
    stairs = np.cumsum(heights)
    # The first stair above u; rounding must not carry it beyond the last stair that rises.
    index = np.searchsorted(stairs, uniform * stairs[-1], side="right")
    index = min(index, np.searchsorted(stairs, stairs[-1]))
    return int(index if ids is None else ids[index])
