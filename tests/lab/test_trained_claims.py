"""Claims about trained models: what must be exact, and rules that can say the other thing."""

import pytest
import torch

from attendo.data.batch import Batch
from attendo.errors import UsageError
from attendo.lab.attention import l5_scale
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.layers import l11_without_feed_forward, l16_residual
from attendo.lab.positions import l23_mask_and_positions
from attendo.lab.run import Wanted, run_experiment
from attendo.lab.tools.measuring import count_weights
from attendo.lab.tools.toy_tasks import random_table, running_sum
from attendo.lab.tools.toy_training import Budget, EncoderAlone, toy_config, train_together
from attendo.lab.training import l26_warmup
from tests.lab.planted import small, small_runs, verdict


def test_running_sum():
    batch = running_sum(20, range(5, 6), 3, torch.Generator().manual_seed(1))
    numbers = batch.source[:, :-1] - 4
    assert torch.equal(batch.target_out[:, :-1] - 4, numbers.cumsum(1) % 3)


def test_l11_takes_the_feed_forward_parts_out_and_gives_their_weights_back_as_width():
    for symbols, layers in ((5, 2), (32, 2), (5, 4)):
        whole, without, wider = (
            l11_without_feed_forward.build(symbols, layers, side, 1) for side in l11_without_feed_forward.SIDES
        )
        assert abs(count_weights(wider) / count_weights(whole) - 1) < 0.06
        left = {name: weight.shape for name, weight in whole.named_parameters() if "feed_forward" not in name}
        assert left == {name: weight.shape for name, weight in without.named_parameters()}


def test_l11_its_whole_model_is_the_encoder():
    """The stack of layers handed in computes what the Transformer's encoder computes."""
    stack = l11_without_feed_forward.build(5, 2, "whole", 1)
    encoder = EncoderAlone(toy_config(5, 16, 64, 2, tied_output=False, encoder_layers=2))
    names = {"layers.": "encoder.layers.", "embedding.": "embedding.", "output.": "output."}
    for name, weight in stack.state_dict().items():
        (start,) = (start for start in names if name.startswith(start))
        encoder.state_dict()[names[start] + name.removeprefix(start)].copy_(weight)
    source = l11_without_feed_forward.mirrored("moving", 5, 4, torch.Generator().manual_seed(1)).source
    torch.testing.assert_close(stack(source, source), encoder(source, source))


def test_l11_all_tasks_fetch_the_same_symbol():
    moved, sums, entries = (
        l11_without_feed_forward.mirrored(task, 5, 20, torch.Generator().manual_seed(1))
        for task in l11_without_feed_forward.TASKS
    )
    assert torch.equal(moved.source, sums.source)
    assert torch.equal(moved.source, entries.source)
    own, fetched = moved.source - 4, moved.target_out - 4
    assert torch.equal(fetched, own.flip(1))
    assert torch.equal(sums.target_out - 4, (own + fetched) % 5)
    assert torch.equal(entries.target_out - 4, random_table(5)[own, fetched])


def test_l11_can_say_all():
    sides = [f"{task}_{side}" for task in l11_without_feed_forward.TASKS for side in ("whole", "without")]
    good = {f"{side}_right": 1.0 for side in sides} | {f"{side}_failed": 0.0 for side in sides}
    assert verdict("L11", 8, **good, computing_without_learnt=3000.0) == "does not hold"  # slower is not worse
    little = {**good, "table_without_failed": 1.0, "table_without_right": 0.95}
    assert verdict("L11", 8, **little) == "does not hold"
    worse = {**little, "table_without_right": 0.5, "table_without": 1.0}
    assert verdict("L11", 8, **worse) == "holds only if"
    assert verdict("L11", 8, **worse, table_without_half=1.5) == "undecided"  # it was still improving
    for task in ("moving", "computing"):
        worse |= {f"{task}_without_right": 0.5, f"{task}_without_failed": 1.0}
    assert verdict("L11", 8, **worse) == "holds"


def test_l16_has_the_same_weights_with_and_without_residuals():
    post, none = (l16_residual.Stack(3, kind, 1) for kind in ("post", "none"))
    assert post.state_dict().keys() == none.state_dict().keys()
    assert all(torch.equal(weight, none.state_dict()[name]) for name, weight in post.state_dict().items())
    x = torch.randn(2, 4, 32)
    around = none.encoder.layers[0].around_self_attention
    torch.testing.assert_close(around(x, torch.sin), around.norm(torch.sin(x)))


def test_l16_can_say_all():
    low, high = l16_residual.BLIND - 0.5, l16_residual.BLIND + 0.3
    assert verdict("L16", post_loss_deep=low, pre_loss_deep=low, none_loss_deep=high) == "holds"
    assert verdict("L16", post_loss_deep=high, pre_loss_deep=low, none_loss_deep=high) == "holds only if"
    assert verdict("L16", post_loss_deep=low, pre_loss_deep=low, none_loss_deep=low) == "does not hold"


def test_l5_a_smaller_start_is_the_scaled_model_at_first():
    batch = l5_scale.sequences(3, torch.Generator().manual_seed(1))
    logits = {}
    for side in l5_scale.SIDES:
        torch.manual_seed(5)
        logits[side] = l5_scale.build(16, side, 5).double()(batch.source, batch.target_in)
    torch.testing.assert_close(logits["scaled"], logits["small_start"], rtol=1e-5, atol=1e-5)  # drawn in float32
    assert (logits["scaled"] - logits["unscaled"]).abs().max() > 0.01


