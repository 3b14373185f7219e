"""From ids to vectors and back (3.4): rows of a table times √d_model, and the product that gives the logits."""

import math

from attendo.glass.linear import Weights
from attendo.glass.trace import Array, Trace


def embed(ids: Array, weights: Weights, trace: Trace, side: str = "target") -> Array:
    """ids [..., n] -> vectors [..., n, d_model]: each id's row of the table, times √d_model.

    Both sides have one table, but where the source has its own.
    """
    own = side == "source" and "source_embedding.weight" in weights
    table = weights.part("source_embedding" if own else "embedding")["weight"]  # [vocab, d_model]
    rows = trace.keep("embedding", table[ids])
    return trace.keep("scaled", rows * math.sqrt(table.shape[1]))


def output_logits(x: Array, weights: Weights) -> Array:
    """x [..., d_model] -> a number for each piece of the vocabulary; a tied model multiplies with the same table.

    A model with an output bias has another number for each piece, which is added.
    """
    table = weights.part("output" if "output.weight" in weights else "embedding")["weight"]
    logits = x @ table.T
    return logits + weights["output.bias"] if "output.bias" in weights else logits
