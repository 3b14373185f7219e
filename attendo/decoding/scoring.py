"""What the model says of given translations: one teacher-forced pass, no search."""

import torch
from torch import Tensor
from torch.nn import functional as F

from attendo.decoding.constraints import log_probabilities
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.interface import TeacherForcedModel
from attendo.special_tokens import SPECIAL


@torch.inference_mode()
def score_targets(
    model: TeacherForcedModel, source: Tensor, target_out: Tensor, length_penalty: float = 1.0
) -> list[Hypothesis]:
    """Source ids [batch, source] and target ids [batch, target], usually ended by </s>, then padded.

    log p(y | x) = Σ_n log p(y_n | x, y_1 … y_{n-1})
    """
    target_in = F.pad(target_out[:, :-1], (1, 0), value=SPECIAL.bos)
    log_probs = log_probabilities(model(source, target_in))  # [batch, target, vocab]
    of_tokens = log_probs.gather(-1, target_out[..., None]).squeeze(-1).double()
    lengths = (target_out != SPECIAL.pad).sum(1).tolist()
    return [
        Hypothesis.of(ids[:length], each[:length], length_penalty)
        for ids, each, length in zip(target_out.tolist(), of_tokens.tolist(), lengths, strict=True)
    ]
