"""Position-wise feed-forward (3.3): the same small network at every position, blind to its neighbours."""

import math

import numpy as np

from attendo.glass.linear import Weights, linear
from attendo.glass.trace import Array, Trace
from attendo.model.config import TransformerConfig


def feed_forward(x: Array, config: TransformerConfig, weights: Weights, trace: Trace, *, off: bool = False) -> Array:
    """x [..., n, d_model] -> the same shape, through d_ff numbers; zeros where it is off.

    relu, gelu, swish:  FFN(x) = activation(x W_1 + b_1) W_2 + b_2
    swiglu:             FFN(x) = (SiLU(x W_gate) ⊙ x W_up) W_down   (Shazeer 2020)
    """
    if config.activation == "swiglu":
        gate = trace.keep("gate", linear(x, weights.part("gate")))
        up = trace.keep("up", linear(x, weights.part("up")))
        hidden = trace.keep("hidden", silu(gate) * up)
        out = linear(hidden, weights.part("down"))
    else:
        inner = trace.keep("inner", linear(x, weights.part("inner")))
        hidden = trace.keep("hidden", ACTIVATIONS[config.activation](inner))
        out = linear(hidden, weights.part("outer"))
    return trace.keep("out", np.zeros_like(out) if off else out)


def relu(x: Array) -> Array:
    """max(0, x)"""
    return np.maximum(x, np.float32(0))


def gelu(x: Array) -> Array:
    """x Φ(x), where Φ is the normal distribution's: x · (1 + erf(x / √2)) / 2"""
    erf = np.vectorize(math.erf, otypes=[np.float32])  # numpy has none of its own
    return x * (1 + erf(x / math.sqrt(2))) / 2


def silu(x: Array) -> Array:
    """x σ(x), σ(x) = 1 / (1 + exp(-x)); written by tanh, which no x makes overflow"""
    return x * (1 + np.tanh(x / 2)) / 2


ACTIVATIONS = {"relu": relu, "gelu": gelu, "swish": silu}
