"""The weights of a model folder, held against its configuration before anything is built or converted from them.

Both engines get them from here: what one refuses, the other refuses in the same words. A file that passes has exactly
the tensors of its configuration, in their shapes, all of them float32, or all float16, or matrices of int8 with their
scales (storage.py), is what its manifest says, and holds no number beyond what float16 can hold, nor numbers that
together could grow beyond float32.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from attendo.files.tensor_arrays import ARRAY_TYPES, Arrays, check_numbers, each_array
from attendo.files.tensor_file import TensorInfo
from attendo.model.config import LayerConfig
from attendo.model.shapes import weight_shapes
from attendo.model_folder.bundle import WEIGHTS, Bundle
from attendo.model_folder.eight_bits import from_eight_bits
from attendo.model_folder.overflow import check_no_overflow
from attendo.model_folder.storage import SCALE, check_weights

# The largest number of float16, in which models are also written and, on a GPU, run. What is learnt stays below 100.
LARGEST_WEIGHT = 65_504.0
STORED_TYPES = ARRAY_TYPES | {"I8": np.dtype("i1")}


def read_weights(bundle: Bundle) -> Arrays:
    """Every weight by its name, as float32."""

    def check(path: Path, header: Mapping[str, TensorInfo]) -> None:
        check_weights(path, header, bundle.config)

    stored = dict(each_array(bundle.weights, check, STORED_TYPES, bundle.files[WEIGHTS].sha256))
    weights: Arrays = {}
    for name in weight_shapes(bundle.config):
        numbers = stored.pop(name)  # so that no two forms of all weights are in memory at once
        if numbers.dtype == np.int8:
            numbers = from_eight_bits(bundle.weights, name, numbers, stored[f"{name}{SCALE}"])
        weights[name] = numbers.astype(np.float32, copy=False)
        check_numbers(bundle.weights, name, weights[name], LARGEST_WEIGHT)
    if isinstance(bundle.config, LayerConfig):  # a recurrent state does not grow: tanh holds it between -1 and 1
        check_no_overflow(bundle.weights, bundle.config, weights)
    return weights
