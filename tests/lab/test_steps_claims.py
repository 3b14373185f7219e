"""L24 and L32: what runs once and what runs step by step."""

import torch

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.tools.measuring import seconds
from tests.lab.planted import small_runs, verdict


def test_l24():
    assert verdict("L24") == "holds"
    assert verdict("L24", logits_differ=1e-6) == "does not hold"
    assert verdict("L24", gradients_differ=1e-6) == "does not hold"
    assert verdict("L24", unmasked_differ=0.0) == "undecided"


def test_l24_bare_prefixes_are_something_else():
    (run, *_) = small_runs(EXPERIMENTS["L24"])
    assert run["bare_prefixes_differ"] > 1e-3


def test_l32():
    assert verdict("L32") == "holds"
    assert verdict("L32", decoder_calls_infer=[1.0, 1.0]) == "does not hold"
    assert verdict("L32", encoder_calls_infer=[5.0, 20.0]) == "does not hold"
    assert verdict("L32", decoder_calls_train=[5.0, 20.0]) == "does not hold"


def test_l32_counts():
    (run, *_) = small_runs(EXPERIMENTS["L32"])
    assert run["decoder_positions_infer"] == [5, 20]
    assert run["decoder_positions_train"] == [5, 20]
    assert run["decoder_calls_score"] == [1, 1]


def test_the_median_of_several_times():
    calls = []
    assert seconds(lambda: calls.append(torch.zeros(1)), 3) >= 0
    assert len(calls) == 4
