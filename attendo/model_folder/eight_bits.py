"""A matrix in 8 bits: whole numbers from -127 to 127, and for each row the scale that makes weights of them again.

    scale = max |w| / 127                    [ 0.5  -0.25  1.27 ]  →  [ 50  -25  127 ] · 0.01
    whole = w / scale, rounded half to even

The rounding is CTranslate2's own to the last bit, so the fast engine, which rounds anew whatever it is given, has the
same whole numbers from a folder of int8 as from the one of float32 it was made of. It can be so only if the largest
number of every row is 127, and a file in which it is not is refused. A row without anything in it has scale 1.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attendo.errors import InputError
from attendo.files.tensor_arrays import Arrays
from attendo.model_folder.storage import SCALE, is_multiplied

MOST = np.float32(127)
# Rows of a smaller scale are taken for zero: nobody learns such weights, and near 10^-38 float32 loses its digits.
SMALLEST_SCALE, LARGEST_SCALE = np.float32(1e-32), np.float32(1e3)


def to_eight_bits(weights: Arrays) -> dict[str, NDArray[Any]]:
    """The tensors of a file: every matrix becomes two, everything else stays."""
    tensors: dict[str, NDArray[Any]] = {}
    for name, weight in weights.items():
        if is_multiplied(name, weight.shape):
            tensors[name], tensors[f"{name}{SCALE}"] = rounded(weight)
        else:
            tensors[name] = weight
    return tensors


def rounded(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The whole numbers, and the scale of each row."""
    largest = np.abs(matrix).max(axis=1)
    is_empty = largest < SMALLEST_SCALE * MOST
    largest[is_empty] = MOST
    # Times 127 / max rather than through the scale: in float32 the two may round a number in the middle differently.
    whole = np.rint(matrix * (MOST / largest)[:, None])
    whole[is_empty] = 0
    return whole.astype(np.int8), largest / MOST


def from_eight_bits(path: Path, name: str, whole: NDArray[np.int8], scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """The matrix `name` of the file `path`; its shapes were checked before."""
    for row in np.flatnonzero(~((scales >= SMALLEST_SCALE) & (scales <= LARGEST_SCALE)))[:1]:  # NaN is neither
        raise InputError(
            f"{path}: the tensor {name[:60] + SCALE!r} has a scale of {scales[row]:.3g} for row {row}: "
            f"expected from {SMALLEST_SCALE:.0e} to {LARGEST_SCALE:,.0f}"
        )
    highest, lowest = whole.max(axis=1).astype(np.int16), whole.min(axis=1).astype(np.int16)
    largest = np.maximum(highest, -lowest)  # in 16 bits: -128 has no counterpart in 8
    for row in np.flatnonzero((largest != MOST) & (largest != 0))[:1]:
        raise InputError(
            f"{path}: the tensor {name[:60]!r} reaches {largest[row]} in row {row}: expected 127, or zeros alone"
        )
    return whole * scales[:, None]
