"""The columns of a model in another order: sines and cosines by turns, as we have them, or by halves, as Marian.

The d_model columns of every vector may stand in any order, as long as every matrix that reads or writes them has the
same. Nothing that comes out of the model changes, but for the last bits of its sums.
"""

import numpy as np
from numpy.typing import NDArray

from attendo.errors import InputError
from attendo.files.tensor_arrays import Arrays

READS = ("query", "key", "value", "inner", "gate", "up")  # matrices whose columns are those of a vector
WRITES = ("output", "outer", "down")  # matrices whose rows are


def by_halves(weights: Arrays, d_model: int) -> Arrays:
    """Of a model that has sines and cosines by turns: 0, 2, 4, …, 1, 3, 5, …"""
    return reordered(weights, np.arange(d_model).reshape(-1, 2).T.ravel())


def reordered(weights: Arrays, order: NDArray[np.int64]) -> Arrays:
    """The same model with the columns of its vectors in this order; nothing that comes out of it changes."""
    found: Arrays = {}
    for name, array in weights.items():
        part, _, kind = name.rpartition(".")
        last = part.rpartition(".")[2]
        is_layer = ".layers." in name
        if name == "output.bias" or (is_layer and last in READS and kind == "bias"):
            found[name] = array
        elif not is_layer or last == "norm" or last in READS:  # tables, norms, and what reads: the last dimension
            found[name] = np.ascontiguousarray(array[..., order])
        elif last in WRITES:
            found[name] = np.ascontiguousarray(array[order])
        else:
            raise InputError(f"the weight {name!r} has no place in a Transformer")
    return found
