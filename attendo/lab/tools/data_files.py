"""Corpora that experiments read: in the folder that $ATTENDO_DATA names."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from attendo.errors import DataError


def data_file(name: str) -> Path:
    folder = Path(os.environ.get("ATTENDO_DATA") or "data").absolute()
    if not (folder / name).is_file():
        raise DataError(f"there is no {name} in {folder}: set ATTENDO_DATA to the folder that holds it")
    return folder / name


def data_hashes(names: Sequence[str]) -> dict[str, str]:
    """The sha256 of each file, by its name."""
    return {name: hashlib.sha256(data_file(name).read_bytes()).hexdigest() for name in names}
