"""The compatibility function (3.2.1): how well a query fits a key. By the dot product, as in the paper, or additive.

    dot        score(q, k) = q · k / √d_k
    additive   score(q, k) = w · tanh(W_q x + W_k m + b) = w · tanh(q + k)        (Bahdanau, Cho and Bengio 2015)

Here q = W_q x and k = W_k m with their biases, whose sum is b, are what multi-head attention has anyway, so all that an
additive head has besides is its w, of d_k numbers. A tanh is never above 1, so there is no √d_k to divide by.

The dot product of all pairs is one matrix product. The other needs tanh(q + k) of each pair, d_k numbers where that has
one: [batch, heads, queries, keys, d_k]. So many are held only where a compiler fuses them away; otherwise they are
computed some queries at a time, and again in the backward pass instead of being kept for it.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

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
    numbers_a_query = max(k.numel(), 1)  # batch · heads · keys · d_k
    parts = q.split(max(AT_A_TIME // numbers_a_query, 1), dim=2)
    return torch.cat([score_again_for_gradients(part, k, w) for part in parts], dim=2)


def score_again_for_gradients(q: Tensor, k: Tensor, w: Tensor) -> Tensor:
    """The backward pass, if there is one, computes the pairs anew; nothing in them is random."""
    if not torch.is_grad_enabled():
        return scores_of_pairs(q, k, w)
    scores: Tensor = checkpoint(scores_of_pairs, q, k, w, use_reentrant=False, preserve_rng_state=False)
    return scores


def scores_of_pairs(q: Tensor, k: Tensor, w: Tensor) -> Tensor:
    """The equation: [batch, heads, queries, keys, d_k] times the w of each head, a column [d_k, 1]."""
    pairs = torch.tanh(q[:, :, :, None] + k[:, :, None])
    return (pairs @ w[:, None, :, None]).squeeze(-1)


def build_attention(config: LayerConfig) -> MultiHeadAttention:
    match config.compatibility:
        case "dot":
            return MultiHeadAttention.from_config(config)
        case "additive":
            return AdditiveMultiHeadAttention.from_config(config)
