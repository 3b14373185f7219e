"""The numbers of a safetensors file as numpy arrays, for those who have no torch and for those who have."""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attendo.errors import InputError
from attendo.files.tensor_file import TensorInfo, header_of, opened_tensors

ARRAY_TYPES: dict[str, np.dtype[Any]] = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4"), "F64": np.dtype("<f8")}
COUNT_TYPES: dict[str, np.dtype[Any]] = {"U16": np.dtype("<u2"), "U32": np.dtype("<u4")}
LARGEST_SINGLE = float(np.finfo(np.float32).max)

Arrays = dict[str, NDArray[np.float32]]
Check = Callable[[Path, Mapping[str, TensorInfo]], None]  # asked about a header before anything is allocated


def check_types(path: Path, header: Mapping[str, TensorInfo]) -> None:
    for name, info in header.items():
        if info.dtype not in ARRAY_TYPES:
            raise InputError(f"{path}: the tensor {name[:60]!r} is {info.dtype}: expected {', '.join(ARRAY_TYPES)}")


def read_arrays(path: Path) -> Arrays:
    """Every tensor by its name, as float32; every number is finite. A model folder's own: checked_weights.py."""
    arrays: Arrays = {}
    for name, numbers in each_array(path, check_types, ARRAY_TYPES):
        arrays[name] = numbers.astype(np.float32, copy=False)
        check_numbers(path, name, arrays[name], LARGEST_SINGLE)
    return arrays


def each_array(
    path: Path, check: Check, types: Mapping[str, np.dtype[Any]], sha256: str | None = None
) -> Iterator[tuple[str, NDArray[Any]]]:
    """`check` is asked before anything is allocated. The file is opened once and read from its beginning to its end, so
    that what was checked is what is read; `sha256` is what its manifest says of all of it, looked at in the end."""
    with opened_tensors(path) as file:
        before, header = header_of(file, path)
        check(path, header)
        digest = hashlib.sha256(before)
        for name, info in header.items():  # they follow each other without a hole
            numbers = np.empty(info.shape, types[info.dtype])
            raw = numbers.reshape(-1).view(np.uint8).data
            if file.readinto(raw) != len(raw):  # type: ignore[attr-defined]
                raise InputError(f"{path} became shorter while it was read")
            digest.update(raw)
            yield name, numbers
        if sha256 is not None and digest.hexdigest() != sha256:
            raise InputError(f"{path} is not what its manifest says: it was damaged or changed")


def check_numbers(path: Path, name: str, numbers: NDArray[np.float32], largest: float) -> None:
    if numbers.size == 0:
        return
    highest, lowest = float(numbers.max()), float(numbers.min())  # NaN, if one number is
    if not math.isfinite(highest) or not math.isfinite(lowest):
        raise InputError(f"{path}: the tensor {name[:60]!r} has numbers that are not finite")
    if (extreme := max(highest, -lowest)) > largest:
        raise InputError(
            f"{path}: the tensor {name[:60]!r} has a number of {extreme:.3g}: expected at most {largest:,g}"
        )
