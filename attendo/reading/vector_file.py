"""Vectors written to a file as they come, in the form of numpy (.npy) or of safetensors; whole or not at all.

How many there are is known at the end. Both forms begin with a header that may be filled up with spaces, so it has one
size here, is left empty at first and written last.
"""

import json
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import numpy as np

from attendo.errors import UsageError
from attendo.files.durable import cannot_write, current_umask, mark, sync_folder
from attendo.reading.sentence_vectors import Vectors

HEADER = 256  # bytes, all that stands before the numbers
ENDINGS = (".npy", ".safetensors")
NAME = "vectors"  # of the tensor in a .safetensors file


def check_ending(path: Path) -> None:
    if path.suffix not in ENDINGS:
        raise UsageError(f"--out is {path}: expected a name that ends in .npy or .safetensors")


class VectorFile:
    """`with VectorFile(path, d_model) as file: file.add(vectors)`: float32 [vectors, d_model]."""

    def __init__(self, path: Path, d_model: int) -> None:
        check_ending(path)
        self.path, self.d_model, self.count = path, d_model, 0

    def __enter__(self) -> "VectorFile":
        try:
            descriptor, name = tempfile.mkstemp(prefix=f"{mark()}{os.getpid()}-", dir=self.path.parent)
            self.unfinished, self.file = Path(name), os.fdopen(descriptor, "wb")
            self.file.write(bytes(HEADER))
        except OSError as error:
            raise cannot_write(self.path, error) from error
        return self

    def add(self, vectors: Vectors) -> None:
        try:
            self.file.write(np.ascontiguousarray(vectors, dtype="<f4").tobytes())
        except OSError as error:
            raise cannot_write(self.path, error) from error
        self.count += len(vectors)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        try:
            if kind is None:
                self.finish(self.file)
        except OSError as problem:
            raise cannot_write(self.path, problem) from problem
        finally:
            self.file.close()
            self.unfinished.unlink(missing_ok=True)

    def finish(self, file: BinaryIO) -> None:
        file.seek(0)
        file.write(self.header())
        file.flush()
        os.fsync(file.fileno())
        self.unfinished.chmod(0o666 & ~current_umask())
        self.unfinished.replace(self.path)
        sync_folder(self.path.parent)

    def header(self) -> bytes:
        shape = [self.count, self.d_model]
        if self.path.suffix == ".npy":
            text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape[0]}, {shape[1]}), }}"
            start = b"\x93NUMPY\x01\x00" + (HEADER - 10).to_bytes(2, "little")
            return start + text.ljust(HEADER - 11).encode() + b"\n"
        size = 4 * self.count * self.d_model
        table = {NAME: {"dtype": "F32", "shape": shape, "data_offsets": [0, size]}}
        return (HEADER - 8).to_bytes(8, "little") + json.dumps(table).ljust(HEADER - 8).encode()
