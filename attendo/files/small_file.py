"""A small file, whatever it claims to be: a device has no end, a pipe no size, a sparse file of 1 TB costs nothing."""

import hashlib
from pathlib import Path

from attendo.errors import AttendoError, InputError


def read_small_file(path: Path, largest: int, what: str = "", error: type[AttendoError] = InputError) -> bytes:
    """All of it, if it has at most `largest` bytes; no more than that is read. `what` is how errors call it."""
    try:
        with path.open("rb") as file:
            raw = file.read(largest + 1)
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        raise error(f"cannot read {what}{path}: {getattr(problem, 'strerror', None) or problem}") from problem
    if len(raw) > largest:
        raise error(f"{what}{path} is too large: expected at most {largest:,} bytes")
    return raw


def check_sha256(path: Path, raw: bytes, sha256: str) -> None:
    """Whether a file's bytes are what a manifest says of it."""
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise InputError(f"{path} is not what its manifest says: it was damaged or changed")
