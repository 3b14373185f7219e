"""Greedy search of one sentence, token by token: each is told as soon as it is known."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from attendo.decoding.constraints import Constraint, Rows, constrained
from attendo.decoding.interface import AutoregressiveModel, State
from attendo.special_tokens import SPECIAL


def greedy_tokens(
    model: AutoregressiveModel[State], source: Tensor, max_length: int, constraints: Sequence[Constraint] = ()
) -> Iterator[int]:
    """source ids [1, source] -> the ids that `greedy_search` finds; </s> is the last, if the sentence ends."""
    with torch.inference_mode():
        state = model.start_decoding(source)
    said = source.new_full((1, 1), SPECIAL.bos)
    for step in range(max_length):
        # Entered anew at each step: whoever takes the tokens may stop in between, and must not be left in this mode.
        with torch.inference_mode():
            room = torch.tensor([max_length - step], device=source.device)
            rows = Rows(said[:, 1:], torch.zeros_like(room), room)
            _, ranked = constrained(model.next_token_logits(said[:, -1:], state), constraints, rows)
            token = ranked.argmax(-1, keepdim=True)
            if ranked.gather(1, token).item() == -torch.inf:  # every token is forbidden
                return
            said = torch.cat((said, token), dim=1)
        yield int(token)
        if int(token) == SPECIAL.eos:
            return
