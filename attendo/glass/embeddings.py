"""From ids to vectors and back (3.4): rows of a table times √d_model, and the product that gives the logits."""

import math

import numpy as np

from attendo.glass.linear import Weights
from attendo.glass.trace import Array, Trace


def embed(ids: Array, weights: Weights, trace: Trace) -> Array:
    """ids [..., n] -> vectors [..., n, d_model]: each id's row of the table, times √d_model."""
    table = weights.part("embedding")["weight"]  # [vocab, d_model]
    rows = trace.keep("embedding", table[ids])
    return trace.keep("scaled", rows * np.float32(math.sqrt(table.shape[1])))


def output_logits(x: Array, weights: Weights) -> Array:
    """x [..., d_model] -> a number for each piece of the vocabulary; a tied model multiplies with the same table."""
    table = weights.part("output" if "output.weight" in weights else "embedding")["weight"]
    return x @ table.T
