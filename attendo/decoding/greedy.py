"""Greedy search: at every step the likeliest token."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attendo.decoding.constraints import Constraint
from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.interface import AutoregressiveModel, State
from attendo.decoding.one_path import follow
from attendo.decoding.trace import Watch
from attendo.special_tokens import pad_rows


@torch.inference_mode()
def greedy_search(
    model: AutoregressiveModel[State],
    source: Tensor,
    max_length: int | Sequence[int],
    constraints: Sequence[Constraint] = (),
    length_penalty: float = 1.0,
    watch: Watch | None = None,
) -> list[Hypothesis]:
    """source ids [batch, source] -> one hypothesis for each sentence. Of equals, the lowest id is taken."""

    def likeliest(log_probs: Tensor, sentence: Tensor, step: int) -> Tensor:
        return log_probs.argmax(-1)

    return follow(model, source, max_length, likeliest, constraints, length_penalty, watch)


def greedy_decode(model: AutoregressiveModel[State], source: Tensor, max_length: int | Sequence[int]) -> Tensor:
    """source ids [batch, source] -> target ids [batch, <= max_length]; each ends with </s> and padding, if it ended."""
    return source.new_tensor(pad_rows([hypothesis.ids for hypothesis in greedy_search(model, source, max_length)]))
