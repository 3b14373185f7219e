"""Of several learning rates, the one to take."""

from collections.abc import Mapping

import torch

SAME = 0.005  # nats: where losses are nearer than that, the smaller rate is taken, with which fewer starts fail


def best_rate(losses: Mapping[float, float]) -> float:
    """losses by rate -> the rate of the lowest; of those that are SAME as that one, the smallest."""
    real = {rate: loss if loss == loss else torch.inf for rate, loss in losses.items()}  # NaN has lost
    return min(rate for rate, loss in real.items() if loss <= min(real.values()) + SAME)
