"""L6, L8 and L10: what must be exact, and rules that can say the other thing."""

import pytest
import torch

from attendo.lab.attention import l6_heads, l8_random_start
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.layers import l10_feed_forward_width
from attendo.lab.page import page
from attendo.lab.report import picture
from attendo.lab.run import Wanted, run_experiment
from attendo.lab.tools.toy_tasks import random_table
from tests.lab.planted import small, small_runs, verdict

LEARNT = {"learnt": 500.0, "failed": 0.0}  # what a seed gives that has learnt


def numbers_of(module):
    return small_runs(module.EXPERIMENT)[0]


def test_l6_asks_for_four_bits_in_both_tasks():
    for symbols, offsets in l6_heads.TASKS.values():
        assert symbols ** len(offsets) == 16
        batch = l6_heads.symbols_at(symbols, offsets, 50, torch.Generator().manual_seed(1))
        x, y = batch.source - 4, batch.target_out - 4
        assert (x.max(), y.max()) == (symbols - 1, 15)
        for i in range(l6_heads.LENGTH):
            digits = [x[:, (i + offset) % l6_heads.LENGTH] for offset in offsets]
            assert torch.equal(y[:, i], sum(digit * symbols**k for k, digit in enumerate(reversed(digits))))


def test_l6_has_as_many_weights_whatever_the_heads():
    numbers = numbers_of(l6_heads)
    assert len({numbers[f"weights_{h}"] for h in (1, 8)}) == 1
    assert [l6_heads.Reader(h, 64, 1).config.head_dim for h in (1, 2, 4, 8)] == [32, 16, 8, 4]


def test_l6_can_say_all():
    """One failure more in eight seeds is chance, eight are not; 1.25 times the steps are the limit."""
    same = {f"{task}_{h}_{what}": value for task in ("one", "four") for h in (1, 8) for what, value in LEARNT.items()}
    assert verdict("L6", 8, **same) == "does not hold"
    assert verdict("L6", 8, **same | {"four_1_learnt": 700.0}) == "holds only if"
    assert verdict("L6", 8, **same | {"four_1_failed": 1.0}) == "holds only if"
    assert verdict("L6", 8, **same | {"four_1_failed": 1.0, "one_1_failed": 1.0}) == "holds"
    assert verdict("L6", 8, **same | {"four_1_failed": 1.0, "four_1": 0.5, "four_1_half": 1.5}) == "undecided"
    runs = [{**numbers_of(l6_heads), **same, "four_1_learnt": steps} for steps in (500.0, 700.0) * 4]
    assert l6_heads.judge(runs) == "undecided"


def test_l8_starts_differ_and_batches_do_not(monkeypatch):
    seen = []

    def train_together(models, draw, seeds, budget, peaks):
        seen.append((models, seeds))
        return torch.zeros(budget.steps, len(models))

    monkeypatch.setattr("attendo.lab.tools.tuning.train_together", train_together)
    l8_random_start.measure([7, 8, 9], small(l8_random_start.EXPERIMENT))
    for models, seeds in seen:
        assert seeds == [7, 7, 7]
        first, second, third = (model.encoder.layers[0].self_attention.query.weight for model in models)
        assert not torch.equal(first, second)
        assert not torch.equal(second, third)


def test_l8_spread_and_ratio():
    assert l8_random_start.spread(torch.tensor([1.0, 2.0, 2.0, 2.0, 4.0])).item() == pytest.approx(3 / 5)
    generator = torch.Generator().manual_seed(1)
    one = torch.randn(200, generator=generator)
    ratio, low, high = l8_random_start.ratio(one.tolist(), (5 + one / 2).tolist())  # shifted, and half as far apart
    assert (ratio, low, high) == pytest.approx((0.5, 0.5, 0.5))
    _, low, high = l8_random_start.ratio(one.tolist(), torch.randn(200, generator=generator).tolist())
    assert low < 1 < high


def test_l8_where_starts_hardly_differ_there_is_nothing_to_reduce():
    """However many times smaller a spread is: a thousandth and a millionth of a nat are both no difference."""
    one = [1e-3 * (index % 4) for index in range(12)]
    assert l8_random_start.ratio(one, [loss / 1000 for loss in one]) == (1.0, 1.0, 1.0)


