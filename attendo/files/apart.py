"""No option of a command may destroy what another one names: the files it reads and those it writes are apart.

A file is known by where it is, whatever its name: ./x, ../d/x, links, and other letters where a disk does not tell them
apart, all lead to one file. What is read may be a folder (a model): then nothing is written into it, either.
"""

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from attendo.errors import UsageError

STANDARD = Path("-")
STREAMS = ("stdin", "stdout", "stderr")
# Names of what is open: who gives one means the stream itself.
OPEN = re.compile(r"/dev/(stdin|stdout|stderr|fd/\d+)|/proc/self/fd/\d+")
MOST_FILES = 1_000  # of a folder that is read; a model folder has five

Named = Path | Iterable[Path] | None  # what an option names


@dataclass(frozen=True)
class Place:
    """Where a file or folder is, and by which option it came in."""

    option: str
    name: str  # as the user may know it
    real: str  # without links; "" for an open stream
    key: tuple[int, int] | None  # device and inode; None where there is nothing yet

    def is_same(self, other: "Place") -> bool:
        if self.key and other.key:
            return self.key == other.key
        return bool(self.real) and (
            self.real == other.real or (not self.key and not other.key and self.folds_to(other))
        )

    def folds_to(self, other: "Place") -> bool:
        """Two names of files to come that differ in upper and lower case alone, on a disk that does not tell them."""
        folder, name = os.path.split(self.real)
        its_folder, its_name = os.path.split(other.real)
        return name.casefold() == its_name.casefold() and folder == its_folder and folds_case(folder)

    def is_inside(self, folder: "Place") -> bool:
        return folder.key is not None and any(key_of(parent) == folder.key for parent in Path(self.real or "/").parents)


def check_apart(
    reads: Mapping[str, Named], writes: Mapping[str, Named], beside: Mapping[str, Iterable[str]] | None = None
) -> None:
    """An error where one option would write what another reads or writes; `beside`: endings of files made on the way.

    Options have their names, files or none. `-` is stdin or stdout; stdout and stderr count wherever they are files.
    """
    read = [place for option, named in reads.items() for place in places_read(option, named)]
    written = [
        place
        for option, named in writes.items()
        for path in paths(named)
        for place in places_written(option, path, (beside or {}).get(option, ()))
    ]
    streams = [place for name in ("stdout", "stderr") if (place := stream_place(name))]
    for number, one in enumerate(written):
        for other in read:
            refuse_same(one, other)
            if one.is_inside(other):
                raise UsageError(
                    f"{one.option} would write {one.name} into {other.name}, the folder of {other.option}, which must "
                    "stay as it is: name another place"
                )
            if other.is_inside(one):
                raise UsageError(
                    f"{one.option} would write {one.name}, the folder in which {other.name} lies, the file of "
                    f"{other.option}: name another place"
                )
        for other in (*written[number + 1 :], *streams):
            is_meant = other.name in STREAMS and OPEN.fullmatch(one.name)
            if one.option != other.option and not is_meant:
                refuse_same(one, other)
    for stream in streams:
        for other in read:
            refuse_same(stream, other)


def refuse_same(one: Place, other: Place) -> None:
    if not one.is_same(other):
        return
    if one.name in STREAMS:
        raise UsageError(f"{one.name} goes to {other.name}, the file of {other.option}: name another file")
    if other.name in STREAMS:
        raise UsageError(f"{one.option} would write {one.name}, which is {other.name}: name another file")
    known = "" if one.name == other.name else f"{other.name}, "
    raise UsageError(
        f"{one.option} would write {one.name}, which is {known}the file of {other.option}: name another file"
    )


def places_read(option: str, named: Named) -> Iterator[Place]:
    for path in paths(named):
        if path == STANDARD:
            if place := stream_place("stdin"):
                yield place
        elif not is_device(path):
            yield place_of(option, path)
            if path.is_dir():
                with os.scandir(path) as entries:
                    files = (Path(entry.path) for entry, _ in zip(entries, range(MOST_FILES), strict=False))
                    yield from (place_of(option, file) for file in files if file.is_file())


def places_written(option: str, path: Path, endings: Iterable[str]) -> Iterator[Place]:
    """A link is followed: the file that it leads to is written, and what is made on the way stands beside that.

    /dev/shm is a disk like any other, and /proc/self/cwd a link: what is a device, is_device tells.
    """
    if path == STANDARD or is_device(path):
        return
    yield place_of(option, path)
    real = Path(os.path.realpath(path))
    shown = path if real.name == path.name else real
    for ending in endings:
        file = real.with_name(f"{real.name}{ending}")
        yield Place(option, f"{shown}{ending}", os.path.realpath(file), key_of(file))


def paths(named: Named) -> Iterable[Path]:
    return () if named is None else (named,) if isinstance(named, Path) else named


def place_of(option: str, path: Path) -> Place:
    return Place(option, str(path), os.path.realpath(path), key_of(path))


def stream_place(name: str) -> Place | None:
    """Of stdin, stdout or stderr, if it is a file."""
    try:
        status = os.fstat(getattr(sys, name).fileno())
    except (AttributeError, OSError, ValueError):  # closed, or an object of somebody's own
        return None
    return Place(name, name, "", (status.st_dev, status.st_ino)) if stat.S_ISREG(status.st_mode) else None


def key_of(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def is_device(path: Path) -> bool:
    """A pipe or a device: nothing of it is lost by being named twice."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def folds_case(folder: str) -> bool:
    """Whether a disk takes upper and lower case for one: the folder is there by its own name in other letters, too."""
    other = os.path.join(os.path.dirname(folder), os.path.basename(folder).swapcase())  # noqa: PTH118, PTH119, PTH120
    return other != folder and key_of(Path(other)) is not None and key_of(Path(other)) == key_of(Path(folder))
