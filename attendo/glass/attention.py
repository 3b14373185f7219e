"""Scaled dot-product attention (3.2.1): Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V.

With additive attention, if a model was trained so, the score of a query and a key is w · tanh(q + k), and nothing is
divided (Bahdanau, Cho and Bengio 2015).
"""

import math

import numpy as np

from attendo.glass.trace import NO_TRACE, Array, Trace


def attention(
    Q: Array,
    K: Array,
    V: Array,
    may_attend: Array | None = None,
    trace: Trace = NO_TRACE,
    *,
    scale: bool = True,
    w: Array | None = None,
) -> Array:
    """Q [..., h, queries, d_k], K [..., h, keys, d_k], V [..., h, keys, d_v] -> [..., h, queries, d_v]

    may_attend [queries, keys]: True where the query may look at the key; None: everywhere. w [h, d_k]: of additive
    attention.
    """
    if w is None:
        d_k = Q.shape[-1]
        scores = trace.keep("scores", Q @ K.swapaxes(-2, -1))  # [..., queries, keys]
        masked = trace.keep("scaled", scores / math.sqrt(d_k) if scale else scores)
    else:
        masked = trace.keep("scores", additive_scores(Q, K, w))
    if may_attend is not None:
        trace.keep("may_attend", may_attend)
        masked = np.where(may_attend, masked, np.float32(-np.inf))
    weights = trace.keep("weights", softmax(trace.keep("masked", masked)))
    return trace.keep("heads", weights @ V)


def additive_scores(Q: Array, K: Array, w: Array) -> Array:
    """w · tanh(q + k) for each query and key, one query at a time: [..., h, queries, keys]."""
    rows = [np.tanh(Q[..., i, None, :] + K) @ w[..., None] for i in range(Q.shape[-2])]  # [..., h, keys, 1] each
    return np.concatenate(rows, axis=-1).swapaxes(-2, -1)


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