def starts(**spreads):
    """Twelve starts with these spreads, evenly laid out; and a speed, which has no vote."""
    same = {"heads": [1, 8], **{f"{name}_learnt": 100.0 for name in spreads}}
    return [{**same, **{name: 1 + spread * (index % 4) for name, spread in spreads.items()}} for index in range(12)]


def test_l8_can_say_all():
    one = {"one_1": 1.0, "four_1": 1.0}
    assert l8_random_start.judge(starts(**one, one_8=0.1, four_8=0.1)) == "holds"
    assert l8_random_start.judge(starts(**one, one_8=1.0, four_8=0.1)) == "holds only if"
    assert l8_random_start.judge(starts(one_1=1e-3, one_8=1e-6, four_1=1.0, four_8=0.1)) == "holds only if"
    assert l8_random_start.judge(starts(**one, one_8=1.0, four_8=1.0)) == "does not hold"
    assert l8_random_start.judge(starts(**one, one_8=0.1, four_8=1.0)) == "undecided"
    improving = [{**run, "four_1_half": 5.0} for run in starts(**one, one_8=1.0, four_8=0.1)]
    assert l8_random_start.judge(improving) == "undecided"


def test_l8_is_tuned_as_l6_is():
    """The same cell at the same steps has the same models and data to tune with, and so the same learning rate."""
    steps = {module.KNOBS[0].values["full"] for module in (l6_heads, l8_random_start)}  # whose rates quick takes, too
    assert len(steps) == 1


def test_l10_counts_what_can_be_counted_by_hand():
    (narrow,), (wide,) = (l10_feed_forward_width.cost(width, repeats=1) for width in (4, 8))
    more = 4 * 512  # columns, with two matrices of 512 rows
    assert wide["operations"] - narrow["operations"] == 3 * 2 * 2 * 512 * more  # forward, and backward twice as much
    assert wide["kept"] - narrow["kept"] == 4 * more  # what ReLU gives, four bytes a number
    assert wide["weights"] - narrow["weights"] == 12 * (2 * 512 * more + more)  # and a bias, in 6 + 6 layers


@pytest.mark.parametrize("symbols", [8, 32])
def test_l10_its_tables_need_both_symbols(symbols):
    table = random_table(symbols)
    assert all(len(line.unique()) > 1 for line in (*table, *table.T))
    batch = l10_feed_forward_width.sequences("large_table", symbols, 3, torch.Generator().manual_seed(1))
    x = batch.source - 4
    assert batch.target_out[1, 2] - 4 == table[x[1, 2], x[1, 5]]


def test_l10_can_say_all():
    sides = [f"{task}_{width}" for task in l10_feed_forward_width.TASKS for width in (1, 8)]
    same = {f"{side}_failed": 0.0 for side in sides}
    assert verdict("L10", 8, **same) == "does not hold"
    assert verdict("L10", 8, **same, small_table_1_learnt=900.0) == "holds only if"  # sooner
    much = {**same, "large_table_1_failed": 1.0, "large_table_1": 1.0}
    assert verdict("L10", 8, **much) == "holds only if"
    assert verdict("L10", 8, **much, large_table_1_half=1.05) == "holds only if"
    assert verdict("L10", 8, **much, large_table_1_half=1.5) == "undecided"  # it was still improving
    assert verdict("L10", 8, **{**much, "small_table_1_failed": 1.0, "moving_1_failed": 1.0}) == "holds"
    assert verdict("L10", 8, **much, operations_grows=1.1) == "does not hold"


@pytest.mark.parametrize(
    ("name", "turned"),
    [("L5", {"d_k": "8,32"}), ("L6", {"heads": "4,2"}), ("L8", {"heads": "2,4"}), ("L10", {"widths": "4,2"})],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_with_other_values_there_is_a_page_too(name, turned, language):
    """Of the words only those are shown whose numbers are there."""
    result = run_experiment(EXPERIMENTS[name], Wanted("small", turned=turned))
    assert "«" not in page(result, language)
    assert picture(result, language).startswith(b"\x89PNG")
