"""What a model is trained to do, as a sum over the tokens it must say; the mean is the step's business.

A sum, because micro-batches and devices hold different numbers of tokens and the mean is over all of them together.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.special_tokens import SPECIAL
from attendo.training.loss import cross_entropy_sum

logger = logging.getLogger("attendo")

Objective = Callable[[nn.Module, Batch], Tensor]


@dataclass(frozen=True)
class TeacherForcing:
    """Say every target token, given the source and the true tokens before it, all positions at once."""

    label_smoothing: float = 0.0

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        logits = model(batch.source, batch.target_in, segments=batch.segments)
        return cross_entropy_sum(logits, batch.target_out, self.label_smoothing)


@dataclass(frozen=True)
class RDrop:
    """Twice the same batch, twice another dropout; the two should agree (Liang et al. 2021).

    loss = (CE_1 + CE_2) / 2 + α · (KL(p_1 ‖ p_2) + KL(p_2 ‖ p_1)) / 2
    """

    alpha: float
    label_smoothing: float = 0.0

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        # Every pair twice in one batch: each copy meets a dropout of its own, and the device is started once.
        twice = batch.each(lambda tensor: torch.cat((tensor, tensor)))
        first, second = model(twice.source, twice.target_in, segments=twice.segments).chunk(2)
        cross_entropy = sum(
            cross_entropy_sum(logits, batch.target_out, self.label_smoothing) for logits in (first, second)
        )
        return cross_entropy / 2 + self.alpha * symmetric_kl_sum(first, second, batch.target_out) / 2


def symmetric_kl_sum(first: Tensor, second: Tensor, target_out: Tensor) -> Tensor:
    """Σ over real tokens of KL(p ‖ q) + KL(q ‖ p) = Σ_v (p - q) (log p - log q); logits [batch, target, vocab]."""
    log_p, log_q = (
        F.log_softmax(logits.float() if logits.dtype.itemsize < 4 else logits, -1) for logits in (first, second)
    )
    divergence = ((log_p.exp() - log_q.exp()) * (log_p - log_q)).sum(-1)  # [batch, target]
    return divergence.masked_fill(target_out == SPECIAL.pad, 0).sum()


def in_precision(objective: Objective, device: torch.device, dtype: torch.dtype) -> Objective:
    """Matrices are multiplied in this type; weights, sums and the loss stay in float32."""
    if dtype == torch.float32:
        return objective

    def lower(model: nn.Module, batch: Batch) -> Tensor:
        with torch.autocast(device.type, dtype):
            return objective(model, batch)

    return lower


@dataclass
class Compiled:
    """An objective compiled, at its first call, for the one shape that batches have.

    Should the compiler fail, a warning says so and the run goes on without it.
    """

    objective: Objective
    compiled: Objective | None = field(init=False)

    def __post_init__(self) -> None:
        # By the stopwatch the compiler would choose differently from run to run, and so would the sums.
        self.compiled = torch.compile(self.objective, dynamic=False, options={"deterministic": True})

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        if self.compiled is not None:
            from torch._dynamo.exc import TorchDynamoException  # takes a second, which only a compiled run should pay

            try:
                return self.compiled(model, batch)
            except TorchDynamoException as error:
                reason = str(error).strip().partition("\n")[0]
                name = type(error).__name__
                logger.warning("torch.compile fails here (%s: %s); continuing without it, slower", name, reason)
                self.compiled = None
        return self.objective(model, batch)
