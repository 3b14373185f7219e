"""L46 and L47: what must be exact, and rules that can say the other thing."""

from functools import partial

import pytest
import torch

from attendo.lab.families import l46_encoder_decoder
from attendo.lab.layers import l47_without_norm
from attendo.lab.tools.toy_training import Budget, train_together
from attendo.special_tokens import SPECIAL
from tests.lab.planted import small_runs, verdict

EVEN = {f"{task}_{kind}{what}": 0.1 for task in ("word", "context") for kind in ("pair", "continued") for what in ("",)}
EVEN |= {name.replace("pair", "pair_learnt").replace("continued", "continued_learnt"): 100.0 for name in EVEN}


def test_l46_has_as_many_weights_on_both_sides():
    (pair, continued) = (small_runs(l46_encoder_decoder.EXPERIMENT)[0][f"weights_{k}"] for k in ("pair", "continued"))
    assert continued == pytest.approx(pair, rel=0.01)


@pytest.mark.parametrize("task", l46_encoder_decoder.TASKS)
def test_l46_translates_by_the_dictionary_in_the_opposite_order(task):
    batch = l46_encoder_decoder.translations(task, 5, 20, torch.Generator().manual_seed(1))
    table = l46_encoder_decoder.dictionary().tolist()
    assert [sorted(entries) for entries in table] == [list(range(16))] * 4
    parts = (part.tolist() for part in (batch.source, batch.target_in, batch.target_out))
    for source, fed, right in zip(*parts, strict=True):
        assert (source[-1], fed[0], right[-1]) == (SPECIAL.eos, SPECIAL.bos, SPECIAL.eos)
        sense = source[5] - 4 if task == "context" else 0
        expected = [table[sense][word - 4] + 20 for word in reversed(source[:5])]
        assert right[:-1] == fed[1:] == expected


def test_l46_a_decoder_alone_learns():
    build, draw = partial(l46_encoder_decoder.build, "continued"), partial(l46_encoder_decoder.translations, "word", 2)
    torch.manual_seed(1)
    losses = train_together([build(1)], draw, [1], Budget(60, 16, 1e-2))
    assert losses[-5:].mean() < 0.7 * losses[:5].mean()


def test_l46_can_say_all():
    behind = {"context_continued": 1.0, "word_continued": 1.0}
    assert verdict("L46", **EVEN) == "does not hold"
    assert verdict("L46", **{**EVEN, **behind}) == "holds"
    assert verdict("L46", **{**EVEN, "context_continued": 1.0}) == "holds only if"
    assert verdict("L46", **{**EVEN, "context_continued_learnt": 200.0}) == "holds only if"
    assert verdict("L46", **{**EVEN, "context_continued_learnt": 105.0}) == "does not hold"
    first, second = ({**run, **EVEN} for run in small_runs(l46_encoder_decoder.EXPERIMENT))
    assert l46_encoder_decoder.judge([first, {**second, "context_continued_learnt": 200.0}]) == "undecided"
    unfinished = {f"{name}_half": 2.0 for name in behind}
    assert verdict("L46", **{**EVEN, **behind, **unfinished}) == "undecided"


def stacks(**changes):
    even = {f"{norm}_{stack}_{what}": value for norm in ("layer", "none") for stack in ("deep", "flat")
            for what, value in (("largest", 0.01), ("learnt", 100.0))}  # fmt: skip
    return verdict("L47", **{**even, **changes})


def test_l47_can_say_all():
    assert stacks() == "does not hold"
    deep = {"none_deep_largest": 1e-4, "none_deep_learnt": 1000.0}
    assert stacks(**deep) == "holds only if"
    assert stacks(**deep, none_flat_largest=5e-3, none_flat_learnt=500.0) == "holds"
    near = small_runs(l47_without_norm.EXPERIMENT)
    even = {"layer_deep_largest": 0.01, "none_deep_largest": 0.01, "layer_deep_learnt": 9.0, "none_deep_learnt": 9.0}
    one, other = ({**run, **even} for run in near)
    assert l47_without_norm.judge([one, {**other, "none_deep_largest": 1e-4}]) == "undecided"


def test_l47_without_a_norm_numbers_grow_with_depth_and_with_one_they_do_not():
    batch = l47_without_norm.first_symbol(20, torch.Generator().manual_seed(1))
    assert torch.equal(batch.target_out, batch.source[:, :1].expand(-1, 6))

    def drift(norm, depth):
        torch.manual_seed(1)
        return l47_without_norm.drift(l47_without_norm.PlainStack(norm, depth, 1), batch)

    assert drift("none", 8) > 4 * drift("none", 2)
    assert drift("layer", 8) == pytest.approx(drift("layer", 2), rel=0.2)
    assert drift("rms", 8) == pytest.approx(drift("rms", 2), rel=0.2)


def test_l47_the_largest_rate_that_works():
    rates = (0.001, 0.01, 0.1)
    assert l47_without_norm.largest_that_works(rates, (0.5, 0.2, 9.0)) == 0.01
    assert l47_without_norm.largest_that_works(rates, (2.0, 2.0, 9.0)) == 0.0005
    lost = l47_without_norm.of_one_seed("x", (0.1,), [torch.full((20,), torch.nan)])
    assert lost["x_ends"] == [l47_without_norm.HOPELESS]
    assert lost["x_learnt"] == 30  # of 20 steps: never
