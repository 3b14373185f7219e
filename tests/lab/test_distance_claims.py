"""L21, L27 and L30: the tasks, the readers, equal numbers of weights, and rules that can say the other thing."""

import pytest
import torch

from attendo.errors import InputError
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.families import l27_distance, l30_lstm_wins
from attendo.lab.knobs import settings_of
from attendo.lab.positions import l21_learned
from attendo.lab.tools.readers import KINDS, SteppedLSTM, SteppedRNN, build_reader, right_answers, stream
from attendo.lab.tools.toy_training import Budget
from attendo.lab.tools.tuning import train_tuned
from attendo.special_tokens import SPECIAL
from tests.lab.planted import small, verdict


def generator(seed=1):
    return torch.Generator().manual_seed(seed)


def test_lookup():
    batch = l27_distance.lookup([2, 4], 50, generator())
    assert batch.source.shape == (50, 0)
    items = batch.target_in[:, 0]
    assert set(items.tolist()) == {4, 5, 6, 7}
    assert (batch.target_in[:, [2, 4]] == l27_distance.ASK).all()
    assert set(batch.target_in[:, [1, 3]].flatten().tolist()) == {8, 9}
    assert torch.equal(batch.target_out[:, [2, 4]], items[:, None].expand(50, 2))
    assert (batch.target_out[:, [0, 1, 3]] == SPECIAL.pad).all()
    assert batch.num_target_tokens == 100


def test_parity():
    batch = l30_lstm_wins.parity(9, 20, generator())
    for read, answers in zip(batch.target_in.tolist(), batch.target_out.tolist(), strict=True):
        assert answers == [4 + read[: index + 1].count(5) % 2 for index in range(9)]


def test_an_lstm_in_steps_is_torchs():
    torch.manual_seed(1)
    x, stepped, fused = torch.randn(3, 7, 8), SteppedLSTM(8, 16), torch.nn.LSTM(8, 16, batch_first=True)
    fused.load_state_dict(stepped.state_dict())
    (h, (last, cell)), (expected, (expected_last, expected_cell)) = stepped(x), fused(x)
    torch.testing.assert_close(h, expected)
    torch.testing.assert_close((last, cell), (expected_last[0], expected_cell[0]))


def test_an_rnn_in_steps_is_torchs():
    torch.manual_seed(1)
    x, stepped, fused = torch.randn(3, 7, 8), SteppedRNN(8, 16), torch.nn.RNN(8, 16, batch_first=True)
    fused.load_state_dict(stepped.state_dict())
    (h, (last,)), (expected, expected_last) = stepped(x), fused(x)
    torch.testing.assert_close(h, expected)
    torch.testing.assert_close(last, expected_last[0])


@pytest.mark.parametrize("kind", l27_distance.KINDS)
def test_readers_see_what_stands_before_and_nothing_else(kind):
    torch.manual_seed(1)
    reader = build_reader(kind, 10, 16, 2).eval()
    read = torch.randint(4, 10, (3, 8), generator=generator())
    other = read.clone()
    other[:, 5] = (other[:, 5] - 3) % 6 + 4
    before, after = (reader(tokens[:, :0], tokens) for tokens in (read, other))
    torch.testing.assert_close(before[:, :5], after[:, :5])
    assert (before[:, 5:] - after[:, 5:]).abs().amax((0, 2)).min() > 0


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_budgets_the_better_is_taken(kind):
    """Without learning all seeds would keep their first weights; the model returned has learnt."""

    def build(seed):
        return build_reader(kind, 6, 16, 1)

    def ones(pairs, generator):
        batch = l30_lstm_wins.parity(4, pairs, generator)
        return stream(batch.target_in, torch.full_like(batch.target_out, 5))  # always say 5

    budgets = [Budget(12, 8, 1e-9), Budget(12, 8, 3e-2), Budget(12, 8, 1e-8)]
    models, _, rate = train_tuned(build, ones, [1, 2], budgets)
    assert (len(models), rate) == (2, 3e-2)
    for model in models:
        assert right_answers(model, ones(50, generator())).min() == 1


def test_both_sides_have_equally_many_weights():
    for name, sides in (("L21", l21_learned.KINDS), ("L27", l27_distance.KINDS), ("L30", KINDS)):
        (numbers, _) = EXPERIMENTS[name].measure((1, 2), small(EXPERIMENTS[name]))
        first, *others = (numbers[f"{side}_weights"] for side in sides)
        assert others == pytest.approx([first] * len(others), rel=0.05)


def test_l21_every_batch_has_the_same_shape_and_the_table_ends():
    shapes = {l21_learned.short_ones(6, generator(seed)).source.shape for seed in range(20)}
    assert shapes == {(6, l21_learned.LONGEST + 1)}
    too_long = torch.full((1, 2 * l21_learned.LONGEST + 2), 5)
    l21_learned.build("sinusoidal", 1).encode(too_long)
    with pytest.raises(InputError, match="longer than the 13 learned positions"):
        l21_learned.build("learned", 1).encode(too_long)


