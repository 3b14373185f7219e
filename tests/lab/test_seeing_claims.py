"""L35 and L36: what attention sees, and what its matrices are for."""

import pytest
import torch

from attendo.errors import UsageError
from attendo.lab.attention import l35_without_w
from attendo.lab.attention.l36_receptive_field import Convolution, influence, jacobian
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.knobs import settings_of
from attendo.lab.tools.measuring import count_weights
from tests.lab.planted import small_runs, verdict


def test_l35_bare_is_the_equation():
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    torch.testing.assert_close(l35_without_w.Bare()(x, x), torch.softmax(x @ x.mT / 8**0.5, dim=-1) @ x)


def test_l35_sides_of_equal_size():
    for task in l35_without_w.TASKS:
        sizes = {side: count_weights(l35_without_w.build(side, task, 1)) for side in l35_without_w.SIDES}
        assert sizes["wide"] == pytest.approx(sizes["with"], rel=0.01)
        assert sizes["bare"] < 0.75 * sizes["with"]


def test_l35():
    learnt = {f"{task}_{side}_failed": 0.0 for task in l35_without_w.TASKS for side in ("with", "wide")}
    assert verdict("L35", 8, **learnt) == "does not hold"  # however slow
    assert verdict("L35", 8, **learnt | {"alone_wide_failed": 1.0}) == "holds only if"
    assert verdict("L35", 8, **learnt | {"alone_wide_failed": 1.0, "whole_wide_failed": 1.0}) == "holds"
    assert verdict("L35", 8, **learnt | {"whole_with_failed": 1.0}) == "undecided"
    improving = {"alone_wide_failed": 1.0, "alone_wide": 0.5, "alone_wide_half": 1.0}
    assert verdict("L35", 8, **learnt | improving) == "undecided"
    numbers = small_runs(EXPERIMENTS["L35"])[0]
    assert [round(numbers[f"row_{index}"], 1) for index in (1, 2, 3)] == [0.4, 0.4, 0.2]


def test_l36_a_convolution_sees_its_window():
    seen = influence(jacobian(Convolution(5, 2), torch.randn(15, 16)))
    assert (seen > 0).nonzero().flatten().tolist() == list(range(3, 12))


def test_l36():
    assert verdict("L36", depends_attention=0.7) == "holds"
    assert verdict("L36", seen_attention=3.0) == "does not hold"
    assert verdict("L36", depends_convolution=0.2) == "does not hold"
    assert verdict("L36", depends_attention=0.0) == "does not hold"
    first, second = small_runs(EXPERIMENTS["L36"])
    apart = [{**first, "depends_attention": 0.0}, {**second, "depends_attention": 0.7}]
    assert EXPERIMENTS["L36"].judge(apart) == "undecided"


def test_l36_a_kernel_has_a_middle():
    at = settings_of(EXPERIMENTS["L36"].knobs, "small", {"kernel": "4"})
    with pytest.raises(UsageError, match="kernel=4 cannot be: expected an odd number, no larger than length=21"):
        EXPERIMENTS["L36"].measure([1], at)
