"""A safetensors file, believed only within limits: what its header says, and its numbers as numpy arrays.

    8 bytes, the header's length
    header, {"encoder.norm.weight": {"dtype": "F32", "shape": [512], "data_offsets": [0, 2048]}, …}
    data

`read_header` reads nothing but the header. A file that passes holds exactly the tensors it lists, each number of them
once. `read_arrays` is for those who have no torch.
"""

import json
import os
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attendo.errors import InputError

LARGEST_HEADER = 1_000_000  # bytes; the header of a model of 500 tensors has 50,000
MOST_TENSORS = 10_000
MOST_DIMENSIONS = 8
LARGEST_SIDE = 2**40  # of a shape; the file's size bounds the product
METADATA = "__metadata__"
BYTES = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
    "U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8,
}  # fmt: skip
ARRAY_TYPES: dict[str, np.dtype[Any]] = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4"), "F64": np.dtype("<f8")}

Arrays = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class TensorInfo:
    """`start` and `end` count bytes from the beginning of the data."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


def read_header(path: Path) -> dict[str, TensorInfo]:
    """Every tensor by its name, in the order of the data."""
    if not path.is_file():  # opening a pipe would wait for ever
        raise InputError(f"cannot read {path}: it is not a file")
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or length > min(size - 8, LARGEST_HEADER):
                raise InputError(
                    f"{path} is not a safetensors file: it claims a header of {length:,} bytes, expected at most "
                    f"{LARGEST_HEADER:,} and no more than the file's {size:,}"
                )
            raw = file.read(length)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    table = parse(path, raw)
    tensors = {name: check_entry(path, name, entry) for name, entry in table.items()}
    in_order = dict(sorted(tensors.items(), key=lambda item: (item[1].start, item[1].end)))
    check_tiling(path, in_order, size - 8 - length)
    return in_order


def parse(path: Path, raw: bytes) -> dict[str, Any]:
    """The JSON object, without its metadata, which nobody reads."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) != len(pairs):
            raise ValueError("a key stands in it twice")
        return table

    try:
        table = json.loads(raw.decode("utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the header of {path} is not JSON that we read: {str(error)[:100]}") from error
    if not isinstance(table, dict):
        raise InputError(f"the header of {path} holds {type(table).__name__}: expected an object")
    metadata = table.pop(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise InputError(f"the header of {path} has {METADATA} that is not texts by name")
    if len(table) > MOST_TENSORS:
        raise InputError(f"{path} lists {len(table):,} tensors: expected at most {MOST_TENSORS:,}")
    return table


def check_entry(path: Path, name: str, entry: object) -> TensorInfo:
    where = f"{path}: the tensor {name[:60]!r}"
    match entry:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [start, end], **rest} if not rest:
            pass
        case _:
            raise InputError(f"{where} is not described by exactly dtype, shape and data_offsets")
    if dtype not in BYTES:
        raise InputError(f"{where} has numbers of kind {dtype[:20]!r}: expected one of {', '.join(BYTES)}")
    if len(shape) > MOST_DIMENSIONS or not all(is_count(side) for side in shape):
        raise InputError(f"{where} has a shape that is not at most {MOST_DIMENSIONS} whole numbers up to 2^40")
    if not is_count(start) or not is_count(end):
        raise InputError(f"{where} has data_offsets that are not two whole numbers")
    if end - start != prod(shape) * BYTES[dtype]:
        needed = prod(shape) * BYTES[dtype]
        raise InputError(f"{where} has {end - start:,} bytes of data, but {dtype} {shape} takes {needed:,}")
    return TensorInfo(dtype, tuple(shape), start, end)


def is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= LARGEST_SIDE  # True is no count


def check_tiling(path: Path, in_order: dict[str, TensorInfo], size: int) -> None:
    """Each tensor begins where the one before ends; the last ends with the file."""
    edges = [("the beginning", 0, 0), *((repr(name[:60]), info.start, info.end) for name, info in in_order.items())]
    for (before, _, end), (name, start, _) in pairwise(edges):
        if start != end:
            what = "overlap" if start < end else f"leave a hole of {start - end:,} bytes"
            raise InputError(f"{path}: {before} and {name} {what}")
    if edges[-1][2] != size:
        raise InputError(f"{path} has {size:,} bytes of data, its header describes {edges[-1][2]:,}")


def read_arrays(path: Path) -> Arrays:
    """Every tensor by its name, as float32; every number is finite."""
    header = read_header(path)
    for name, info in header.items():
        if info.dtype not in ARRAY_TYPES:
            raise InputError(f"{path}: the tensor {name[:60]!r} is {info.dtype}: expected {', '.join(ARRAY_TYPES)}")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    first = len(data) - max((info.end for info in header.values()), default=0)
    return {name: to_array(path, name, data, first, info) for name, info in header.items()}


def to_array(path: Path, name: str, data: bytes, first: int, info: TensorInfo) -> NDArray[np.float32]:
    dtype = ARRAY_TYPES[info.dtype]
    count = (info.end - info.start) // dtype.itemsize
    raw: NDArray[Any] = np.frombuffer(data, dtype, count=count, offset=first + info.start)
    numbers = raw.reshape(info.shape).astype(np.float32)
    if not np.isfinite(numbers).all():
        raise InputError(f"{path}: the tensor {name[:60]!r} has numbers that are not finite")
    return numbers
