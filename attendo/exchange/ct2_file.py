"""model.bin of CTranslate2, read back: its variables by name, 8-bit matrices as the numbers that they stand for.

    version, name of the model's kind, revision
    number of variables, and of each: name, rank, sides, kind of number, bytes, data
    number of aliases, and of each: name, name of the variable that it is

A weight of 8 bits is w = q / scale, one scale a row. Rounding to 8 bits again gives the same q and the same scale, so
that what the fast engine makes of an imported model is what it was made from.
"""

import struct
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

VERSION = 6
KINDS = {0: "<f4", 1: "<i1", 2: "<i2", 3: "<i4", 4: "<f2"}
MOST_VARIABLES, LONGEST_NAME, MOST_SIDES = 20_000, 200, 4

Variables = dict[str, NDArray[Any]]


class Ct2Bytes:
    """A place in the file; every length is held against what is left."""

    def __init__(self, raw: bytes) -> None:
        self.raw, self.at = raw, 0

    def take(self, count: int) -> memoryview:
        if count > len(self.raw) - self.at:
            raise ValueError(f"{count:,} bytes are announced, and {len(self.raw) - self.at:,} are left")
        self.at += count
        return memoryview(self.raw)[self.at - count : self.at]

    def number(self, kind: str) -> int:
        return int(struct.unpack(f"<{kind}", self.take(struct.calcsize(kind)))[0])

    def text(self) -> str:
        length = self.number("H")
        if not 1 <= length <= LONGEST_NAME:
            raise ValueError(f"a name of {length} bytes")
        return bytes(self.take(length))[:-1].decode("utf-8")

    def count(self) -> int:
        found = self.number("I")
        if found > MOST_VARIABLES:
            raise ValueError(f"{found:,} variables, expected at most {MOST_VARIABLES:,}")
        return found


def read_ct2_variables(raw: bytes) -> Variables:
    """Of an encoder-decoder Transformer; anything else is a ValueError."""
    data = Ct2Bytes(raw)
    version, kind = data.number("I"), data.text()
    data.number("I")
    if version != VERSION or kind != "TransformerSpec":
        raise ValueError(f"it is a {kind[:40]} of version {version}, expected a TransformerSpec of version {VERSION}")
    found: Variables = {}
    for _ in range(data.count()):
        name, rank = data.text(), data.number("B")
        if rank > MOST_SIDES:
            raise ValueError(f"{name!r} has {rank} sides")
        shape = tuple(data.number("I") for _ in range(rank))
        word, size = data.number("B"), data.number("I")
        if word not in KINDS or prod(shape) * np.dtype(KINDS[word]).itemsize != size:
            raise ValueError(f"{name!r} has {size:,} bytes, which are not {list(shape)} numbers of its kind")
        found[name] = np.frombuffer(data.take(size), KINDS[word]).reshape(shape)
    for _ in range(data.count()):
        alias, name = data.text(), data.text()
        if name not in found:
            raise ValueError(f"{alias!r} stands for {name!r}, which is not there")
        found[alias] = found[name]
    return found


def as_numbers(variables: Variables, name: str) -> NDArray[np.float32]:
    """The variable as float32, whatever it is stored as."""
    array = variables[name]
    if array.dtype == np.int8:
        scale = variables.get(f"{name}_scale")
        if scale is None or scale.shape != array.shape[:1] or not (np.isfinite(scale) & (scale != 0)).all():
            raise ValueError(f"{name!r} has 8 bits and no scale for each row")
        return array.astype(np.float32) / scale.astype(np.float32)[:, None]
    if array.dtype.kind != "f":
        raise ValueError(f"{name!r} is stored as {array.dtype}, which is not supported")
    return array.astype(np.float32)
