"""L1 to L3 and L38: the numbers, and rules that can say no."""

import math

import pytest
import torch

from attendo.lab.softmax import l1_curve, l2_jacobian, l3_vanishing
from tests.lab.planted import small_runs, verdict


def test_l1():
    assert verdict("L1") == "holds"
    assert verdict("L1", y3_at_10=0.9999) == "does not hold"
    (numbers,) = small_runs(l1_curve.EXPERIMENT)
    found = [numbers[f"y3_at_{a}"] for a in (1, 10, 100)]
    assert found == pytest.approx([0.5761168847658291, 0.9999092083843412, 1.0], abs=5e-16)


def test_l1_of_other_a_is_held_against_the_closed_form():
    assert verdict("L1", a=[2.5], **{"y3_at_2.5": 1 / (1 + 2 * math.exp(-2.5))}) == "holds"
    assert verdict("L1", a=[2.5], **{"y3_at_2.5": 0.85}) == "does not hold"


def test_l2():
    assert verdict("L2") == "holds"
    assert verdict("L2", from_autograd=1e-3) == "does not hold"
    assert verdict("L2", from_differences=1e-5) == "does not hold"


def test_l2_knows_the_misprint_from_the_formula():
    x = torch.tensor([0.0, math.log(2.0), 0.0], dtype=torch.float64)  # y = 1/4, 1/2, 1/4
    by_hand = torch.tensor([[3, -2, -1], [-2, 4, -2], [-1, -2, 3]], dtype=torch.float64) / 16
    torch.testing.assert_close(l2_jacobian.formula(x), by_hand)
    torch.testing.assert_close(l2_jacobian.finite_differences(x, 1e-4), by_hand, atol=1e-8, rtol=0)
    assert l2_jacobian.printed_cases(x)[0, 1] == pytest.approx(-1 / 16)


def test_l3():
    assert verdict("L3") == "holds only if"
    assert verdict("L3", whole_1024=0.01) == "holds"
    assert verdict("L3", typical_at_100_to_1=0.5) == "does not hold"
    runs = small_runs(l3_vanishing.EXPERIMENT)
    apart = [{**run, "whole_1024": value} for run, value in zip(runs, (0.01, 3.0), strict=True)]
    assert l3_vanishing.EXPERIMENT.judge(apart) == "undecided"


def test_l3_a_tie_keeps_its_gradient():
    tied = torch.tensor([[1000.0, 1000.0, 0.0], [1000.0, 900.0, 0.0]], dtype=torch.float64)
    assert l3_vanishing.jacobian_norms(tied).tolist() == pytest.approx([0.5, 0.0], abs=1e-12)


def test_l38():
    assert verdict("L38") == "holds"
    assert verdict("L38", y2=0.15) == "does not hold"  # the sum
    assert verdict("L38", y1=0.25, y2=0.5, y3=0.25) == "does not hold"  # the largest
    assert verdict("L38", y1=1.0, y2=0.0, y3=0.0) == "does not hold"  # strictly between 0 and 1
    assert verdict("L38", scores=[0.0, 2.0], y1=0.2, y2=0.8) == "holds"