def test_l21_can_say_all():
    assert verdict("L21", sinusoidal_trained=1.0, learned_trained=0.99, sinusoidal_twice=0.99) == "holds"
    assert verdict("L21", sinusoidal_trained=1.0, learned_trained=0.99, sinusoidal_twice=0.5) == "holds only if"
    assert verdict("L21", sinusoidal_trained=1.0, learned_trained=0.9, sinusoidal_twice=0.5) == "does not hold"
    assert verdict("L21", sinusoidal_trained=0.9, learned_trained=1.0, sinusoidal_twice=0.5) == "does not hold"


def test_l21_a_side_that_was_still_improving_has_not_lost():
    behind = {"sinusoidal_trained": 1.0, "learned_trained": 0.9, "sinusoidal_twice": 0.5, "learned": 0.3}
    assert verdict("L21", **behind, learned_half=0.31) == "does not hold"
    assert verdict("L21", **behind, learned_half=0.6) == "undecided"


def test_l21_other_lengths():
    at = settings_of(l21_learned.KNOBS, "small", {"longest": "4", "steps": "2"})
    (numbers,) = l21_learned.measure((1,), at)
    assert numbers["length"] == list(range(3, 9))
    assert numbers["sinusoidal_one_more"] == numbers["sinusoidal_right"][2]
    assert l21_learned.build("learned", 1, 4).config.max_length == 9


def test_l21_wide_intervals_decide_nothing():
    equal = {"sinusoidal_trained": 1.0, "sinusoidal_twice": 0.5}
    assert l21_learned.judge([{**equal, "learned_trained": share} for share in (1.0, 0.97)]) == "undecided"


def test_l27_can_say_all():
    kinds = l27_distance.KINDS
    same = {f"{kind}_{end}_learnt": 100.0 for kind in kinds for end in ("near", "far")}
    right = same | {f"{kind}_{end}_right": 1.0 for kind in kinds for end in ("near", "far")}
    helped = {f"on_the_way_{kind}_right": 1.0 for kind in l27_distance.RECURRENT}
    not_helped = dict.fromkeys(helped, 0.3)
    assert verdict("L27", **right | helped) == "does not hold"
    lost = right | {"lstm_far_right": 0.3, "rnn_far_right": 0.3}
    assert verdict("L27", **lost | not_helped) == "holds"
    assert verdict("L27", **lost | helped) == "holds only if"
    assert verdict("L27", **lost | not_helped | {"on_the_way_lstm_right": 1.0}) == "holds only if"
    assert verdict("L27", **lost | helped | {"lstm_far_right": 1.0}) == "does not hold"  # the note names both
    assert verdict("L27", **lost | helped | {"rnn_far_right": 1.0}) == "does not hold"
    late = right | helped | {"lstm_far_learnt": 900.0, "rnn_far_learnt": 900.0}  # they get there, but it is hard
    assert verdict("L27", **late) == "holds only if"
    assert verdict("L27", **late | {"transformer_far_learnt": 900.0}) == "does not hold"
    assert verdict("L27", **lost | not_helped | {"transformer_far_right": 0.5}) == "does not hold"
    assert verdict("L27", **lost | not_helped | {"lstm_near_right": 0.3}) == "undecided"
    assert verdict("L27", **lost | not_helped | {"rnn_near_right": 0.3}) == "undecided"


def test_l27_an_item_is_heard_less_from_afar():
    for kind in l27_distance.KINDS:
        assert l27_distance.item_signal(kind, 4, 1) > l27_distance.item_signal(kind, 32, 1) > 0


def test_l30_bytes_by_hand():
    """Numbers of 4 bytes: h and c of an LSTM, in 1 layer of 45; a key and a value for each token, in 2 layers of 32."""
    tokens = torch.full((1, 10), 4)
    assert l30_lstm_wins.state_bytes(l30_lstm_wins.build("lstm", 1), tokens) == 1 * 2 * 45 * 4
    assert l30_lstm_wins.state_bytes(l30_lstm_wins.build("transformer", 1), tokens) == 10 * 2 * 2 * 32 * 4


def test_l30_lengths_shown():
    assert l30_lstm_wins.shown_lengths(32) == [1, 2, 4, 8, 16, 32]
    assert l30_lstm_wins.shown_lengths(48) == [1, 2, 4, 8, 16, 32, 48]


def test_l30_can_say_all():
    wins = {"lstm_trained": 1.0, "lstm_longer": 1.0, "transformer_trained": 0.6, "transformer_longer": 0.5}
    assert verdict("L30", **wins) == "holds"
    assert verdict("L30", **wins | {"transformer_trained": 1.0}) == "holds"  # it goes no further
    assert verdict("L30", **wins, lstm_bytes_last=1024.0) == "holds only if"
    assert verdict("L30", **wins | {"transformer_longer": 1.0}) == "holds only if"
    assert verdict("L30", **wins | {"lstm_trained": 0.4}) == "holds only if"
    assert verdict("L30", **wins | {"transformer_longer": 1.0}, lstm_bytes_last=1024.0) == "does not hold"
