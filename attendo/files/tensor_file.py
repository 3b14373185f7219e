"""A safetensors file, believed only within limits: what its header says.

    8 bytes, the header's length
    header, {"encoder.norm.weight": {"dtype": "F32", "shape": [512], "data_offsets": [0, 2048]}, …}
    data

`read_header` reads nothing but the header. A file that passes holds exactly the tensors it lists, each number of them
once. `check_tensors` holds the list against what is expected. The numbers are read by tensor_arrays.py.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

from attendo.errors import InputError
from attendo.files.tables import parse_json

LARGEST_HEADER = 1_000_000  # bytes; the header of a model of 500 tensors has 50,000
MOST_TENSORS = 10_000
MOST_DIMENSIONS = 8
LARGEST_SIDE = 2**40  # of a shape; the file's size bounds the product
METADATA = "__metadata__"
BYTES = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
    "U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8,
}  # fmt: skip

Expected = Mapping[str, tuple[tuple[int, ...], str]]  # shape and kind of number, by name


@dataclass(frozen=True)
class TensorInfo:
    """`start` and `end` count bytes from the beginning of the data."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


def read_header(path: Path) -> dict[str, TensorInfo]:
    """Every tensor by its name, in the order of the data."""
    with opened_tensors(path) as file:
        return header_of(file, path)[1]


@contextmanager
def opened_tensors(path: Path) -> Iterator[BinaryIO]:
    """Around all reading of a file: what fails is an error that names it."""
    if not path.is_file():  # opening a pipe would wait for ever
        raise InputError(f"cannot read {path}: it is not a file")
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def header_of(file: BinaryIO, path: Path) -> tuple[bytes, dict[str, TensorInfo]]:
    """The bytes before the data, and what they say of it; the file then stands at the beginning of the data."""
    size = os.fstat(file.fileno()).st_size
    first = file.read(8)
    length = int.from_bytes(first, "little")
    if size < 8 or length > min(size - 8, LARGEST_HEADER):
        raise InputError(
            f"{path} is not a safetensors file: it claims a header of {length:,} bytes, expected at most "
            f"{LARGEST_HEADER:,} and no more than the file's {size:,}"
        )
    raw = file.read(length)
    tensors = {name: check_entry(path, name, entry) for name, entry in parse(path, raw).items()}
    in_order = dict(sorted(tensors.items(), key=lambda item: (item[1].start, item[1].end)))
    check_tiling(path, in_order, size - 8 - length)
    return first + raw, in_order


def parse(path: Path, raw: bytes) -> dict[str, Any]:
    """The JSON object, without its metadata, which nobody reads."""
    try:
        raw.decode("utf-8")  # JSON alone would let UTF-16 pass
        table = parse_json(raw)
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


def check_tensors(path: Path, header: Mapping[str, TensorInfo], expected: Expected) -> None:
    """Exactly the expected tensors stand in the file, or an error says what is different."""
    differences = [f"{name!r} is missing" for name in expected if name not in header]
    differences += [f"{name[:60]!r} is not expected" for name in header if name not in expected]
    for name, (shape, dtype) in expected.items():
        found = header.get(name)
        if found and (found.shape, found.dtype) != (shape, dtype):
            there, asked = f"{found.dtype} {list(found.shape)}", f"{dtype} {list(shape)}"
            differences.append(f"{name!r} is {there} where {asked} is expected")
    if differences:
        more = f", and {len(differences) - 3:,} more differences" if len(differences) > 3 else ""
        raise InputError(f"{path} does not hold the tensors it should: {', '.join(differences[:3])}{more}")
