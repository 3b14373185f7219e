"""One update of the weights."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.training.loss import cross_entropy_sum


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    micro_batches: Sequence[Batch],
    learning_rate: float,
    *,
    label_smoothing: float = 0.0,
    max_gradient_norm: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """Teacher forcing on the micro-batches together; the loss is the mean over all their real target tokens.

    Returns loss and gradient norm as tensors: to read them as numbers here would make the host wait for the device.
    """
    num_tokens = sum(batch.num_target_tokens for batch in micro_batches)
    mean_loss = torch.zeros((), device=micro_batches[0].source.device)
    for batch in micro_batches:
        logits = model(batch.source, batch.target_in, segments=batch.segments)
        loss = cross_entropy_sum(logits, batch.target_out, label_smoothing) / num_tokens
        loss.backward()
        mean_loss += loss.detach()
    gradient_norm = nn.utils.clip_grad_norm_(model.parameters(), max_gradient_norm)
    for group in optimizer.param_groups:
        group["lr"] = learning_rate
    optimizer.step()
    optimizer.zero_grad()
    return mean_loss, gradient_norm
