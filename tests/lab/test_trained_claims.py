"""Claims about trained models: what must be exact, and rules that can say the other thing."""

import pytest
import torch

from attendo.data.batch import Batch
from attendo.errors import UsageError
from attendo.lab.attention import l5_scale
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.layers import l11_without_feed_forward
from attendo.lab.run import Wanted, run_experiment
from attendo.lab.tools.measuring import count_weights
from attendo.lab.tools.toy_tasks import random_table, running_sum
from attendo.lab.tools.toy_training import EncoderAlone, toy_config
from tests.lab.planted import small_runs, verdict


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
    assert verdict("L11", 8, **good, computing_without_learnt=3000.0) == "holds only if"  # slower
    little = {**good, "table_without_failed": 1.0, "table_without_right": 0.95}
    assert verdict("L11", 8, **little) == "does not hold"
    worse = {**little, "table_without_right": 0.5, "table_without": 1.0}
    assert verdict("L11", 8, **worse) == "holds only if"
    assert verdict("L11", 8, **worse, table_without_half=1.5) == "undecided"  # it was still improving
    for task in ("moving", "computing"):
        worse |= {f"{task}_without_right": 0.5, f"{task}_without_failed": 1.0}
    assert verdict("L11", 8, **worse) == "holds"


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
    same = {"scaled_64": 0.001, "unscaled_64": 0.001, "scaled_64_learnt": 100.0, "unscaled_64_learnt": 100.0}
    assert verdict("L5", **same) == "does not hold"
    assert verdict("L5", **{**same, "unscaled_64": 0.009}) == "does not hold"  # nine times as much, of nothing
    assert verdict("L5", **{**same, "unscaled_64": 1.0}) == "holds"
    assert verdict("L5", **{**same, "unscaled_64_learnt": 200.0}) == "holds"
    one, two = ({**run, **same} for run in small_runs(EXPERIMENTS["L5"]))
    assert l5_scale.judge([one, {**two, "unscaled_64": 1.0}]) == "undecided"


def test_l5_takes_a_d_k_that_divides():
    with pytest.raises(UsageError, match="d_k=48 cannot be: expected a divisor of d_model = 64"):
        run_experiment(EXPERIMENTS["L5"], Wanted("small", turned={"d_k": "4,48"}))
