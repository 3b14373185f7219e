"""L16 and L26, stacks of layers: what must be exact, and rules that can say the other thing."""

import pytest
import torch

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.knobs import settings_of
from attendo.lab.layers import l16_residual
from attendo.lab.tools.measuring import fisher
from attendo.lab.tools.stacks import BLIND, TRAINED, Stack, sequences
from attendo.lab.tools.toy_tasks import reversal_of_length
from attendo.lab.tools.toy_training import Budget, train_together
from attendo.lab.training import l26_warmup
from tests.lab.planted import verdict

LOW, HIGH = TRAINED - 0.5, BLIND + 0.3


def test_a_reversal_drawn_in_one_go_is_a_batch_like_others():
    batch = reversal_of_length(5, 8, 20, torch.Generator().manual_seed(1))
    pairs = [(row[:-1], row[-2::-1]) for row in batch.source.tolist()]
    same = type(batch).from_pairs(pairs)
    for side in ("source", "target_in", "target_out"):
        assert torch.equal(getattr(batch, side), getattr(same, side))
    assert batch.num_target_tokens == same.num_target_tokens
    assert set(batch.source[:, :-1].flatten().tolist()) == set(range(4, 12))


def test_l16_has_the_same_weights_with_and_without_residuals():
    post, none = (Stack(3, kind, 1) for kind in ("post", "none"))
    assert post.state_dict().keys() == none.state_dict().keys()
    assert all(torch.equal(weight, none.state_dict()[name]) for name, weight in post.state_dict().items())
    x = torch.randn(2, 4, 32)
    around = none.encoder.layers[0].around_self_attention
    torch.testing.assert_close(around(x, torch.sin), around.norm(torch.sin(x)))


def test_l16_without_residuals_all_positions_become_alike():
    alike = {kind: l16_residual.at_the_start(24, kind, 1)[1] for kind in l16_residual.KINDS}
    assert alike["none"] > 0.999 > alike["pre"]


def test_l16_can_say_all():
    assert verdict("L16", post_deep=LOW, pre_deep=LOW, none_deep=HIGH) == "holds"
    assert verdict("L16", post_deep=HIGH, pre_deep=LOW, none_deep=HIGH) == "holds only if"
    assert verdict("L16", post_deep=LOW, pre_deep=LOW, none_deep=LOW) == "does not hold"
    assert verdict("L16", post_deep=HIGH, pre_deep=HIGH, none_deep=HIGH) == "does not hold"


def test_l16_a_stack_that_still_improves_has_not_failed():
    ends = {"post_deep": HIGH, "post_2": HIGH, "pre_deep": LOW, "none_deep": HIGH, "none_2": HIGH}
    assert verdict("L16", **ends, post_2_half=HIGH, none_2_half=HIGH) == "holds only if"
    assert verdict("L16", **ends, post_2_half=1.2 * HIGH, none_2_half=HIGH) == "undecided"


def test_l16_seeds_that_disagree_decide_nothing():
    run = {"depth": [2, 24], "pre_deep": LOW, "none_deep": HIGH}
    runs = [{**run, "post_deep": loss} for loss in (LOW, HIGH)]
    assert l16_residual.judge(runs) == "undecided"


def test_l16_depths_may_come_in_any_order():
    at = settings_of(l16_residual.KNOBS, "small", {"depths": "3,1"})
    (numbers,) = l16_residual.measure((1,), at)
    assert numbers["depth"] == [1, 3]
    assert numbers["post_deep"] == numbers["post_3"]


def l26_verdict(cold_fails, warm_fails, seeds=8, half=None):
    """Of how many seeds fail at each rate; `half`: the loss of those without warmup after half the steps."""
    runs = []
    for seed in range(seeds):
        cold, warm = ([HIGH if seed < fails else LOW for fails in side] for side in (cold_fails, warm_fails))
        run = {"rate": [0.001 * 2**n for n in range(len(cold))], "post_cold": cold, "post_warm": warm}
        runs.append(run | ({} if half is None else {"post_cold_half": [half] * len(cold)}))
    return EXPERIMENTS["L26"].judge(runs)


def test_l26_can_say_all():
    assert l26_verdict((8, 8), (0, 0)) == "holds"
    assert l26_verdict((0, 7), (0, 0)) == "holds only if"
    assert l26_verdict((0, 2, 8), (0, 0, 0)) == "holds only if"  # between the two there is a rate that is neither
    assert l26_verdict((0, 0), (0, 0)) == "does not hold"
    assert l26_verdict((0, 2), (0, 0)) == "undecided"  # two of eight may be chance
    assert l26_verdict((8, 8), (8, 8)) == "undecided"


def test_l26_what_more_steps_would_mend_has_not_failed():
    assert l26_verdict((0, 8), (0, 0), half=HIGH) == "holds only if"
    assert l26_verdict((0, 8), (0, 0), half=1.5 * HIGH) == "undecided"


def test_l26_counts_as_fisher_did():
    assert fisher(5, 0, 6) == pytest.approx(6 / 792)
    assert fisher(3, 1, 4) == pytest.approx(17 / 70)  # the lady tasting tea


def test_l26_shows_the_rate_at_which_warmup_matters_most(monkeypatch):
    """Planted: without warmup post-norm fails at the second of three rates, and nothing else does."""

    def planted(order, start, seeds, at, steps):
        fails = [(order, start, rate) == ("post", "cold", 1) for rate in range(3)]
        return [torch.full((steps, len(seeds)), HIGH if fail else LOW) for fail in fails]

    monkeypatch.setattr(l26_warmup, "train_cell", planted)
    at = settings_of(l26_warmup.KNOBS, "small", {"rates": "0.1,0.001,0.01"})
    for run in l26_warmup.measure((1, 2), at):
        assert run["rate"] == [0.001, 0.01, 0.1]
        assert run["worst_rate"] == 0.01
        assert (run["post_cold_worst_failed"], run["post_warm_worst_failed"]) == (1, 0)
        assert run["post_cold_worst"] == pytest.approx(HIGH)


def test_without_warmup_the_first_step_is_taken_at_the_peak():
    """Adam's first step moves a weight by the learning rate; the second of two is the end of the cosine, rate 0."""
    stack = Stack(1, "post", 1)
    before = stack.output.weight.detach().clone()
    train_together([stack], sequences, [1], Budget(2, 4, 1e-2, 0.0))
    assert (stack.output.weight - before).abs().max().item() == pytest.approx(1e-2, rel=0.01)
