"""Which numbers a page holds. What follows from others by an equation that the page shows is computed there:
scores, softmax, weighted sums, residuals, norms, activations. What a matrix of weights made is stored, with some of
its columns, so that those of its products can be unfolded.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from attendo.explain.packing import packed
from attendo.glass.linear import Weights
from attendo.glass.trace import Array, Trace
from attendo.model.config import TransformerConfig

MADE_BY_WEIGHTS = ("embedding", "positions", "angles", "Q", "K", "V", "w", "out", "inner", "gate", "up")
COLUMNS = 2  # of each matrix, and of each head where it is cut into heads
PROJECTIONS = ("query", "key", "value")


def stored_tensors(trace: Trace) -> dict[str, dict[str, Any]]:
    """By their names in the trace."""
    return {name: packed(trace[name]) for name in filter(is_stored, trace)}


def is_stored(name: str) -> bool:
    """decoder.out is called like what weights made, and is what the last norm did."""
    return name.rpartition(".")[2] in MADE_BY_WEIGHTS and name != "decoder.out"


def stored_weights(config: TransformerConfig, weights: Weights, dimension: int) -> dict[str, dict[str, Any]]:
    """Of each matrix some columns, with the bias; of each norm all its numbers; by their names in the model folder."""
    found: dict[str, dict[str, Any]] = {}
    for name, array in weights.arrays.items():
        part, _, last = name.rpartition(".")
        if not part.startswith(("encoder.", "decoder.")):
            continue
        if last == "weight":
            columns = columns_of(part, config, array.shape[0], dimension)
            bias = weights.arrays.get(f"{part}.bias")
            found[part] = {
                "columns": columns,
                "weight": packed(array[columns]),  # the file holds W transposed: a row is a column of the paper's W
                "bias": None if bias is None else packed(bias[columns]),
            }
        elif last == "gain":
            bias = weights.arrays.get(f"{part}.bias")
            found[part] = {"gain": packed(array), "bias": None if bias is None else packed(bias)}
    return found


def columns_of(part: str, config: TransformerConfig, width: int, dimension: int) -> list[int]:
    """The first two and the chosen one, if there is one; of Q, K and V these of every head."""
    some = sorted({*range(COLUMNS), dimension})
    if part.rpartition(".")[2] in PROJECTIONS:
        of_head = [one for one in some if one < config.head_dim]
        return [head * config.head_dim + one for head in range(config.num_heads) for one in of_head]
    return [one for one in some if one < width]


def best_pieces(row: Array, count: int) -> Array:
    """The ids of the highest of a row [vocab], the best first."""
    some = np.argpartition(-row, count)[:count] if count < len(row) else np.arange(len(row))
    return some[np.argsort(-row[some], kind="stable")]


def embedding_rows(ids: Iterator[int], weights: Weights) -> dict[str, Any]:
    """The rows of the output matrix that belong to these pieces: the factors of their logits."""
    wanted = sorted(set(ids))
    name = "output.weight" if "output.weight" in weights else "embedding.weight"
    bias = {"bias": packed(weights["output.bias"][wanted])} if "output.bias" in weights else {}
    return {"ids": wanted, "rows": packed(weights[name][wanted]), **bias}
