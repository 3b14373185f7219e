"""manifest.json: the size and sha256 of every file of a folder, written last, checked before anything is believed.

{"format": 1, "files": {"config.json": {"bytes": 312, "sha256": "9f86…"}, …}}
"""

import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from attendo.errors import InputError
from attendo.files.tables import load_json, read_small_file, short_repr

FORMAT = 1
NAME = "manifest.json"
LARGEST = 1_000_000  # bytes; a manifest has a few hundred


class FileEntry(NamedTuple):
    """What a manifest says of a file."""

    bytes: int
    sha256: str


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
    """Every required file is there and is what was written, and no other stands beside; the manifest's own sha256."""
    listed, key = check_listing(folder, required, optional)
    for name, entry in listed.items():
        check_content(folder / name, entry)
    return key


def check_listing(
    folder: Path, required: Collection[str], optional: Collection[str] = ()
) -> tuple[dict[str, FileEntry], str]:
    """The names are right and so are the sizes: as far as one comes without reading any file but the manifest.

    Hidden files are of the operating system, and nobody reads them.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder")
    check_plain(folder / NAME)
    listed, key = parse_manifest(folder)
    there = {path.name for path in folder.iterdir() if not path.name.startswith(".")} - {NAME}
    missing = (set(required) | set(listed)) - (there & set(listed))
    if missing:
        first = min(missing)
        shown = first if first in required or first in optional else short_repr(first)
        raise InputError(f"{folder}: {shown} is missing")
    unknown = (there | set(listed)) - set(required) - set(optional)
    if unknown:
        raise InputError(f"{folder}: {short_repr(min(unknown))} does not belong there")
    for name, entry in listed.items():
        path = folder / name
        check_plain(path)
        size = path.stat().st_size
        if size != entry.bytes:
            raise InputError(f"{path} has {size:,} bytes, its manifest says {short_repr(entry.bytes)}: it is damaged")
    return listed, key


def check_content(path: Path, entry: FileEntry) -> None:
    if sha256(path) != entry.sha256:
        raise InputError(f"{path} is not what its manifest says: it was damaged or changed")


def check_largest(path: Path, entry: FileEntry, largest: int) -> None:
    """Before it is read: a manifest may agree with a file of 1 TB that has nothing in it."""
    if entry.bytes > largest:
        raise InputError(f"{path} is too large: it has {entry.bytes:,} bytes, expected at most {largest:,}")


def check_plain(path: Path) -> None:
    """A link could lead out of the folder, and a pipe would keep its reader waiting."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path} is not a plain file")


def read_manifest(folder: Path) -> dict[str, FileEntry]:
    return parse_manifest(folder)[0]


def parse_manifest(folder: Path) -> tuple[dict[str, FileEntry], str]:
    """What it says of each file; and its own sha256."""
    path = folder / NAME
    raw = read_small_file(path, LARGEST)
    table: Any = load_json(path, raw)
    if not isinstance(table, dict) or not isinstance(table.get("files"), dict):
        raise InputError(f"{path} is not a manifest")
    if type(table.get("format")) is not int or table["format"] != FORMAT:
        raise InputError(f"{path} has format {short_repr(table.get('format'))}: this version reads {FORMAT}")
    files = {}
    for name, entry in table["files"].items():
        match entry:
            case {"bytes": int(size), "sha256": str(digest), **rest} if not rest and "/" not in name:
                files[name] = FileEntry(size, digest)
            case _:
                raise InputError(f"{path}: the entry {name[:40]!r} is not one of bytes and sha256")
    return files, hashlib.sha256(raw).hexdigest()


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
