"""LayerNorm, as in the paper (3.1), and RMSNorm, as in Llama: each looks at one token's vector alone."""

import numpy as np

from attendo.glass.linear import Weights
from attendo.glass.trace import Array, Trace
from attendo.model.config import TransformerConfig


def norm(x: Array, config: TransformerConfig, weights: Weights, trace: Trace) -> Array:
    """The one that the configuration names: x [..., n, d_model] -> the same shape."""
    eps = np.float32(config.norm_eps)
    return layer_norm(x, eps, weights, trace) if config.norm == "layer" else rms_norm(x, eps, weights, trace)


def layer_norm(x: Array, eps: np.float32, weights: Weights, trace: Trace) -> Array:
    """gain · (x - mean(x)) / √(var(x) + ε) + bias (Ba et al. 2016)"""
    mean = trace.keep("mean", x.mean(axis=-1, keepdims=True))
    variance = trace.keep("variance", ((x - mean) ** 2).mean(axis=-1, keepdims=True))
    return weights["gain"] * ((x - mean) / np.sqrt(variance + eps)) + weights["bias"]


def rms_norm(x: Array, eps: np.float32, weights: Weights, trace: Trace) -> Array:
    """gain · x / √(mean(x²) + ε): no mean is taken away, no bias added (Zhang and Sennrich 2019)."""
    mean_square = trace.keep("mean_square", (x**2).mean(axis=-1, keepdims=True))
    return weights["gain"] * (x / np.sqrt(mean_square + eps))
