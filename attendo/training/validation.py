"""How good a model is on pairs it was not trained on, by loss."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.data.batches import Batches, Position
from attendo.special_tokens import SPECIAL
from attendo.training.objective import Objective


def batches_of(batches: Batches) -> Iterator[tuple[Batch, Position]]:
    """Every pair once, each batch with its own position."""
    before = Position()
    for batch, behind in batches.stream(before):
        yield batch, before
        if behind.epoch != before.epoch:
            return
        before = behind


@torch.no_grad()
def mean_loss(model: nn.Module, batches: Sequence[Batch], objective: Objective) -> float:
    """Over all real target tokens together. The model should be in evaluation mode."""
    device = next(model.parameters()).device
    total = sum((objective(model, batch.to(device)).double() for batch in batches), torch.zeros((), device=device))
    return float(total) / sum(batch.num_target_tokens for batch in batches)


@torch.no_grad()
def masked_accuracy(model: nn.Module, batches: Sequence[Batch]) -> float:
    """The share of hidden tokens that the model guesses at once."""
    device = next(model.parameters()).device
    right = sum((guessed_right(model, batch.to(device)) for batch in batches), torch.zeros((), device=device))
    return float(right) / sum(batch.num_target_tokens for batch in batches)


def guessed_right(model: nn.Module, batch: Batch) -> Tensor:
    asked = batch.target_out != SPECIAL.pad
    return ((model(batch.source).argmax(-1) == batch.target_out) & asked).sum()


@contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """No dropout inside the block; behind it as it was."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)
