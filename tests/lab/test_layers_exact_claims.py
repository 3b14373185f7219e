"""L63, L65 to L69 and L72: what is exact, by independent witnesses; and rules that can say each verdict."""

import math

import pytest
import torch
from torch.nn import functional as F

from attendo.lab.attention.l72_gradient_to_values import gradient_error
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.layers.l63_exploding import gradient_ratio
from attendo.lab.layers.l65_norm_and_scale import D_MODEL, apply_norm
from attendo.lab.layers.l67_who_sees_whom import patterns
from tests.lab.planted import small_runs, verdict


def test_l63_can_say_each_verdict():
    limits = {"plain_small": -9.0, "plain_large": 7.0}
    assert verdict("L63", **limits, residual_small=0.0, residual_large=8.0) == "holds only if"
    assert verdict("L63", **limits, residual_small=0.0, residual_large=1.0) == "holds"
    assert verdict("L63", **limits, residual_small=-5.0, residual_large=8.0) == "does not hold"
    assert verdict("L63", plain_small=-1.0, plain_large=7.0, residual_small=0.0, residual_large=1.0) == "undecided"


def test_l63_a_gradient_beyond_numbers_is_a_number():
    assert math.isfinite(gradient_ratio("plain", 48, 20.0, seed=1))
    assert gradient_ratio("residual", 4, 0.01, seed=1) == pytest.approx(0, abs=0.01)  # I + J with hardly a J


def test_l65_the_norms_are_torchs():
    x = torch.randn(3, 5, D_MODEL, dtype=torch.float64) * 4
    torch.testing.assert_close(apply_norm("layer", x), F.layer_norm(x, (D_MODEL,), eps=0.0))
    batch = F.batch_norm(x.flatten(0, 1), None, None, training=True, eps=1e-14).view_as(x)
    torch.testing.assert_close(apply_norm("batch", x), batch)


def test_l65_can_say_each_verdict():
    assert verdict("L65") == "holds only if"
    assert verdict("L65", layer_noise=0.01) == "holds"
    assert verdict("L65", layer_shift=1e-6) == "does not hold"
    assert verdict("L65", batch_scale_most=0.0) == "undecided"


def test_l66_can_say_each_verdict():
    assert verdict("L66") == "holds"
    assert verdict("L66", matrices_alike=1.0) == "holds only if"
    assert verdict("L66", from_last=0.5) == "does not hold"
    assert verdict("L66", from_others=0.0) == "does not hold"


def test_l67_the_patterns_are_those_of_the_paper():
    found = {name: pattern > 1e-6 for name, pattern in patterns(5, seed=3).items()}
    eye, full = torch.eye(5, dtype=torch.bool), torch.ones(5, 5, dtype=torch.bool)
    for name in ("embedding", "feed_forward", "add_and_norm", "cross"):
        assert found[name].equal(eye), name
    for name in ("self_attention", "cross_source"):
        assert found[name].equal(full), name
    assert found["masked"].equal(full.tril())


def test_l67_can_say_each_verdict():
    assert verdict("L67") == "holds only if"
    assert verdict("L67", cross_off_most=1.0) == "holds"
    assert verdict("L67", feed_forward_off_most=1e-3) == "does not hold"
    assert verdict("L67", masked_off_most=0.0) == "does not hold"


def test_l68_counts():
    (numbers, *_) = small_runs(EXPERIMENTS["L68"])
    n, d = 256, 16
    assert numbers["mixing_weights_longest"] == n * n
    assert numbers["attention_weights_longest"] == 2 * d * d
    assert numbers["mixing_work_longest"] == n * n * d
    assert numbers["attention_work_longest"] == 2 * n * d * d + 2 * n * n * d  # Q and K; scores and sums
    assert (numbers["mixing_reads"], numbers["attention_reads"], numbers["tried"]) == (1, 3, 3)


def test_l68_can_say_each_verdict():
    assert verdict("L68") == "holds only if"
    assert verdict("L68", attention_work_longest=1.0) == "holds"
    assert verdict("L68", factors_longest=1e9) == "does not hold"
    assert verdict("L68", same_there=0.1) == "undecided"


def test_l69_counts_what_was_published():
    (numbers,) = small_runs(EXPERIMENTS["L69"])
    assert numbers["billions_7b"] == 6.738415616
    assert numbers["billions_30b"] == 32.528943616
    # 60 layers of 7B's: 28 more, each 4 d² + 3 d d_ff + 2 d.
    d, d_ff = 4096, 11_008
    assert numbers["billions_deeper"] == pytest.approx(6.738415616 + 28 * (4 * d * d + 3 * d * d_ff + 2 * d) / 1e9)


def test_l69_can_say_each_verdict():
    assert verdict("L69") == "holds"
    assert verdict("L69", billions_deeper=32.5) == "holds only if"
    assert verdict("L69", billions_30b=30.0) == "does not hold"
    assert verdict("L69", kinds_of_one_alone=1) == "does not hold"


def test_l72_the_gradient_is_the_weight_times_what_came_back():
    assert gradient_error(40, seed=7) <= 1e-12


def test_l72_can_say_each_verdict():
    assert verdict("L72", trained_times=20.0, untrained_times=3.0) == "holds only if"
    assert verdict("L72", trained_times=5.0, untrained_times=3.0) == "holds"
    assert verdict("L72", trained_times=20.0, untrained_times=15.0) == "does not hold"
    assert verdict("L72", trained_times=20.0, untrained_times=3.0, error=1e-3) == "undecided"
