"""L22 and L23: what must be exact, and rules that can say the other thing."""

import pytest
import torch

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.positions import l23_mask_and_positions
from attendo.lab.tools.toy_tasks import reversal_of_length
from tests.lab.planted import small, verdict


def test_l22_sizes_at_the_start():
    (numbers, _) = EXPERIMENTS["L22"].measure((1, 2), small(EXPERIMENTS["L22"]))
    assert numbers["position"] == pytest.approx((16 / 2) ** 0.5)  # sin² + cos² = 1, d_model / 2 times
    assert numbers["moving_scaled_before"] == pytest.approx(4 * numbers["moving_unscaled_before"])


def l22_verdict(unscaled_learnt=(100, 100), failed=(0, 0), **others):
    """Of the steps and failures without the factor, on the two tasks; with it both are learnt in 100 steps."""
    numbers = dict(others)
    for task, steps, fails in zip(("moving", "computing"), unscaled_learnt, failed, strict=True):
        numbers |= {f"{task}_scaled_learnt": 100, f"{task}_unscaled_learnt": steps}
        numbers |= {f"{task}_scaled_failed": 0, f"{task}_unscaled_failed": fails}
    return verdict("L22", seeds=8, **numbers)


def test_l22_can_say_all():
    assert l22_verdict() == "does not hold"
    assert l22_verdict((100, 150)) == "holds only if"
    assert l22_verdict((150, 150)) == "holds only if"
    assert l22_verdict((500, 500), (1, 1)) == "holds"
    assert l22_verdict((100, 500), (0, 1)) == "holds only if"


def test_l22_a_side_that_still_improves_has_not_lost():
    ends = {"computing_unscaled": 0.5}
    assert l22_verdict((100, 500), (0, 1), **ends, computing_unscaled_half=0.51) == "holds only if"
    assert l22_verdict((100, 500), (0, 1), **ends, computing_unscaled_half=0.8) == "undecided"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((115, 130, 120, 145), "holds only if"),
        ((101, 102, 99, 101), "does not hold"),  # as many, to a twentieth
        ((70, 75, 80, 72), "does not hold"),
        ((60, 160, 90, 150), "undecided"),
    ],
)
def test_l22_what_counts_as_slower(steps, expected):
    run = {f"{task}_{side}_failed": 0 for task in ("moving", "computing") for side in ("scaled", "unscaled")}
    run |= {"moving_scaled_learnt": 100, "moving_unscaled_learnt": 80, "computing_scaled_learnt": 100}
    runs = [{**run, "computing_unscaled_learnt": count} for count in steps]
    assert EXPERIMENTS["L22"].judge(runs) == expected


def test_l23_without_a_mask_the_future_changes_the_past():
    batch = reversal_of_length(6, l23_mask_and_positions.SYMBOLS, 2, torch.Generator().manual_seed(1))
    other = batch.target_in.clone()
    other[:, -1] = (other[:, -1] - 4 + 1) % 10 + 4
    for cell in l23_mask_and_positions.CELLS:
        torch.manual_seed(1)
        model = l23_mask_and_positions.build(cell, 1)
        before, after = (model(batch.source, fed)[:, :-1] for fed in (batch.target_in, other))
        assert torch.equal(before, after) == (cell in ("both", "only_mask"))


def l23_verdict(without_positions, without_mask, losses=()):
    """Of the accuracy of each seed without positions, and without the mask; with both all is right."""
    accuracy = zip(without_positions, without_mask, strict=True)
    return l23_mask_and_positions.judge(
        [{"both_right": 1.0, "only_mask_right": a, "only_positions_right": b, **dict(losses)} for a, b in accuracy]
    )


def test_l23_can_say_all():
    bad, good = [0.4] * 8, [0.99] * 8
    assert l23_verdict(bad, bad) == "holds"
    assert l23_verdict(bad, [*bad[:7], 1.0]) == "holds"  # in one seed of eight the mask is not missed
    assert l23_verdict(good, bad) == "does not hold"
    assert l23_verdict(bad, good) == "does not hold"
    assert l23_verdict(bad, [*bad[:4], *good[:4]]) == "holds"  # luck is no part that replaces the mask
    assert l23_verdict(bad, [*bad[:2], *good[:6]]) == "undecided"
    improving = {"only_mask": 1.0, "only_mask_half": 1.5, "only_positions": 0.0, "only_positions_half": 0.0}
    assert l23_verdict(bad, bad, improving) == "undecided"


def test_l23_tosses_of_a_coin():
    assert l23_mask_and_positions.at_least_by_chance(7, 8) == pytest.approx(9 / 256)
    assert l23_mask_and_positions.at_least_by_chance(0, 8) == 1
