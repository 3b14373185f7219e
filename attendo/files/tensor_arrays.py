"""The numbers of a safetensors file as numpy arrays, for those who have no torch."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attendo.errors import InputError
from attendo.files.tensor_file import TensorInfo, read_header

KINDS: dict[str, np.dtype[Any]] = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4"), "F64": np.dtype("<f8")}

Arrays = dict[str, NDArray[np.float32]]


def read_arrays(path: Path) -> Arrays:
    """Every tensor by its name, as float32; every number is finite."""
    header = read_header(path)
    for name, info in header.items():
        if info.dtype not in KINDS:
            raise InputError(f"{path}: the tensor {name[:60]!r} is {info.dtype}: expected {', '.join(KINDS)}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    first = len(data) - max((info.end for info in header.values()), default=0)
    return {name: array(path, name, data, first, info) for name, info in header.items()}


def array(path: Path, name: str, data: bytes, first: int, info: TensorInfo) -> NDArray[np.float32]:
    raw: NDArray[Any] = np.frombuffer(
        data, KINDS[info.dtype], count=(info.end - info.start) // KINDS[info.dtype].itemsize, offset=first + info.start
    )
    numbers = raw.reshape(info.shape).astype(np.float32)
    if not np.isfinite(numbers).all():
        raise InputError(f"{path}: the tensor {name[:60]!r} has numbers that are not finite")
    return numbers
