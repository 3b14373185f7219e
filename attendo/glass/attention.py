"""Scaled dot-product attention (3.2.1): Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V."""

import math

import numpy as np

from attendo.glass.trace import NO_TRACE, Array, Trace


def attention(
    Q: Array, K: Array, V: Array, may_attend: Array | None = None, trace: Trace = NO_TRACE, *, scale: bool = True
) -> Array:
    """Q [..., queries, d_k], K [..., keys, d_k], V [..., keys, d_v] -> [..., queries, d_v]

    may_attend [queries, keys]: True where the query may look at the key; None: everywhere.
    """
    d_k = Q.shape[-1]
    scores = trace.keep("scores", Q @ K.swapaxes(-2, -1))  # [..., queries, keys]
    scaled = trace.keep("scaled", scores / math.sqrt(d_k) if scale else scores)
    masked = scaled
    if may_attend is not None:
        trace.keep("may_attend", may_attend)
        masked = np.where(may_attend, scaled, np.float32(-np.inf))
    weights = trace.keep("weights", softmax(trace.keep("masked", masked)))
    return trace.keep("heads", weights @ V)


def softmax(x: Array) -> Array:
    """softmax(x)_i = exp(x_i) / Σ_j exp(x_j) for each row [..., n].

    The same if a number is taken from all x_j: the highest, so that no exp is too large. A row that is -inf throughout,
    a query with nothing to attend to, becomes zeros.
    """
    highest = x.max(axis=-1, keepdims=True)
    e = np.exp(x - np.where(np.isneginf(highest), np.float32(0), highest))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, np.float32(1), total)


def log_softmax(x: Array) -> Array:
    """log softmax(x)_i = x_i - log Σ_j exp(x_j), the highest taken away as above."""
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
