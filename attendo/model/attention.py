"""Scaled dot-product attention (3.2.1): Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V.

Twice: written out, when someone wants to see the weights, and through PyTorch's fused kernel, when nobody does.
The two agree to rounding. A query with nothing to attend to gives zeros in both.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

# Of the fused kernels all but cuDNN's, which PyTorch may prefer in half precision: to a query with nothing to attend to
# it gives numbers that are not zeros, and it makes a new plan, slowly, for every new shape. Set once, for the process:
# a setting around each call would cost more than a small attention, and override what a caller chose.
torch.backends.cuda.enable_cudnn_sdp(False)


def dot_product_attention(
    q: Tensor, k: Tensor, v: Tensor, may_attend: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    """The equation, term by term.

    q [batch, heads, queries, d_k], k [batch, heads, keys, d_k], v [batch, heads, keys, d_v]
    -> output [batch, heads, queries, d_v], weights [batch, heads, queries, keys] (before dropout).
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # [batch, heads, queries, keys]
    weights = masked_softmax(scores, may_attend)
    return F.dropout(weights, dropout) @ v, weights


def fused_attention(q: Tensor, k: Tensor, v: Tensor, may_attend: Tensor | None = None, dropout: float = 0.0) -> Tensor:
    """The same output without ever storing the [queries, keys] weights."""
    return F.scaled_dot_product_attention(q, k, v, attn_mask=may_attend, dropout_p=dropout)


def masked_softmax(scores: Tensor, may_attend: Tensor | None) -> Tensor:
    """Softmax over the keys that may be attended to; the others get exactly 0.

    The usual -inf would make a row with no allowed key NaN, and its gradient too, even where the result is thrown
    away. The lowest finite number gives such a row a harmless softmax, which the last line turns into zeros.
    """
    if may_attend is None:
        return torch.softmax(scores, dim=-1)
    lowest = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(~may_attend, lowest), dim=-1).masked_fill(~may_attend, 0.0)
