"""Norms, feed-forward, embeddings, sublayers: each against its written-out formula."""

import math

import pytest
import torch

from attendo.errors import InputError
from attendo.model.add_and_norm import PostNorm, PreNorm
from attendo.model.config import TransformerConfig
from attendo.model.embeddings import ScaledEmbedding, TokenEmbedding, build_output
from attendo.model.feed_forward import build_feed_forward
from attendo.model.norms import LayerNorm, RMSNorm
from tests.reference.same import random_gains


def small(**changes):
    return TransformerConfig(**{"vocab_size": 11, "d_model": 8, "d_ff": 12, "num_heads": 2, "dropout": 0.0, **changes})


def test_layer_norm_by_its_formula():
    norm = LayerNorm(8, eps=1e-5).double()
    random_gains(norm)
    x = torch.randn(2, 3, 8, dtype=torch.float64) * 5 + 2
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    torch.testing.assert_close(norm(x), norm.gain * (x - mean) / (variance + 1e-5).sqrt() + norm.bias)


def test_rms_norm_by_its_formula():
    norm = RMSNorm(8, eps=1e-6).double()
    random_gains(norm)
    x = torch.randn(2, 3, 8, dtype=torch.float64) * 5 + 2
    torch.testing.assert_close(norm(x), norm.gain * x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt())


@pytest.mark.parametrize("activation", ["relu", "gelu", "swiglu"])
@pytest.mark.parametrize("bias", [True, False])
def test_feed_forward_by_its_formula(activation, bias):
    part = build_feed_forward(small(activation=activation, bias=bias)).double()
    random_gains(part)
    x = torch.randn(2, 3, 8, dtype=torch.float64)

    def linear(name, x):
        layer = getattr(part, name)
        return x @ layer.weight.T + (layer.bias if bias else 0)

    if activation == "swiglu":
        gate = linear("gate", x)
        expected = linear("down", gate / (1 + (-gate).exp()) * linear("up", x))
    else:
        inner = linear("inner", x)
        active = inner.clamp(min=0) if activation == "relu" else inner * (1 + torch.erf(inner / math.sqrt(2))) / 2
        expected = linear("outer", active)
    torch.testing.assert_close(part(x), expected)
    assert (sum(p.dim() == 1 for p in part.parameters()) > 0) == bias


def test_feed_forward_is_the_same_at_every_position():
    """M6: independent of neighbours, equal at equal inputs."""
    part = build_feed_forward(small()).double()
    x = torch.randn(1, 4, 8, dtype=torch.float64)
    together = part(x)
    for position in range(4):
        torch.testing.assert_close(part(x[:, position : position + 1])[:, 0], together[:, position])


def test_post_and_pre_norm_by_their_formulas():
    x = torch.randn(2, 3, 8)
    post, pre = PostNorm(small()), PreNorm(small())
    torch.testing.assert_close(post(x, torch.sin), post.norm(x + x.sin()))
    torch.testing.assert_close(pre(x, torch.sin), x + pre.norm(x).sin())


def test_dropout_falls_on_the_sublayer_only():
    """With a sublayer dropped whole, what remains is x, or its norm."""
    x = torch.randn(2, 3, 8)
    pre, post = PreNorm(small(dropout=0.999999)).train(), PostNorm(small(dropout=0.999999)).train()
    torch.testing.assert_close(pre(x, torch.sin), x)
    torch.testing.assert_close(post(x, torch.sin), post.norm(x))


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_activation_dropout_silences_the_feed_forward_part(activation):
    part = build_feed_forward(small(activation=activation, activation_dropout=0.999999, bias=False)).train()
    x = torch.randn(2, 3, 8)
    assert (part(x) == 0).all()
    assert (part.eval()(x) != 0).any()


def test_embedding_is_scaled_and_tied():
    """M8: tying shares one tensor; the scale is √d_model."""
    embedding = ScaledEmbedding(11, 16)
    torch.nn.init.normal_(embedding.weight)
    torch.testing.assert_close(embedding(torch.tensor([[3, 5]]))[0], embedding.weight[[3, 5]] * 4)
    tied, free = build_output(embedding, tied=True), build_output(embedding, tied=False)
    assert tied.weight is embedding.weight
    assert free.weight is not embedding.weight


@pytest.mark.parametrize(
    ("tokens", "complaint"),
    [
        (
            torch.tensor([[1, 2], [3, 11]]),
            "token id 11 at row 1, position 1 is outside the vocabulary: expected 0 to 10",
        ),
        (torch.tensor([[1, -1]]), "token id -1 at row 0, position 1"),
        (torch.tensor([[1.0]]), "whole numbers"),
        (torch.tensor([1, 2]), r"\[batch, length\]"),
    ],
)
def test_wrong_tokens_are_named(tokens, complaint):
    with pytest.raises(InputError, match=complaint):
        TokenEmbedding(11, 8)(tokens)
