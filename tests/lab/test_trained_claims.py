"""Claims about trained models: what must be exact, and rules that can say the other thing."""

import pytest
import torch

from attendo.lab.attention import l5_scale
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.layers import l11_without_feed_forward, l16_residual
from attendo.lab.positions import l23_mask_and_positions
from attendo.lab.tools.toy_tasks import running_sum
from attendo.lab.tools.toy_training import Budget, train_together
from attendo.lab.training import l26_warmup
from tests.lab.planted import small, verdict


def test_running_sum():
    batch = running_sum(20, range(5, 6), 3, torch.Generator().manual_seed(1))
    numbers = batch.source[:, :-1] - 4
    assert torch.equal(batch.target_out[:, :-1] - 4, numbers.cumsum(1) % 3)


def test_l11_gives_the_weights_back_as_width():
    (numbers, _) = EXPERIMENTS["L11"].measure((1, 2), small(EXPERIMENTS["L11"]))
    for task in ("moving", "computing"):
        whole = numbers[f"{task}_whole_weights"]
        assert abs(numbers[f"{task}_wider_weights"] / whole - 1) < 0.05
    model = l11_without_feed_forward.build(16, False, 1)
    assert not [name for name, _ in model.named_parameters() if "feed_forward" in name]


def test_l11_both_tasks_fetch_the_same_symbol():
    moved, sums = (
        task(20, torch.Generator().manual_seed(1))
        for task in (l11_without_feed_forward.moving, l11_without_feed_forward.computing)
    )
    assert torch.equal(moved.source, sums.source)
    own, fetched, right = (x[:, :-1] - 4 for x in (sums.source, moved.target_out, sums.target_out))
    assert torch.equal((own + fetched) % l11_without_feed_forward.SYMBOLS, right)


def test_l11_can_say_all():
    good = {"moving_whole": 1.0, "computing_whole": 1.0}
    assert verdict("L11", **good, moving_wider=0.99, computing_wider=0.6) == "holds only if"
    assert verdict("L11", **good, moving_wider=0.5, computing_wider=0.6) == "holds"
    assert verdict("L11", **good, moving_wider=0.99, computing_wider=0.97) == "does not hold"


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


def test_l5_can_say_all():
    assert verdict("L5", scaled_64=0.5, unscaled_64=1.5, small_start_64=1.0) == "holds"
    assert verdict("L5", scaled_64=0.5, unscaled_64=1.5, small_start_64=0.52) == "holds only if"
    assert verdict("L5", scaled_64=0.5, unscaled_64=0.52, small_start_64=0.5) == "does not hold"


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
