"""Multi-head attention (3.2.2): MultiHead(Q, K, V) = Concat(head_1, …, head_h) W_O,
where head_i = Attention(Q W_Q,i, K W_K,i, V W_V,i).

In three steps, so that a decoder may keep K and V for its next step: queries, keys and values, and the heads.
"""

from collections.abc import Collection

import numpy as np

from attendo.glass.attention import attention
from attendo.glass.linear import Weights, linear
from attendo.glass.positions import RotaryTurn
from attendo.glass.trace import Array, Trace


def queries(x: Array, weights: Weights, h: int, trace: Trace, rotation: RotaryTurn | None = None) -> Array:
    """Q = x W_Q, cut into heads: x [..., queries, d_model] -> [..., h, queries, d_k]"""
    Q = trace.keep("Q", split_heads(linear(x, weights.part("query")), h))
    return Q if rotation is None else trace.keep("Q_rotated", rotation.turn(Q))


def keys_and_values(
    memory: Array,
    weights: Weights,
    h: int,
    trace: Trace,
    rotation: RotaryTurn | None = None,
    erased: Collection[int] = (),
) -> tuple[Array, Array]:
    """K = memory W_K and V = memory W_V, cut into heads: memory [..., keys, d_model] -> [..., h, keys, d_k] each.

    An erased position has a value of zeros: whoever looks there sees nothing, and looks there as much as before.
    """
    K = trace.keep("K", split_heads(linear(memory, weights.part("key")), h))
    V = split_heads(linear(memory, weights.part("value")), h)
    if erased:
        stays = ~np.isin(np.arange(V.shape[-2]), list(erased))  # [keys]
        V = V * stays[:, None].astype(np.float32)
    trace.keep("V", V)
    return (K if rotation is None else trace.keep("K_rotated", rotation.turn(K))), V


def multi_head(
    Q: Array,
    K: Array,
    V: Array,
    weights: Weights,
    trace: Trace,
    may_attend: Array | None = None,
    *,
    scale: bool = True,
    heads_off: Collection[int] = (),
) -> Array:
    """All heads at once, side by side, times W_O -> [..., queries, d_model]. A head that is off gives zeros."""
    w = trace.keep("w", weights["score"]) if "score" in weights else None  # of additive attention
    heads = attention(Q, K, V, may_attend, trace, scale=scale, w=w)  # [..., h, queries, d_k]
    if heads_off:
        stays = ~np.isin(np.arange(heads.shape[-3]), list(heads_off))  # [h]
        heads = trace.keep("heads", heads * stays[:, None, None].astype(np.float32))
    concat = trace.keep("concat", join_heads(heads))
    return trace.keep("out", linear(concat, weights.part("output")))


def split_heads(x: Array, h: int) -> Array:
    """[..., n, d_model] -> [..., h, n, d_k]: head i has the columns from i · d_k on."""
    return x.reshape(*x.shape[:-1], h, -1).swapaxes(-3, -2)


def join_heads(heads: Array) -> Array:
    """Concat: [..., h, n, d_k] -> [..., n, d_model]"""
    rows = heads.swapaxes(-3, -2)
    return rows.reshape(*rows.shape[:-2], -1)
