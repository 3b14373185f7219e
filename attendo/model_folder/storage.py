"""In which numbers the weights of a model folder are stored, and so which tensors its file has; without numpy.

    float32   every weight as it was learnt
    float16   every weight rounded: half the size
    int8      every matrix in whole numbers from -127 to 127 with a scale for each row, in which CTranslate2 computes on
              a CPU; vectors and positions, which it does not round, in float32. About a quarter of the size.

A matrix of int8 is two tensors, "output.weight" I8 [rows, columns] and "output.weight.scale" F32 [rows]: a weight is
its whole number times the scale of its row. eight_bits.py computes the one from the other. Whoever reads a folder gets
float32 in every case (checked_weights.py).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from attendo.files.tensor_file import Expected, TensorInfo, check_tensors
from attendo.model.config import ModelConfig
from attendo.model.shapes import weight_shapes

Storage = Literal["float32", "float16", "int8"]

SCALE = ".scale"  # follows the name of the matrix


def is_multiplied(name: str, shape: tuple[int, ...]) -> bool:
    """A matrix of a linear layer, a recurrent layer or an embedding. A table of positions is only added."""
    return len(shape) == 2 and not name.endswith("positions.weight")


def check_weights(path: Path, header: Mapping[str, TensorInfo], config: ModelConfig) -> Storage:
    """In which numbers the weights of such a model are stored in a file that holds them and nothing else."""
    storage = seeming_storage(header)
    check_tensors(path, header, expected_tensors(config, storage))
    return storage


def seeming_storage(header: Mapping[str, TensorInfo]) -> Storage:
    """By which a file is to be judged. Where it is nothing whole, float32 is what is missed in it."""
    kinds = {info.dtype for info in header.values()}
    if "I8" in kinds:
        return "int8"
    return "float16" if kinds == {"F16"} else "float32"


def expected_tensors(config: ModelConfig, storage: Storage) -> Expected:
    """Shape and kind of every tensor in the file, by name."""
    shapes = weight_shapes(config)
    if storage != "int8":
        kind = "F16" if storage == "float16" else "F32"
        return {name: (shape, kind) for name, shape in shapes.items()}
    expected: dict[str, tuple[tuple[int, ...], str]] = {}
    for name, shape in shapes.items():
        if is_multiplied(name, shape):
            expected |= {name: (shape, "I8"), f"{name}{SCALE}": (shape[:1], "F32")}
        else:
            expected[name] = (shape, "F32")
    return expected
