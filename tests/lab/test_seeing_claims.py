"""L35 and L36: what attention sees, and what its matrices are for."""

import torch

from attendo.lab.attention.l35_without_w import Bare
from attendo.lab.attention.l36_receptive_field import Convolution, influence, jacobian
from attendo.lab.claims import EXPERIMENTS
from tests.lab.planted import small_runs, verdict


def test_l35_bare_is_the_equation():
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    torch.testing.assert_close(Bare()(x, x), torch.softmax(x @ x.mT / 8**0.5, dim=-1) @ x)


def test_l35():
    equal = {"accuracy_with": 0.99, "accuracy_bare": 0.99}
    assert verdict("L35", accuracy_with=0.99, accuracy_bare=0.4) == "holds"
    assert verdict("L35", **equal, steps_with=100.0, steps_bare=300.0) == "holds only if"
    assert verdict("L35", **equal, steps_with=300.0, steps_bare=300.0) == "does not hold"
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
