"""L28: chains of operations, counted by hand, and a rule with two answers."""

import pytest
import torch

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.families.l28_parallel import NAMES, build, longest_chain
from tests.lab.planted import small_runs, verdict


def test_l28_by_hand():
    x = torch.ones(1, requires_grad=True)
    assert longest_chain(x * 2) == 2  # the multiplication, and x itself
    assert longest_chain((x * 2).exp() + x.sin()) == 4
    steps = x
    for _ in range(10):
        steps = steps.tanh()
    assert longest_chain(steps) == 11


def test_l28_all_have_equally_many_weights():
    transformer, *recurrent = (sum(weight.numel() for weight in build(name, 1).parameters()) for name in NAMES)
    assert recurrent == pytest.approx([transformer] * 3, rel=0.05)


def test_l28_can_say_both():
    assert verdict("L28") == "holds"
    assert verdict("L28", transformer_chain=[100.0, 200.0]) == "does not hold"
    assert verdict("L28", lstm_chain=[100.0, 100.0]) == "does not hold"
    assert verdict("L28", attending_chain=[100.0, 90.0]) == "does not hold"
    assert verdict("L28", rnn_chain=[100.0, 100.0]) == "does not hold"


def test_l28_chains():
    """An RNN's step is at least a product, a sum, a tanh, and an LSTM's has more: each waits for the one before."""
    run, *_ = small_runs(EXPERIMENTS["L28"])
    assert run["transformer_chain_per_token"] == 0
    assert run["lstm_chain_per_token"] > run["rnn_chain_per_token"] >= 3
    assert run["attending_chain_per_token"] == run["lstm_chain_per_token"]  # attention itself does not wait
