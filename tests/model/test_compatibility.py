"""Additive attention inside the Transformer: by its formula, in parts as at once, and in every family."""

import math

import pytest
import torch

from attendo.errors import ConfigError
from attendo.model import compatibility
from attendo.model.build import build_model
from attendo.model.compatibility import AdditiveMultiHeadAttention, additive_scores, scores_of_pairs
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, TransformerConfig
from attendo.model.record import AttentionRecord
from tests.reference.same import random_gains

SIZES = {"vocab_size": 20, "d_model": 16, "d_ff": 24, "num_heads": 4, "compatibility": "additive"}


def additive_by_loops(attention, x, memory, may_attend):
    """One sentence: head by head, query by query, key by key; x [queries][d_model], memory [keys][d_model]."""
    d_k = x.shape[1] // attention.num_heads
    output, weights = [], []
    for query, allowed in zip(x, may_attend, strict=True):
        concat, rows = [], []
        for head in range(attention.num_heads):
            columns = slice(head * d_k, (head + 1) * d_k)
            w = attention.score[head]
            scores, values = [], []
            for key in memory:
                inside = attention.query.weight[columns] @ query + attention.key.weight[columns] @ key
                inside = inside + attention.query.bias[columns] + attention.key.bias[columns]  # b of the formula
                scores.append(sum(w[i].item() * math.tanh(inside[i].item()) for i in range(d_k)))
                values.append(attention.value.weight[columns] @ key + attention.value.bias[columns])
            parts = [math.exp(s) if ok else 0.0 for s, ok in zip(scores, allowed, strict=True)]
            row = [part / sum(parts) for part in parts]
            concat.append(sum(share * value for share, value in zip(row, values, strict=True)))
            rows.append(row)
        output.append(attention.output.weight @ torch.cat(concat) + attention.output.bias)
        weights.append(rows)
    return torch.stack(output), torch.tensor(weights, dtype=torch.float64).transpose(0, 1)


def additive_heads(d_model=8, num_heads=2):
    attention = AdditiveMultiHeadAttention(d_model, num_heads).double()
    random_gains(attention)
    with torch.no_grad():
        attention.score.normal_()
    return attention


def test_by_its_formula():
    attention = additive_heads()
    x, memory = torch.randn(2, 3, 8, dtype=torch.float64), torch.randn(2, 5, 8, dtype=torch.float64)
    may_attend = torch.rand(2, 1, 3, 5) < 0.6
    may_attend[..., 0] = True
    record = []
    output = attention(x, memory, may_attend, record=record)
    for row in range(2):
        expected, weights = additive_by_loops(attention, x[row], memory[row], may_attend[row, 0].tolist())
        torch.testing.assert_close(output[row], expected, atol=1e-12, rtol=0)
        torch.testing.assert_close(record[0][row], weights, atol=1e-12, rtol=0)
    torch.testing.assert_close(attention(x, memory, may_attend), output, atol=0, rtol=0)  # unrecorded


@pytest.mark.parametrize("at_a_time", [1, 300, 10**9])
def test_some_queries_at_a_time_are_all_at_once(monkeypatch, at_a_time):
    """Numbers and gradients; and what is kept for the backward pass is not the pairs."""
    monkeypatch.setattr(compatibility, "AT_A_TIME", at_a_time)
    shapes = (2, 3, 7, 4), (2, 3, 5, 4), (3, 4)
    q, k, w = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in shapes)
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t.numel()) or t, lambda t: t):
        found = additive_scores(q, k, w)
    assert max(kept, default=0) < 2 * 3 * 7 * 5 * 4
    expected = scores_of_pairs(q, k, w)
    assert torch.equal(found, expected)
    direction = torch.randn_like(expected)
    ours = torch.autograd.grad((found * direction).sum(), (q, k, w))
    theirs = torch.autograd.grad((expected * direction).sum(), (q, k, w))
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, atol=1e-12, rtol=0)
    with torch.no_grad():
        assert torch.equal(additive_scores(q, k, w), expected)


def test_gradients_also_of_gradients_and_of_many_models_in_one_pass():
    shapes = (1, 2, 3, 2), (1, 2, 2, 2), (2, 2)
    q, k, w = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in shapes)
    assert torch.autograd.gradcheck(additive_scores, (q, k, w))
    assert torch.autograd.gradgradcheck(additive_scores, (q, k, w))
    several = torch.randn(3, *w.shape, dtype=torch.float64, requires_grad=True)
    together = torch.vmap(additive_scores, in_dims=(None, None, 0))(q, k, several)
    alone = torch.stack([additive_scores(q, k, one) for one in several])
    torch.testing.assert_close(together, alone, atol=1e-12, rtol=0)
    by_both = (torch.autograd.grad(each.square().sum(), (k, several)) for each in (together, alone))
    for ours, theirs in zip(*by_both, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=0)


def test_nothing_to_look_at_gives_zeros():
    attention = additive_heads()
    x = torch.randn(1, 2, 8, dtype=torch.float64, requires_grad=True)
    attention.output.bias.data.zero_()
    output = attention(x, x, torch.tensor([[True, False], [False, False]])[None, None])
    assert (output[0, 1] == 0).all()
    output.sum().backward()
    assert x.grad.isfinite().all()


def test_dropout_falls_on_the_weights_in_training_only():
    attention = AdditiveMultiHeadAttention(8, 2, dropout=0.5)
    torch.nn.init.normal_(attention.score)
    x = torch.randn(2, 5, 8)
    assert not torch.equal(attention.train()(x, x), attention(x, x))
    assert torch.equal(attention.eval()(x, x), attention(x, x))


@pytest.mark.parametrize(
    "config",
    [
        TransformerConfig(**SIZES, encoder_layers=1, decoder_layers=1),
        DecoderOnlyConfig(**SIZES, num_layers=1, positions="learned", num_kv_heads=2),
        EncoderOnlyConfig(**SIZES, num_layers=1),
    ],
    ids=lambda config: type(config).__name__,
)
def test_every_family_learns_its_w_and_keeps_its_record(config):
    model = build_model(config)
    ids, record = torch.tensor([[5, 6, 7, 2]]), AttentionRecord()
    logits = model(ids, record=record) if isinstance(config, EncoderOnlyConfig) else model(ids, ids, record)
    logits.square().sum().backward()
    scores = {name: weight for name, weight in model.named_parameters() if name.endswith(".score")}
    assert len(scores) == (3 if isinstance(config, TransformerConfig) else 1)
    for weight in scores.values():
        assert 0 < weight.detach().abs().max() < 2  # it was given a start
        assert weight.grad.abs().max() > 0
    rows = [*record.encoder_self, *record.decoder_self, *record.cross]
    assert len(rows) == len(scores)
    assert all(torch.allclose(row.sum(-1), torch.ones(())) for row in rows)


def test_rotary_positions_live_in_the_product():
    with pytest.raises(ConfigError, match=r"rotary.*compatibility = 'additive' does not form"):
        TransformerConfig(**SIZES, positions="rotary")
    with pytest.raises(ConfigError, match="compatibility in TransformerConfig is 'cosine': expected one of dot, add"):
        TransformerConfig(**SIZES | {"compatibility": "cosine"})
