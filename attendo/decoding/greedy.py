"""Greedy search: at every step the likeliest token."""

import torch
from torch import Tensor

from attendo.decoding.interface import AutoregressiveModel, State
from attendo.errors import InputError
from attendo.special_tokens import SPECIAL


@torch.inference_mode()
def greedy_decode(model: AutoregressiveModel[State], source: Tensor, max_length: int) -> Tensor:
    """source ids [batch, source] -> target ids [batch, <= max_length]; each ends with </s> and padding, if it ended."""
    if max_length < 1:
        raise InputError(f"max_length = {max_length}: expected at least 1")
    state = model.start_decoding(source)
    token = source.new_full((len(source), 1), SPECIAL.bos)
    ended = torch.zeros_like(token, dtype=torch.bool)  # [batch, 1]
    said = []
    for _ in range(max_length):
        token = model.next_token_logits(token, state).argmax(-1, keepdim=True).masked_fill(ended, SPECIAL.pad)
        said.append(token)
        ended = ended | (token == SPECIAL.eos)
        if ended.all():
            break
    return torch.cat(said, dim=1)
