"""The weights of a model folder, held against its configuration before anything is built or converted from them.

Both engines get them from here: what one refuses, the other refuses in the same words. A file that passes has exactly
the tensors of its configuration, in their shapes, all of them float32 or all float16, is what its manifest says, and
holds no number beyond what float16 can hold, nor numbers that together could grow beyond float32.
"""

from collections.abc import Mapping
from pathlib import Path

from attendo.files.tensor_arrays import Arrays, read_arrays
from attendo.files.tensor_file import TensorInfo, check_tensors
from attendo.model.config import LayerConfig, ModelConfig
from attendo.model.shapes import weight_shapes
from attendo.model_folder.bundle import WEIGHTS, Bundle
from attendo.model_folder.overflow import check_no_overflow

# The largest number of float16, in which models are also written and, on a GPU, run. What is learnt stays below 100.
LARGEST_WEIGHT = 65_504.0


def read_weights(bundle: Bundle) -> Arrays:
    """Every weight by its name, as float32."""

    def check(path: Path, header: Mapping[str, TensorInfo]) -> None:
        check_weights(path, header, bundle.config)

    weights = read_arrays(bundle.weights, check, LARGEST_WEIGHT, bundle.files[WEIGHTS].sha256)
    if isinstance(bundle.config, LayerConfig):  # a recurrent state does not grow: tanh holds it between -1 and 1
        check_no_overflow(bundle.weights, bundle.config, weights)
    return weights


def check_weights(path: Path, header: Mapping[str, TensorInfo], config: ModelConfig) -> None:
    # All weights are float32, or all are float16; where they are neither, float32 is what is missed.
    kind = "F16" if {info.dtype for info in header.values()} == {"F16"} else "F32"
    check_tensors(path, header, {name: (shape, kind) for name, shape in weight_shapes(config).items()})
