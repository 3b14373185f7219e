"""L18 to L20: order, and what the sinusoids give."""

import pytest
import torch

from attendo.data.batch import Batch
from attendo.errors import UsageError
from attendo.lab.positions.l18_order import best_of_a_bag, build, shuffle_error
from attendo.lab.positions.l19_rotation import even, rotation_matrix
from attendo.lab.positions.l20_product import falls_until, products, rank_correlation
from attendo.model.positions import sinusoidal_encoding
from tests.lab.planted import verdict


def test_l19_two_turns_are_one():
    torch.testing.assert_close(rotation_matrix(3, 16) @ rotation_matrix(-5, 16), rotation_matrix(-2, 16))
    table = sinusoidal_encoding(torch.arange(20)[None], 16, torch.float64)[0]
    torch.testing.assert_close(table[:-4] @ rotation_matrix(4, 16).T, table[4:], rtol=0, atol=1e-12)


def test_l19():
    assert verdict("L19") == "holds"
    assert verdict("L19", error=1e-3) == "does not hold"
    assert verdict("L19", example_error=1e-4) == "does not hold"


def test_l19_a_width_is_even():
    with pytest.raises(UsageError, match="a width of 7 cannot be: expected an even number"):
        even(7)
    assert even(8) == 8


def test_l20_by_hand():
    both = products(4)  # two frequencies: 1 and 1/100
    middle = len(both) // 2
    torch.testing.assert_close(both[middle + 3].item(), (torch.tensor(3.0).cos() + torch.tensor(0.03).cos()).item() / 2)
    assert falls_until(torch.tensor([1.0, 0.9, 0.5, 0.6, 0.1])) == 2
    assert falls_until(torch.tensor([1.0, 0.9, 0.5])) == 2
    assert rank_correlation(torch.linspace(1, 0, 101)) == pytest.approx(-1)


def test_l20():
    assert verdict("L20") == "holds only if"
    assert verdict("L20", rank_512=-0.95, rank_1024=0.5) == "holds only if"
    assert verdict("L20", widths=[8, 1024], rank_1024=-0.5) == "does not hold"  # 1024 is next to the paper's 512
    assert verdict("L20", **{f"falls_until_{d}": 100.0 for d in (8, 32, 128, 512, 1024)}) == "holds"
    assert verdict("L20", rank_512=-0.2) == "does not hold"
    assert verdict("L20", asymmetry=0.01) == "does not hold"


def test_l18_by_hand():
    rows = Batch.from_pairs([([5, 6], [6, 5]), ([7, 7], [7, 7])])
    assert best_of_a_bag(rows) == pytest.approx((0.5 + 1 + 1 + 1 + 1 + 1) / 6)
    assert shuffle_error(build("without", 3), 3) < 1e-12
    assert shuffle_error(build("with", 3), 3) > 1e-2


def test_l18():
    found = {"bag": 0.6, "accuracy_with": 0.99, "accuracy_without": 0.6, "accuracy_masked": 0.9}
    assert verdict("L18", **found) == "holds only if"
    assert verdict("L18", **{**found, "accuracy_masked": 0.6}) == "holds"
    assert verdict("L18", **{**found, "accuracy_without": 0.8}) == "does not hold"
    assert verdict("L18", **found, shuffle_without=1e-4) == "does not hold"
    assert verdict("L18", **{**found, "accuracy_with": 0.6}) == "undecided"
