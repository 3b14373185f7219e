"""One update of the weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.errors import TrainingError
from attendo.files.tables import short_repr
from attendo.training.objective import Objective, TeacherForcing
from attendo.training.ranks import ALONE, Ranks
from attendo.training.repeatable import repeatable
from attendo.training.sharded import whole


@dataclass(frozen=True)
class StepOutcome:
    """Tensors: to read them as numbers at once would make the host wait for the device."""

    loss: Tensor  # the mean over all real target tokens
    gradient_norm: Tensor  # before clipping
    finite: Tensor  # both were numbers; otherwise nothing was changed

    def numbers(self) -> Tensor:
        """[loss, gradient norm, 1 where finite], to be read at once."""
        return torch.stack((self.loss, self.gradient_norm, self.finite.float()))


class Step(Protocol):
    """`train_step`, or what does the same."""

    def __call__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        micro_batches: Sequence[Batch],
        learning_rate: float,
        objective: Objective,
        *,
        max_gradient_norm: float = ...,
        ranks: Ranks = ...,
    ) -> StepOutcome: ...


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    micro_batches: Sequence[Batch],
    learning_rate: float | Tensor,
    objective: Objective = TeacherForcing(),  # noqa: B008 - frozen
    *,
    max_gradient_norm: float = 1.0,
    ranks: Ranks = ALONE,
) -> StepOutcome:
    """One update from the micro-batches together; the loss is the mean over all their real target tokens, and those of
    the other ranks."""
    device = micro_batches[0].source.device
    with repeatable(device):
        num_tokens = ranks.total(torch.stack([batch.count_target_tokens() for batch in micro_batches]).sum())
        loss = torch.zeros((), device=device)
        for batch in micro_batches:
            total = objective(model, batch)
            if not isinstance(total, Tensor) or total.numel() != 1 or not total.requires_grad:
                raise wrong_loss(total)
            share = total / num_tokens
            ranks.backward(share, model, last=batch is micro_batches[-1])
            loss += share.detach()
        loss = ranks.total(loss)
        gradient_norm = whole(nn.utils.clip_grad_norm_(model.parameters(), max_gradient_norm))
    finite = loss.isfinite() & gradient_norm.isfinite()
    for group in optimizer.param_groups:
        group["lr"] = learning_rate
    step_if(finite, optimizer)
    optimizer.zero_grad()
    return StepOutcome(loss, gradient_norm, finite)


def wrong_loss(found: object) -> TrainingError:
    what = f"a tensor of shape {list(found.shape)}" if isinstance(found, Tensor) else short_repr(found)
    return TrainingError(f"the objective gave {what}: expected a loss, one number with a gradient")


def step_if(finite: Tensor, optimizer: torch.optim.Optimizer) -> None:
    """A loss or gradient that is no number must not reach the weights.

    A fused optimiser can be told so by a tensor (the way torch's GradScaler does it), and the host need not wait.
    """
    if getattr(optimizer, "_step_supports_amp_scaling", False):
        optimizer.found_inf = (~finite).float()  # type: ignore[attr-defined]
        optimizer.step()
    elif bool(finite):
        optimizer.step()
