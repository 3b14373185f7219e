"""model.npz of Marian: a zip of arrays, none of them packed, each with a header that says its kind and shape.

Every header is read and held against the sizes of the zip before the first number is. Members that are packed are
refused, as Marian packs none: so no array is larger than the file that it came in, and all of them together are not.
Arrays of Python objects, which are pickles, are of no kind that is known here.
"""

import zipfile
import zlib
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from attendo.errors import InputError

LARGEST_FILE, MOST_MEMBERS, MOST_SIDES = 8 * 2**30, 20_000, 4
LONGEST_HEADER = 10_000
NUMBERS, LETTERS = ("<f4", "<f2", "<f8"), ("|i1", "|u1", "|S1")
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
BROKEN = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError, ValueError)


@dataclass(frozen=True)
class Member:
    """An array that has not been read yet."""

    info: zipfile.ZipInfo
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    by_columns: bool


class NpzFile:
    """The arrays of the file by their names: first their shapes, then, one by one, their numbers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        size = path.stat().st_size if path.is_file() else -1
        if not 0 <= size <= LARGEST_FILE:
            raise InputError(f"{path} is no file of at most {LARGEST_FILE:,} bytes")
        try:
            self.archive = zipfile.ZipFile(path)
        except BROKEN as error:
            raise InputError(f"{path} is no .npz: {str(error)[:100]}") from error
        try:
            self.members = self.headers(size)
        except InputError:
            self.archive.close()
            raise

    def __enter__(self) -> "NpzFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.archive.close()

    def headers(self, size: int) -> dict[str, Member]:
        infos = self.archive.infolist()
        if len(infos) > MOST_MEMBERS:
            raise InputError(f"{self.path} has {len(infos):,} arrays: expected at most {MOST_MEMBERS:,}")
        if any(info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size for info in infos):
            raise InputError(f"{self.path} has packed arrays, which Marian does not write")
        if sum(info.file_size for info in infos) > size:
            raise InputError(f"{self.path} says that its arrays are larger than it is")
        found: dict[str, Member] = {}
        for info in infos:
            name = info.filename.removesuffix(".npy")
            if name in found:
                raise InputError(f"{self.path} has the array {name[:60]!r} twice")
            try:
                with self.archive.open(info) as file:
                    found[name] = header_of(file, info)
            except BROKEN as error:
                said = " ".join(str(error).split())[:120]
                raise InputError(f"{self.path}: the array {name[:60]!r} cannot be read: {said}") from error
        return found

    def numbers(self, name: str) -> NDArray[np.float32]:
        if self.members[name].dtype.str not in NUMBERS:
            raise InputError(f"{self.path}: {name[:60]!r} is stored as {self.members[name].dtype}, expected floats")
        return self.read(name).astype(np.float32)

    def letters(self, name: str, largest: int) -> bytes:
        member = self.members.get(name)
        if member is None or member.dtype.str not in LETTERS or prod(member.shape) > largest:
            raise InputError(f"{self.path} has no {name!r} of at most {largest:,} bytes")
        return self.read(name).tobytes()

    def read(self, name: str) -> NDArray[Any]:
        member = self.members[name]
        length = prod(member.shape) * member.dtype.itemsize
        try:
            with self.archive.open(member.info) as file:
                file.read(member.info.file_size - length)  # its header
                raw = file.read(length + 1)  # to the end, where the sum of the zip is checked
        except BROKEN as error:
            raise InputError(f"{self.path}: the array {name[:60]!r} cannot be read: {error}") from error
        if len(raw) != length:
            raise InputError(f"{self.path}: the array {name[:60]!r} ends early")
        return np.frombuffer(raw, member.dtype).reshape(member.shape, order="F" if member.by_columns else "C")


def header_of(file: IO[bytes], info: zipfile.ZipInfo) -> Member:
    version = npy.read_magic(file)
    if version not in HEADERS:
        raise ValueError(f"version {version} of .npy")
    shape, by_columns, dtype = HEADERS[version](file, max_header_size=LONGEST_HEADER)
    if dtype.str not in (*NUMBERS, *LETTERS):
        raise ValueError(f"it holds {str(dtype)[:40]}, expected numbers")
    if len(shape) > MOST_SIDES or any(side < 0 for side in shape):
        raise ValueError(f"its shape is {str(list(shape))[:60]}")
    if prod(shape) * dtype.itemsize != info.file_size - file.tell():
        raise ValueError(f"{info.file_size - file.tell():,} bytes are not {str(list(shape))[:60]} of its kind")
    return Member(info, tuple(shape), dtype, by_columns)
