"""Greedy search over a model whose every answer is known, and over real ones against the slow way."""

import pytest
import torch

from attendo.decoding.greedy import greedy_decode
from attendo.errors import InputError
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, RecurrentConfig, TransformerConfig


class Countdown:
    """Says n, n-1, …, 4 and then </s>, n being the first source token; knows nothing but the few calls."""

    class State:
        def __init__(self, last):
            self.last = last

        def reorder(self, index):
            self.last = self.last[index]

    def start_decoding(self, source):
        return self.State(source[:, 0] + 1)

    def next_token_logits(self, tokens, state):
        state.last = state.last - 1
        says = torch.where(state.last >= 4, state.last, 2).clamp(min=2)
        return torch.nn.functional.one_hot(says, 12).float()


def test_stops_at_eos_row_by_row():
    output = greedy_decode(Countdown(), torch.tensor([[6], [4], [9]]), max_length=20)
    assert output.tolist() == [[6, 5, 4, 2, 0, 0, 0], [4, 2, 0, 0, 0, 0, 0], [9, 8, 7, 6, 5, 4, 2]]


def test_stops_at_the_maximum_length():
    assert greedy_decode(Countdown(), torch.tensor([[9]]), max_length=3).tolist() == [[9, 8, 7]]
    with pytest.raises(InputError, match="at least 1"):
        greedy_decode(Countdown(), torch.tensor([[9]]), max_length=0)


@pytest.mark.parametrize(
    "config",
    [
        TransformerConfig(vocab_size=15, d_model=16, d_ff=32, num_heads=2, encoder_layers=2, decoder_layers=2),
        DecoderOnlyConfig(vocab_size=15, d_model=16, d_ff=32, num_heads=2, num_layers=2),
        RecurrentConfig(vocab_size=15, d_model=16),
    ],
)
def test_equals_taking_the_best_of_a_full_pass_every_time(config):
    model = build_model(config).eval()
    source = torch.tensor([[5, 6, 7, 2], [8, 9, 2, 0]])
    output = greedy_decode(model, source, max_length=8)
    so_far = torch.ones(2, 1, dtype=torch.long)
    ended = torch.zeros(2, dtype=torch.bool)
    with torch.inference_mode():
        for position in range(output.shape[1]):
            logits = model(source, so_far)[:, -1]
            logits[:, :2] = -torch.inf  # padding and <s> are never said
            best = logits.argmax(-1).masked_fill(ended, 0)
            assert output[:, position].tolist() == best.tolist()
            ended |= best == 2
            so_far = torch.cat((so_far, best[:, None]), 1)
