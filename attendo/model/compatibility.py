"""The compatibility function (3.2.1): how well a query fits a key. By the dot product, as in the paper, or additive.

    dot        score(q, k) = q · k / √d_k
    additive   score(q, k) = w · tanh(W_q x + W_k m + b) = w · tanh(q + k)        (Bahdanau, Cho and Bengio 2015)

Here q = W_q x and k = W_k m with their biases, whose sum is b, are what multi-head attention has anyway, so all that an
additive head has besides is its w, of d_k numbers. A tanh is never above 1, and w starts small, so nothing is divided.

The dot product of all pairs is one matrix product. The other needs tanh(q + k) of each pair, d_k numbers where that has
one: [batch, heads, queries, keys, d_k]. A compiler never writes these to memory; without one they are computed for some
queries at a time, and again in the backward pass instead of being kept for it.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.model.attention import masked_softmax
from attendo.model.config import LayerConfig
from attendo.model.multi_head import MultiHeadAttention

AT_A_TIME = 2**24  # numbers: 64 MiB of float32, and few enough calls


class AdditiveMultiHeadAttention(MultiHeadAttention):
    """Multi-head attention whose heads compare by w · tanh(q + k); all else is as with the dot product."""

    def __init__(
        self, d_model: int, num_heads: int, *, kv_heads: int | None = None, bias: bool = True, dropout: float = 0.0
    ) -> None:
        super().__init__(d_model, num_heads, kv_heads=kv_heads, bias=bias, dropout=dropout)
        self.score = nn.Parameter(torch.empty(num_heads, self.head_dim))  # w of each head

    def attend(self, q: Tensor, k: Tensor, v: Tensor, may_attend: Tensor | None, record: list[Tensor] | None) -> Tensor:
        weights = masked_softmax(additive_scores(q, k, self.score), may_attend)
        if record is not None:
            record.append(weights.detach())
        return F.dropout(weights, self.dropout, self.training) @ v

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, w: {self.num_heads} x {self.head_dim}"


def additive_scores(q: Tensor, k: Tensor, w: Tensor) -> Tensor:
    """q [batch, heads, queries, d_k], k [batch, heads, keys, d_k], w [heads, d_k] -> [batch, heads, queries, keys]."""
    if torch.compiler.is_compiling():
        return scores_of_pairs(q, k, w)
    scores: Tensor = InParts.apply(q, k, w)  # type: ignore[no-untyped-call]
    return scores


def scores_of_pairs(q: Tensor, k: Tensor, w: Tensor) -> Tensor:
    """The equation: [batch, heads, queries, keys, d_k] times the w of each head, summed over d_k.

    Not as a matrix product: that would be a call of its own, for which a compiler has to write all pairs to memory.
    """
    return (tanh_of_pairs(q, k) * w[:, None, None]).sum(-1)


def tanh_of_pairs(q: Tensor, k: Tensor) -> Tensor:
    return torch.tanh(q[:, :, :, None] + k[:, :, None])


class InParts(torch.autograd.Function):
    """`scores_of_pairs`, some queries at a time; and its gradients, for which the pairs are computed anew."""

    generate_vmap_rule = True  # so that many models can learn in one pass (torch.func)

    @staticmethod
    def forward(q: Tensor, k: Tensor, w: Tensor) -> Tensor:
        return torch.cat([scores_of_pairs(part, k, w) for part in q.split(queries_at_a_time(k), dim=2)], dim=2)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """With t = tanh(q + k), g of each score: Σ g t for w; Σ g w (1 - t²), over keys for q, over queries for k."""
        q, k, w = ctx.saved_tensors
        (g,) = gradients
        by_q, by_k, by_w = [], torch.zeros_like(k), torch.zeros_like(w)
        count = queries_at_a_time(k)
        for some, their_g in zip(q.split(count, dim=2), g.split(count, dim=2), strict=True):
            t = tanh_of_pairs(some, k)
            by_w = by_w + (their_g[..., None, :] @ t).sum((0, 2, 3))
            inside = their_g[..., None] * (w[:, None, None] * (1 - t * t))
            by_q.append(inside.sum(3))
            by_k = by_k + inside.sum(2)
        return torch.cat(by_q, dim=2), by_k, by_w


def queries_at_a_time(k: Tensor) -> int:
    return max(AT_A_TIME // max(k.numel(), 1), 1)  # a query has batch · heads · keys · d_k numbers


def build_attention(config: LayerConfig) -> MultiHeadAttention:
    match config.compatibility:
        case "dot":
            return MultiHeadAttention.from_config(config)
        case "additive":
            return AdditiveMultiHeadAttention.from_config(config)
