"""The shards of a plan, put together: every one is there and is what its runner wrote, or there is no output at all."""

import hashlib
import logging
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from attendo.bulk.marker import Marker, read_failure, read_marker
from attendo.bulk.parquet import join_rows
from attendo.bulk.plan import JOINED, Plan, Shard
from attendo.bulk.work import size_and_hash
from attendo.errors import DataError, InputError, UsageError
from attendo.files.durable import cannot_write, current_umask, mark, sync_folder
from attendo.translation.answer import Ledger, total

logger = logging.getLogger("attendo")

BLOCK = 2**20
NAMED = 10  # shards in a message


def join(plan: Plan, out: Path | None = None) -> tuple[list[Path], Ledger, int]:
    """One file for each input; the ledger of all, and how many rows had no text to translate.

    `out` is a file where there is one input, and a folder where there are several.
    """
    markers = all_markers(plan)
    if len({marker.engine for marker in markers}) > 1:
        logger.warning("the shards were made by different engines: their answers may differ here and there")
    paths = output_paths(plan, out)
    for index, path in enumerate(paths):
        mine = [(shard, marker) for shard, marker in zip(plan.shards, markers, strict=True) if shard.source == index]
        join_one(plan, index, mine, path)
    ledger = total(marker.ledger for marker in markers)
    return paths, ledger, sum(marker.left for marker in markers)


def all_markers(plan: Plan) -> list[Marker]:
    """Of every shard; an error that names those that have none."""
    found = [(shard, read_marker(plan, shard)) for shard in plan.shards]
    missing = [shard for shard, marker in found if marker is None]
    if missing:
        failed = {shard.number: reason for shard in missing if (reason := read_failure(plan, shard))}
        sentence = f"{len(missing):,} of {len(plan.shards):,} shards are not done: {named(missing)}"
        if failed:
            first = min(failed)
            sentence += f"; {len(failed):,} of them failed, number {first}: {failed[first]}"
        raise InputError(sentence)
    markers = [marker for _, marker in found if marker is not None]
    for shard, marker in zip(plan.shards, markers, strict=True):
        if marker.lines != shard.lines or Path(marker.file).name != marker.file:
            raise InputError(f"the marker of shard {shard.number} does not fit the plan: remove it and run again")
    return markers


def named(shards: Sequence[Shard]) -> str:
    numbers = ", ".join(str(shard.number) for shard in shards[:NAMED])
    return f"{numbers} and {len(shards) - NAMED:,} more" if len(shards) > NAMED else numbers


def output_paths(plan: Plan, out: Path | None) -> list[Path]:
    if len(plan.sources) == 1 and out is not None:
        if out.is_dir():
            raise UsageError(f"--out is {out}: expected the name of a file, of the one input's translation")
        return [out]
    folder = out or plan.folder / JOINED
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    return [folder / source.name for source in plan.sources]


def join_one(plan: Plan, index: int, parts: Sequence[tuple[Shard, Marker]], path: Path) -> None:
    source = plan.sources[index]
    with unfinished(path) as temporary:
        if source.form == "parquet" and parts:
            for shard, marker in parts:
                check_part(plan, shard, marker, *size_and_hash_of(plan, marker))
            join_rows([plan.shard_folder / marker.file for _, marker in parts], temporary)
            return
        if source.form == "parquet":
            raise DataError(f"{source.path} has no rows: there is nothing to join")
        breaks = 0
        with temporary.open("wb") as file:
            for shard, marker in parts:
                breaks += copy_part(plan, shard, marker, file)
            file.flush()
            os.fsync(file.fileno())
        if source.lines - breaks not in (0, 1):  # the last line may be without LF
            raise DataError(f"{source.path} has {source.lines:,} lines, and its translation {breaks:,}")


def copy_part(plan: Plan, shard: Shard, marker: Marker, file: BinaryIO) -> int:
    """Into the output; what was copied is what was checked. How many LF it has."""
    found, size, breaks = hashlib.sha256(), 0, 0
    try:
        with (plan.shard_folder / marker.file).open("rb") as part:
            while block := part.read(BLOCK):
                found.update(block)
                file.write(block)
                size += len(block)
                breaks += block.count(b"\n")
    except FileNotFoundError:
        size = -1
    check_part(plan, shard, marker, size, found.hexdigest())
    return breaks


def size_and_hash_of(plan: Plan, marker: Marker) -> tuple[int, str]:
    try:
        return size_and_hash(plan.shard_folder / marker.file)
    except FileNotFoundError:
        return -1, ""


def check_part(plan: Plan, shard: Shard, marker: Marker, size: int, sha256: str) -> None:
    if (size, sha256) != (marker.bytes, marker.sha256):
        path = plan.shard_folder / marker.file
        what = "is missing" if size < 0 else "is not what its runner wrote"
        raise InputError(f"{path} {what}: remove {shard.name}.done beside it and run the plan again")


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A file that gets its name when the block ends well; if it does not, nothing of it remains."""
    temporary: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=f"{mark()}{os.getpid()}-", dir=path.parent)
        os.close(descriptor)
        temporary = Path(name)
        yield temporary
        temporary.chmod(0o666 & ~current_umask())
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        if temporary:
            temporary.unlink(missing_ok=True)
