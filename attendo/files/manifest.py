"""manifest.json: the size and sha256 of every file of a folder, written last, checked before anything is believed.

{"format": 1, "files": {"config.json": {"bytes": 312, "sha256": "9f86…"}, …}}
"""

import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from attendo.errors import InputError
from attendo.files.tables import read_json

FORMAT = 1
NAME = "manifest.json"
LARGEST = 1_000_000  # bytes; a manifest has a few hundred


def write_manifest(folder: Path) -> None:
    """Of all files in the folder; the caller writes none after it."""
    files = {
        path.name: {"bytes": path.stat().st_size, "sha256": sha256(path)}
        for path in sorted(folder.iterdir())
        if path.name != NAME
    }
    table = {"format": FORMAT, "files": files}
    (folder / NAME).write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


def check_manifest(folder: Path, required: Collection[str], optional: Collection[str] = ()) -> str:
    """Every required file is there and is what was written, and no other stands beside; the manifest's own sha256.

    Hidden files are of the operating system, and nobody reads them.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder")
    check_plain(folder / NAME)
    listed = read_manifest(folder)
    there = {path.name for path in folder.iterdir() if not path.name.startswith(".")} - {NAME}
    missing = (set(required) | set(listed)) - (there & set(listed))
    if missing:
        raise InputError(f"{folder}: {min(missing)} is missing")
    unknown = (there | set(listed)) - set(required) - set(optional)
    if unknown:
        raise InputError(f"{folder}: {min(unknown)!r} does not belong there")
    # All sizes first: they cost nothing.
    for name, (size, _) in listed.items():
        path = folder / name
        check_plain(path)
        if path.stat().st_size != size:
            raise InputError(f"{path} has {path.stat().st_size:,} bytes, its manifest says {size:,}: it is damaged")
    for name, (_, digest) in listed.items():
        if sha256(folder / name) != digest:
            raise InputError(f"{folder / name} is not what its manifest says: it was damaged or changed")
    return sha256(folder / NAME)


def check_plain(path: Path) -> None:
    """A link could lead out of the folder, and a pipe would keep its reader waiting."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path} is not a plain file")


def read_manifest(folder: Path) -> dict[str, tuple[int, str]]:
    table: Any = read_json(folder / NAME, LARGEST)
    if not isinstance(table, dict) or not isinstance(table.get("files"), dict):
        raise InputError(f"{folder / NAME} is not a manifest")
    if type(table.get("format")) is not int or table["format"] != FORMAT:
        raise InputError(f"{folder / NAME} has format {str(table.get('format'))[:20]}: this version reads {FORMAT}")
    files = {}
    for name, entry in table["files"].items():
        match entry:
            case {"bytes": int(size), "sha256": str(digest), **rest} if not rest and "/" not in name:
                files[name] = (size, digest)
            case _:
                raise InputError(f"{folder / NAME}: the entry {name[:40]!r} is not one of bytes and sha256")
    return files


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
