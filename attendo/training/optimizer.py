"""AdamW as the paper sets it (5.3), and which learning rate a step has."""

import torch
from torch import nn

from attendo.training.config import TrainingConfig
from attendo.training.schedule import cosine_learning_rate, noam_learning_rate


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