def test_l5_writes_them_backwards():
    batch = l5_scale.sequences(20, torch.Generator().manual_seed(1))
    rows = batch.source[:, :-1].tolist()
    expected = Batch.from_pairs([(row, row[::-1]) for row in rows])
    for side in ("source", "target_in", "target_out"):
        assert torch.equal(getattr(batch, side), getattr(expected, side))
    assert batch.num_target_tokens == expected.num_target_tokens


def test_l5_can_say_all():
    learnt = {f"{side}_64_learnt": 100.0 for side in l5_scale.SIDES}
    same = {"scaled_64": 0.001, "unscaled_64": 0.001, "small_start_64": 0.001, **learnt}
    assert verdict("L5", **same) == "does not hold"
    assert verdict("L5", **{**same, "unscaled_64": 0.009}) == "does not hold"  # nine times as much, of nothing
    assert verdict("L5", **{**same, "unscaled_64": 1.0}) == "holds only if"  # a smaller start mends it
    slow = {**same, "unscaled_64_learnt": 200.0}
    assert verdict("L5", **slow) == "holds only if"
    assert verdict("L5", **{**slow, "small_start_64_learnt": 160.0}) == "holds"
    one, two = ({**run, **same, "d_k": [4, 64]} for run in small_runs(EXPERIMENTS["L5"]))
    assert l5_scale.judge([one, {**two, "unscaled_64": 1.0}]) == "undecided"


def test_l5_takes_a_d_k_that_divides():
    with pytest.raises(UsageError, match="d_k=48 cannot be: expected a divisor of d_model = 64"):
        run_experiment(EXPERIMENTS["L5"], Wanted("small", turned={"d_k": "4,48"}))


def test_l26_can_say_all():
    low, high = l16_residual.BLIND - 0.5, l16_residual.BLIND + 0.3

    def verdict_of(cold_fails, warm_fails, seeds=6):
        """Of how many seeds fail at each of two rates."""
        runs = []
        for seed in range(seeds):
            losses = [[high if seed < fails else low for fails in side] for side in (cold_fails, warm_fails)]
            runs.append({"post_cold": losses[0], "post_warm": losses[1]})
        return EXPERIMENTS["L26"].judge(runs)

    assert verdict_of((6, 6), (0, 0)) == "holds"
    assert verdict_of((0, 5), (0, 0)) == "holds only if"
    assert verdict_of((0, 0), (0, 0)) == "does not hold"
    assert verdict_of((0, 2), (0, 0)) == "undecided"  # two of six may be chance
    assert verdict_of((6, 6), (6, 6)) == "undecided"


def test_l26_counts_as_fisher_did():
    assert l26_warmup.fisher(5, 0, 6) == pytest.approx(6 / 792)
    assert l26_warmup.fisher(3, 1, 4) == pytest.approx(17 / 70)  # the lady tasting tea


def test_without_warmup_the_first_step_is_taken_at_the_peak():
    """Adam's first step moves a weight by the learning rate; the second of two is the end of the cosine, rate 0."""
    stack = l16_residual.Stack(1, "post", 1)
    before = stack.output.weight.detach().clone()
    train_together([stack], l16_residual.sequences, [1], Budget(2, 4, 1e-2, 0.0))
    assert (stack.output.weight - before).abs().max().item() == pytest.approx(1e-2, rel=0.01)


def test_l23_without_a_mask_the_future_changes_the_past():
    batch = l23_mask_and_positions.sequences(2, torch.Generator().manual_seed(1))
    other = batch.target_in.clone()
    other[:, -1] = (other[:, -1] - 4 + 1) % 10 + 4
    for cell in l23_mask_and_positions.CELLS:
        torch.manual_seed(1)
        model = l23_mask_and_positions.build(cell, 1)
        before, after = (model(batch.source, fed)[:, :-1] for fed in (batch.target_in, other))
        assert torch.equal(before, after) == (cell in ("both", "only_mask"))


def test_l23_can_say_no():
    assert verdict("L23", both_right=1.0, only_mask_right=0.4, only_positions_right=0.1) == "holds"
    assert verdict("L23", both_right=1.0, only_mask_right=0.98, only_positions_right=0.1) == "does not hold"


def test_l22_sizes_at_the_start():
    (numbers, _) = EXPERIMENTS["L22"].measure((1, 2), small(EXPERIMENTS["L22"]))
    assert numbers["position"] == pytest.approx((64 / 2) ** 0.5)  # sin² + cos² = 1, d_model / 2 times
    assert numbers["moving_scaled_before"] == pytest.approx(8 * numbers["moving_unscaled_before"])


def test_l22_can_say_all():
    same = {"moving_scaled": 0.1, "computing_scaled": 0.1}
    assert verdict("L22", **same, moving_unscaled=0.1, computing_unscaled=0.5) == "holds only if"
    assert verdict("L22", **same, moving_unscaled=0.5, computing_unscaled=0.5) == "holds"
    assert verdict("L22", **same, moving_unscaled=0.1, computing_unscaled=0.1) == "does not hold"
