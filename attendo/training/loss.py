"""The loss: cross entropy with label smoothing (5.4)."""

from torch import Tensor
from torch.nn import functional as F

from attendo.special_tokens import SPECIAL


def cross_entropy_sum(logits: Tensor, target_out: Tensor, label_smoothing: float = 0.0) -> Tensor:
    """Sum over real target tokens of -Σ_v q(v) log p(v); padding counts nothing.

        q(v) = (1 - ε) [v is the right token] + ε / vocabulary

    The smoothing mass ε lies over the whole vocabulary, the right token included. A sum, not a mean: micro-batches
    and devices hold different numbers of tokens, and the mean must be over all of them together.

    logits [batch, target, vocab], target_out [batch, target].
    """
    return F.cross_entropy(
        logits.flatten(0, 1).float() if logits.dtype.itemsize < 4 else logits.flatten(0, 1),
        target_out.flatten(),
        ignore_index=SPECIAL.pad,
        label_smoothing=label_smoothing,
        reduction="sum",
    )
