"""L44, L58 and L77, which are computed rather than measured: what must be exact, and rules that can say no."""

import math

import pytest
import torch

from attendo.lab.attention import l77_soft_dictionary as l77
from attendo.lab.positions import l58_equal_length as l58
from attendo.lab.softmax import l44_large_as_a_whole as l44
from attendo.model.attention import dot_product_attention
from tests.lab.planted import small_runs, verdict


def test_l44_adding_changes_nothing_and_multiplying_does():
    numbers = small_runs(l44.EXPERIMENT)[0]
    assert numbers["change"] < 1e-12
    assert numbers["times_most"] == pytest.approx(1)
    assert [numbers[f"example_{i}"] for i in (1, 2, 3)] == pytest.approx([0.3006, 0.3322, 0.3672], abs=1e-4)
    assert numbers["overflows"] == 1
    assert l44.as_written(torch.tensor([1.0, 2.0])).tolist() == pytest.approx([0.2689, 0.7311], abs=1e-4)


def test_l44_can_say_all():
    assert verdict("L44", added_most=0.3, times_most=1.0, change=0.0) == "holds only if"
    assert verdict("L44", added_most=1.0, times_most=1.0, change=0.5) == "holds"
    assert verdict("L44", added_most=0.3, times_most=0.5, change=0.0) == "does not hold"
    assert verdict("L44", added_most=0.5, times_most=1.0, change=0.2) == "undecided"


def test_l58_lengths_by_hand():
    numbers = small_runs(l58.EXPERIMENT)[0]
    assert numbers["width"] == 16
    assert (numbers["shortest"], numbers["longest"]) == pytest.approx((math.sqrt(8), math.sqrt(8)), abs=1e-12)
    bits = l58.in_bits(torch.arange(8.0))
    assert bits.tolist() == pytest.approx([math.sqrt(ones / 3) for ones in (0, 1, 1, 2, 1, 2, 2, 3)])
    assert l58.counted(torch.arange(5.0)).tolist() == [0, 0.25, 0.5, 0.75, 1]


def test_l58_can_say_no():
    assert verdict("L58") == "holds"
    assert verdict("L58", spread=0.01) == "does not hold"


def test_l77_is_attention_at_the_temperature_of_attention():
    generator = torch.Generator().manual_seed(1)
    q, k, v = (torch.randn(5, l77.D_K, generator=generator) for _ in range(3))
    expected, _ = dot_product_attention(*(side[None, None] for side in (q, k, v)))
    torch.testing.assert_close(l77.soft_lookup(q, k, v, math.sqrt(l77.D_K)), expected[0, 0])


def test_l77_looks_up():
    keys, values = torch.eye(3), torch.tensor([[1.0], [2.0], [3.0]])
    assert l77.hard_lookup(keys[[2, 0]], keys, values).tolist() == [[3.0], [1.0]]
    with pytest.raises(KeyError):
        l77.hard_lookup(keys[:1] + 0.1, keys, values)
    assert l77.soft_lookup(keys[[2, 0]], keys, values, 1e-3).tolist() == [[3.0], [1.0]]
    assert l77.soft_lookup(keys[:1], keys, values, 1e9).item() == pytest.approx(2)  # all alike: the mean


def test_l77_can_say_all():
    assert verdict("L77", equal_cold=0.0, unequal_cold=0.5) == "holds only if"
    assert verdict("L77", equal_cold=0.0, unequal_cold=0.0) == "holds"
    assert verdict("L77", equal_cold=0.1, unequal_cold=0.5) == "does not hold"
