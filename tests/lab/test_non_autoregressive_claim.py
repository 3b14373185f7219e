"""L33: both sides are one size, each search is what it says it is, and the rule can say all four things."""

from functools import partial

import pytest
import torch

from attendo.decoding.greedy import greedy_search
from attendo.lab.families import l33_non_autoregressive as claim
from attendo.lab.tools.measuring import count_weights
from attendo.lab.tools.real_searching import percent_repeated, search_test_set
from attendo.lab.tools.real_sides import RealSide, train_side
from attendo.lab.tools.real_training import RealBudget, real_data, transformer
from attendo.model.non_autoregressive import NonAutoregressive
from attendo.model.transformer import Transformer
from attendo.training.masked_tokens import MaskPredict
from tests.lab.planted import small_runs, verdict

AS_CLAIMED = {"bleu_greedy": 30.0, "bleu_k1": 20.0, "faster_1_k1": 8.0, "faster_32_k1": 4.0}


def test_l33():
    assert verdict("L33", **AS_CLAIMED, faster_1_k10=2.0, faster_32_k10=1.5) == "holds"
    assert verdict("L33", **AS_CLAIMED, faster_1_k10=2.0, faster_32_k10=0.5) == "holds only if"
    ten = {"faster_1_k10": 2.0, "faster_32_k10": 1.5}
    assert verdict("L33", **{**AS_CLAIMED, "bleu_k1": 31.0}, **ten) == "does not hold"
    assert verdict("L33", **{**AS_CLAIMED, "faster_1_k1": 0.9}, **ten) == "does not hold"


@pytest.mark.parametrize("name", ["bleu_k1", "faster_32_k1", "faster_1_k10"])
def test_l33_seeds_that_do_not_agree_decide_nothing(name):
    runs = small_runs(claim.EXPERIMENT)
    good = {**AS_CLAIMED, "faster_1_k10": 2.0, "faster_32_k10": 1.5}
    apart = {"bleu_k1": (20.0, 31.0), "faster_32_k1": (0.5, 4.0), "faster_1_k10": (0.5, 4.0)}[name]
    planted = [{**run, **good, name: value} for run, value in zip(runs, apart, strict=True)]
    assert claim.judge(planted) == "undecided"


def test_l33_both_sides_have_about_as_many_weights():
    config = transformer(real_data("small"), "full")
    with torch.device("meta"):
        sizes = [count_weights(kind(config)) for kind in (Transformer, NonAutoregressive)]
    assert 1 <= sizes[1] / sizes[0] < 1.05


def test_a_beam_of_one_is_greedy_search_and_the_best_is_one_for_each_sentence():
    torch.manual_seed(1)
    model = Transformer(transformer(real_data("small"), "small")).eval()
    source = torch.tensor([[5, 6, 7, 2], [8, 9, 2, 0]])
    expected = greedy_search(model, source, 18)
    assert [h.ids for h in claim.best_of_beam(model, 1, source)] == [h.ids for h in expected]
    better = claim.best_of_beam(model, 4, source)
    assert all(b.score >= a.score for a, b in zip(expected, better, strict=True))


def test_a_search_is_asked_for_the_whole_test_set_and_for_single_sentences():
    data, asked = real_data("small"), []
    model = Transformer(transformer(data, "small")).eval()

    def search(source):
        asked.append(source)
        return claim.best_of_beam(model, 1, source)

    found = search_test_set(search, model, data, together=8, num_alone=4)
    assert [len(source) for source in asked] == [4, 8, 8, 4, 1, 1, 1, 1, 1]  # of 20, the first of each kind to warm up
    widths = [source.shape[1] for source in asked[1:4]]
    assert widths == sorted(widths)
    assert found.bleu >= 0
    assert found.ms_alone > 0 < found.ms_together


def test_repeated_tokens():
    assert percent_repeated([[5, 7, 7, 2], [5, 2]]) == pytest.approx(100 / 6)


def test_the_best_rate_wins():
    """A learning rate of 0 teaches nothing, one of 1000 destroys."""
    data = real_data("small")
    config = transformer(data, "small", dropout=0.0)
    side = RealSide(partial(NonAutoregressive, config), MaskPredict())
    budget = RealBudget(epochs=4, tokens=300, packed=False, average_decay=0.5)
    torch.manual_seed(1)
    start = side.build().parts.embedding.weight
    (model,) = train_side(side, data, budget, (1e-30, 5e-3, 1e3), [1])
    moved = (model.parts.embedding.weight - start).abs().max()
    assert 1e-4 < moved < 1
