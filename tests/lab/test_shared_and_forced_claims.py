"""L17, L25 and L34: what must be exact, and rules that can say the other thing."""

import pytest
import torch

from attendo.lab.attention import l34_shared_projections
from attendo.lab.layers import l17_batch_norm
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.training import l25_teacher_forcing
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.transformer import Transformer
from tests.lab.planted import small_runs, verdict

SHORT = ("qv", "kv", "v")
WHAT = ("learnt", "failed")


def test_l17_batch_norm_is_torchs():
    torch.manual_seed(1)
    x, ours, theirs = torch.randn(3, 5, 8), l17_batch_norm.BatchNorm(8), torch.nn.BatchNorm1d(8)
    torch.testing.assert_close(ours(x), theirs(x.flatten(0, 1)).view_as(x))
    with torch.no_grad():
        ours(x)  # kept from here on
    other = torch.randn(1, 2, 8)
    mean, var = x.flatten(0, 1).mean(0), x.flatten(0, 1).var(0)
    torch.testing.assert_close(ours.eval()(other), (other - mean) / (var + ours.eps).sqrt())


def test_l17_layer_norm_sees_one_token():
    torch.manual_seed(1)
    x = torch.randn(2, 5, 8)
    other = torch.cat((x[:, :1], torch.randn(2, 4, 8)), dim=1)
    for norm, same in ((l17_batch_norm.LayerNorm(8), True), (l17_batch_norm.BatchNorm(8), False)):
        assert torch.equal(norm(x)[:, 0], norm(other)[:, 0]) == same


def test_l17_exact_part_and_batches_of_one_shape():
    for run in small_runs(l17_batch_norm.EXPERIMENT):
        assert run["layer_padded_others"] == run["layer_padded_future"] == run["layer_padded_shaking"] == 0
        assert run["layer_padded_padding"] < l17_batch_norm.ROUNDING
        assert run["batch_padded_others"] > l17_batch_norm.SEEN
        assert run["batch_padded_future"] > l17_batch_norm.ROUNDING
    batch = l17_batch_norm.reversals(2, 6, 8, torch.Generator().manual_seed(1))
    assert batch.source.shape == (8, 7)
    assert (batch.source == 0).any()


def test_l17_can_say_all():
    own = {f"layer_{task}_{what}": 1e-6 for task in ("padded", "even") for what in ("others", "padding")}
    moved = {"batch_padded_others": 0.5, "batch_even_others": 0.4}
    assert verdict("L17", **own, **moved) == "holds"
    assert verdict("L17", **own, **{**moved, "batch_even_others": 1e-6}) == "holds only if"
    assert verdict("L17", **{**own, "layer_padded_others": 0.5}, **moved) == "does not hold"
    assert verdict("L17", **{**own, "layer_even_padding": 0.5}, **moved) == "does not hold"
    assert verdict("L17", **own, **{**moved, "batch_padded_others": 1e-6}) == "does not hold"
    runs = [{**own, **moved}, {**own, **moved, "batch_padded_others": 1e-6}]
    assert l17_batch_norm.judge(runs) == "undecided"


def test_l17_is_not_about_accuracy():
    good, bad = {"layer_padded_right": 1.0, "batch_padded_right": 0.1}, {"layer_padded_right": 0.1}
    assert verdict("L17", **good) == verdict("L17", **bad) == "holds"


def test_l34_shares_what_it_says_and_gives_the_weights_back():
    for model in l34_shared_projections.MODELS:
        built = {kind: l34_shared_projections.build(kind, model, 1) for kind in l34_shared_projections.SHARED}
        counts = {kind: sum(weight.numel() for weight in one.parameters()) for kind, one in built.items()}
        assert all(abs(counts[kind] / counts["qkv"] - 1) < 0.05 for kind in SHORT)
    x = torch.randn(2, 3, 32)
    attention = built["qv"].encoder.layers[0].self_attention
    assert torch.equal(attention.key(x), attention.value(x))
    assert not torch.equal(attention.query(x), attention.value(x))
    attention = built["v"].decoder.layers[0].cross_attention
    assert torch.equal(attention.query(x), attention.value(x))
    assert {name for name, _ in attention.named_children()} == {"value", "output"}
    plain = built["qkv"].encoder.layers[0].self_attention  # nothing shared: the usual attention
    usual = MultiHeadAttention(32, 1)
    usual.load_state_dict(plain.state_dict())
    torch.testing.assert_close(plain(x, x), usual(x, x))


