"""The weights of a model, counted: both sides of a fair comparison have about as many."""

from torch import nn


def count(model: nn.Module) -> float:
    return float(sum(weight.numel() for weight in model.parameters()))
