"""AdamW as the paper sets it, and how fast to learn, step by step (5.3)."""

import math

import torch
from torch import nn

from attendo.training.config import TrainingConfig


def build_optimizer(model: nn.Module, config: TrainingConfig) -> torch.optim.AdamW:
    """Fused: one pass over all weights, and it can skip an update without asking the host."""
    return torch.optim.AdamW(
        model.parameters(),
        lr=0.0,  # every step brings its own
        betas=(config.beta1, config.beta2),
        eps=config.epsilon,
        weight_decay=config.weight_decay,
        fused=True,
    )


def learning_rate(step: int, d_model: int, config: TrainingConfig) -> float:
    match config.schedule:
        case "noam":
            return config.learning_rate * noam_learning_rate(step, d_model, config.warmup_steps)
        case "cosine":
            return cosine_learning_rate(step, config.learning_rate, config.warmup_steps, config.max_steps)


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
