"""Add & Norm (3.1): what stands around each attention and feed-forward part."""

from collections.abc import Callable

from attendo.glass.linear import Weights
from attendo.glass.norms import norm
from attendo.glass.trace import Array, Trace
from attendo.model.config import TransformerConfig


def add_and_norm(
    x: Array, sublayer: Callable[[Array], Array], config: TransformerConfig, weights: Weights, trace: Trace
) -> Array:
    """x [..., n, d_model] -> the same shape; `weights` are the norm's.

    post-norm, the paper's:  Norm(x + Sublayer(x))
    pre-norm:                x + Sublayer(Norm(x))
    """
    if config.norm_order == "post":
        out = sublayer(trace.keep("in", x))
        add = trace.keep("add", x + out)
        return trace.keep("norm", norm(add, config, weights, trace.part("norm")))
    normed = trace.keep("norm", norm(x, config, weights, trace.part("norm")))
    out = sublayer(trace.keep("in", normed))
    return trace.keep("add", x + out)


def last_norm(x: Array, config: TransformerConfig, weights: Weights, trace: Trace) -> Array:
    """After a pre-norm stack the sum has never been normed; after a post-norm stack it just was."""
    if config.norm_order == "post":
        return x
    return trace.keep("norm", norm(x, config, weights, trace.part("norm")))
