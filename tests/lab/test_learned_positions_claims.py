"""L48 and L55: what must be exact, and rules that can say the other thing."""

import pytest
import torch

from attendo.lab.positions import l48_distance, l55_kinds
from attendo.lab.tools.rank_correlation import rank_correlation, ranks
from attendo.model.positions import sinusoidal_encoding
from attendo.special_tokens import SPECIAL
from tests.lab.planted import small_runs, verdict


@pytest.mark.parametrize("task", l48_distance.TASKS)
def test_l48_asks_for_the_majority_of_neighbours(task):
    order = l48_distance.order_of(task, 9)
    batch = l48_distance.majorities(order, 2, 30, torch.Generator().manual_seed(1))
    for x, y in zip((batch.source - 4).tolist(), batch.target_out.tolist(), strict=True):
        for rank, place in enumerate(order.tolist()):
            if 2 <= rank < 7:
                votes = [x[order[rank + step]] for step in (-2, -1, 0, 1, 2)]
                assert y[place] == 4 + (sum(votes) >= 3)
            else:
                assert y[place] == SPECIAL.pad


def test_rank_correlation():
    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    assert rank_correlation(x, x**3) == pytest.approx(1)
    assert rank_correlation(x, -x.exp()) == pytest.approx(-1)
    assert rank_correlation(x, torch.tensor([2.0, 1.0, 4.0, 3.0])) == pytest.approx(0.6)  # 1 - 6 · 4 / (4 · 15)
    assert rank_correlation(x, torch.ones(4)) == 0
    assert ranks(torch.tensor([5.0, 1.0, 5.0])).tolist() == [2.5, 1.0, 2.5]


def test_l48_finds_distances_where_they_are_and_none_by_chance():
    smooth = l48_distance.of_the_table("x", sinusoidal_encoding(torch.arange(12)[None], 32)[0])
    assert smooth["x_knows"] > 0.7
    assert smooth["x_nearer"] > 0.8
    chance = torch.randn(40, 32, generator=torch.Generator().manual_seed(1))
    assert abs(l48_distance.of_the_table("x", chance)["x_knows"]) < 0.2


def test_l48_can_say_all():
    assert verdict("L48", near_knows=0.8, shuffled_knows=0.0) == "holds only if"
    assert verdict("L48", near_knows=0.8, shuffled_knows=0.7) == "holds"
    assert verdict("L48", near_knows=0.1, shuffled_knows=0.0) == "does not hold"
    first, second = ({**run, "shuffled_knows": 0.0} for run in small_runs(l48_distance.EXPERIMENT))
    assert l48_distance.judge([{**first, "near_knows": 0.9}, {**second, "near_knows": 0.1}]) == "undecided"


def test_l55_kinds_add_what_they_say():
    places, zeros = torch.arange(12)[None], torch.zeros(1, 12, 32)
    made = {name: build() for name, build in l55_kinds.kinds(12).items()}
    assert torch.equal(made["integer"](zeros, places, 12)[0, :, 7], torch.arange(12.0))
    assert made["scaled"](zeros, places, 12)[0, -1].tolist() == pytest.approx([1.0] * 32)
    bits = made["binary"](zeros, places, 12)[0]
    assert [int(sum(bit * 2**b for b, bit in enumerate(line))) for line in bits.tolist()] == list(range(12))
    assert torch.equal(made["rotary"](zeros, places, 12), zeros)
    assert made["learned"].weight.shape == (24, 32)


def test_l55_asks_for_the_symbol_two_places_before():
    batch = l55_kinds.earlier_symbols(7, 10, torch.Generator().manual_seed(1))
    assert torch.equal(batch.target_out[:, 2:], batch.source[:, :-2])
    assert (batch.target_out[:, :2] == SPECIAL.pad).all()
    assert batch.num_target_tokens == int((batch.target_out != SPECIAL.pad).sum())


def test_l55_can_say_all():
    even = {"integer": 0.0, "scaled": 0.0, "sinusoidal": 0.0, "sinusoidal_right": 1.0}
    even |= {f"{name}_learnt": 100.0 for name in ("integer", "scaled", "sinusoidal")}
    assert verdict("L55", **even) == "does not hold"
    assert verdict("L55", **{**even, "integer": 1.0}) == "holds only if"
    assert verdict("L55", **{**even, "integer_learnt": 200.0}) == "holds only if"
    assert verdict("L55", **{**even, "integer": 1.0, "scaled": 1.0}) == "holds"
    assert verdict("L55", **{**even, "integer": 1.0, "integer_half": 1.8}) == "undecided"
    assert verdict("L55", **{**even, "sinusoidal_right": 0.5}) == "undecided"
