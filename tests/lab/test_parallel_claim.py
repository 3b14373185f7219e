"""L28: chains of operations, counted by hand, and a rule with four answers."""

import pytest
import torch

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.families.l28_parallel import build, longest_chain
from tests.lab.planted import small, verdict


def test_l28_by_hand():
    x = torch.ones(1, requires_grad=True)
    assert longest_chain(x * 2) == 2  # the multiplication, and x itself
    assert longest_chain((x * 2).exp() + x.sin()) == 4
    steps = x
    for _ in range(10):
        steps = steps.tanh()
    assert longest_chain(steps) == 11


def test_l28_both_have_equally_many_weights():
    transformer, lstm = (sum(w.numel() for w in build(name, 1).parameters()) for name in ("transformer", "lstm"))
    assert lstm == pytest.approx(transformer, rel=0.05)


def test_l28():
    assert verdict("L28", ratio_shortest=1.0, ratio_longest=3.0) == "holds"
    assert verdict("L28", ratio_shortest=1.0, ratio_longest=0.5) == "holds only if"
    assert verdict("L28", ratio_shortest=1.0, ratio_longest=1.0) == "undecided"
    assert verdict("L28", chain_transformer=[100.0, 200.0]) == "does not hold"
    assert verdict("L28", chain_lstm=[100.0, 100.0]) == "does not hold"


def test_l28_chains():
    (run,) = EXPERIMENTS["L28"].measure([1], small(EXPERIMENTS["L28"]))
    assert run["chain_transformer_per_token"] == 0
    assert run["chain_lstm_per_token"] > 1
