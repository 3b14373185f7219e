"""How fast to learn, step by step (5.3)."""

import math


def noam_learning_rate(step: int, d_model: int, warmup_steps: int) -> float:
    """Linear warmup, then decay with the inverse square root (paper, equation 3).

        rate(step) = d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)

    Steps count from 1. The peak, at step = warmup_steps, is (d_model · warmup_steps)^-0.5.
    """
    check_steps(step, warmup_steps)
    rate: float = d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
    return rate


def cosine_learning_rate(step: int, peak: float, warmup_steps: int, max_steps: int) -> float:
    """Linear warmup to the peak at step = warmup_steps, then half a cosine down to 0 at step = max_steps.

    rate(step) = peak · (1 + cos(π · (step - warmup_steps) / (max_steps - warmup_steps))) / 2
    """
    check_steps(step, warmup_steps)
    if warmup_steps >= max_steps:
        raise ValueError(f"warmup_steps = {warmup_steps} must be less than max_steps = {max_steps}")
    if step <= warmup_steps:
        return peak * step / warmup_steps
    done = min(1.0, (step - warmup_steps) / (max_steps - warmup_steps))
    return peak * (1 + math.cos(math.pi * done)) / 2


def check_steps(step: int, warmup_steps: int) -> None:
    if step < 1:
        raise ValueError(f"steps count from 1, got step = {step}")
    if warmup_steps < 1:
        raise ValueError(f"warmup_steps = {warmup_steps}: expected at least 1")