def test_l34_one_blind_place():
    """All but one of 6 symbols and </s> right, and an eighth of that one."""
    run, *_ = small_runs(l34_shared_projections.EXPERIMENT)
    assert run["one_blind"] == pytest.approx((6 + 1 / 8) / 7)
    assert run["one_blind_loss"] == pytest.approx(torch.tensor(8.0).log().item() / 7)


@pytest.mark.parametrize("seed", range(5))
def test_l34_with_queries_that_are_keys_every_way_ends_with_one_or_two(seed):
    """Both consequences of S = KKᵀ: one of two looks at itself no less, and no circle has more than two tokens."""
    torch.manual_seed(seed)
    same, config = l34_shared_projections.SHARED["kv"], toy_config(8, 32, 32, num_heads=1)
    attention = l34_shared_projections.SharedAttention(same, config).double()
    x = torch.randn(12, 32).double() * torch.rand(12, 1).double()
    scores = attention.query(x) @ attention.key(x).T
    torch.testing.assert_close(scores, scores.T)
    own = scores.diagonal()
    assert (scores <= torch.maximum(own[:, None], own[None, :]) + 1e-12).all()
    most = scores.argmax(-1)
    at = torch.arange(12)
    for _ in range(12):
        at = most[at]
    assert torch.equal(most[most[at]], at)


def test_l34_can_say_all():
    learnt = {f"alone_{kind}_{what}": 100.0 * (what == "learnt") for kind in ("qkv", *SHORT) for what in WHAT}

    def failed(*kinds, **others):
        return verdict("L34", 8, **learnt | {f"alone_{kind}_failed": 1.0 for kind in kinds} | others)

    assert failed() == "holds"
    assert failed("kv", "v") == failed("kv") == "holds only if"
    assert failed(*SHORT) == "does not hold"
    assert failed("qkv", *SHORT) == "undecided"
    assert failed(alone_v_learnt=300.0) == "holds only if"  # learnt, but three times as late
    assert failed("v", alone_v=0.3, alone_v_half=0.6) == "undecided"  # still improving


def test_l25_is_fed_what_greedy_search_says():
    batch = l25_teacher_forcing.sequences("reversal", 5, 4, torch.Generator().manual_seed(1))
    torch.manual_seed(1)
    model = l25_teacher_forcing.build("own", 1).eval()
    fed = batch.target_in[:, :1]
    for _ in range(5):  # without a cache
        fed = torch.cat((fed, Transformer.forward(model, batch.source, fed)[:, -1:].argmax(-1)), dim=1)
    own = model(batch.source, batch.target_in)
    torch.testing.assert_close(own, Transformer.forward(model, batch.source, fed), rtol=1e-4, atol=1e-5)


def test_l25_counts_and_forces_mistakes():
    batch = l25_teacher_forcing.sequences("counting", 5, 20, torch.Generator().manual_seed(1))
    assert torch.equal(batch.target_out[:, :-1] - 4, (batch.source[:, :-1] - 4).cumsum(1) % 4)
    for task in l25_teacher_forcing.TASKS:
        batch = l25_teacher_forcing.sequences(task, 5, 20, torch.Generator().manual_seed(1))
        torch.manual_seed(1)
        rates = l25_teacher_forcing.error_rates(l25_teacher_forcing.build("forced", 1), batch, 1)
        assert len(rates) == 5
        assert rates[1] == 1.0  # always wrong there


def test_l25_can_say_all():
    good = {f"{task}_{side}_failed": 0.0 for task in ("counting", "reversal") for side in ("forced", "own")}
    good |= {"counting_forced_learnt": 100.0, "counting_own_learnt": 200.0, "counting_forced_rise": 0.4}
    good |= {"reversal_forced_learnt": 100.0, "reversal_own_learnt": 130.0, "reversal_forced_rise": 0.09}
    assert verdict("L25", **good) == "holds"  # smaller in reversal is not absent
    assert verdict("L25", **(good | {"reversal_forced_rise": 0.0})) == "holds only if"
    assert verdict("L25", **(good | {"reversal_own_learnt": 100.0})) == "holds only if"
    assert verdict("L25", **(good | {"counting_own_learnt": 100.0})) == "does not hold"
    assert verdict("L25", **(good | {"counting_forced_rise": 0.0})) == "does not hold"
    assert verdict("L25", **(good | {"reversal_forced_failed": 1.0})) == "undecided"
    wide = [{**good, "counting_forced_rise": rise} for rise in (0.0, 0.4)]
    assert l25_teacher_forcing.judge(wide) == "undecided"
