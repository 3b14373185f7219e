"""Shards of files that have lines: plain text, and JSON a line (.jsonl), plain or packed.

A border between shards is a line's end, so a shard is a range of bytes. Of a plain file it is found by its offset. A
packed file has no such door: its lines are read once, when the plan is made, and laid down in pieces, a shard each,
packed again.
"""

import gzip
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from attendo.bulk.plan import PIECES, Plan, Shard
from attendo.data.lines import LONGEST_LINE, FileStream, naming_damage
from attendo.errors import ConfigError, DataError
from attendo.files.durable import write_file
from attendo.files.tables import parse_json
from attendo.translation.answer import SPELLED_BREAKS, Translation

MOST_BYTES = 2**20  # of a shard; one line may have more
BLOCK = 2**20
Answers = Sequence[Translation | None]  # None for a row that has no text


# --- cutting


@dataclass(frozen=True)
class LineRange:
    """Some lines of an input, from one border to the next."""

    first: int
    start: int
    data: bytes

    @property
    def lines(self) -> int:
        return self.data.count(b"\n") + (not self.data.endswith(b"\n"))


def cut_lines(stream: BinaryIO, path: Path, lines_per_shard: int) -> Iterator[LineRange]:
    """All bytes of the stream, in order; LF ends a line and nothing else does."""
    lines: list[bytes] = []
    size, first, start = 0, 1, 0
    with naming_damage(path):
        while line := stream.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                raise DataError(f"{path} has a line of more than {LONGEST_LINE:,} bytes: expected lines of text")
            if lines and (len(lines) == lines_per_shard or size + len(line) > MOST_BYTES):
                yield LineRange(first, start, b"".join(lines))
                first, start = first + len(lines), start + size
                lines, size = [], 0
            lines.append(line)
            size += len(line)
    if lines:
        yield LineRange(first, start, b"".join(lines))


def read_to_the_end(stream: FileStream) -> tuple[int, str]:
    """Size and sha256 of the file itself, which is packed or not."""
    while stream.file.read(BLOCK):
        pass
    return stream.file.position, stream.file.hash.hexdigest()


# --- reading


def read_shard(plan: Plan, shard: Shard) -> bytes:
    """Its bytes; an error if they are not those the plan was made from."""
    source = plan.source_of(shard)
    path = Path(source.path)
    if source.is_packed:
        data = read_piece(piece_path(plan.folder, shard.number), shard.bytes)
    else:
        data = read_range(path, shard.start, shard.bytes)
    if hashlib.sha256(data).hexdigest() != shard.sha256:
        raise DataError(f"{path}, {shard.where}: not what they were when the plan was made; make a new plan elsewhere")
    return data


def read_range(path: Path, start: int, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(size)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def piece_path(folder: Path, number: int) -> Path:
    return folder / PIECES / f"{number:05}.gz"


def write_piece(folder: Path, number: int, data: bytes) -> None:
    write_file(piece_path(folder, number), gzip.compress(data, compresslevel=1, mtime=0))


def read_piece(path: Path, size: int) -> bytes:
    """No more than the plan says, whatever was packed."""
    try:
        with naming_damage(path), gzip.open(path, "rb") as stream:
            return stream.read(size + 1)
    except FileNotFoundError as error:
        raise DataError(f"{path} is missing: make the plan anew, elsewhere") from error


# --- plain lines


class PlainLines:
    """One line out for each line in; a last line without LF stays without."""

    ending = ".txt"

    def __init__(self, plan: Plan, shard: Shard) -> None:
        data = read_shard(plan, shard)
        self.ended = data.endswith(b"\n")
        raw = data.removesuffix(b"\n").split(b"\n")
        # A byte that is no UTF-8 is half a surrogate pair, which the translator mends, and its ledger tells of.
        self.texts: list[str | None] = [line.decode("utf-8", errors="surrogateescape") for line in raw]

    def write(self, path: Path, answers: Answers) -> None:
        lines = "\n".join(answer.to_line() for answer in answers if answer)
        write_and_force(path, (lines + "\n" * self.ended).encode("utf-8", errors="replace"))

    def count(self, path: Path) -> int:
        return count_breaks(path) + (not self.ended)


# --- JSON a line


class JsonLines:
    """A field is added at the end of each object; every other byte of the line stays.

    {"id": 7, "text": "你好"}  ->  {"id": 7, "text": "你好", "translation": "Hello."}

    A line that is no object, or whose field is no text, stays as it is and is counted.
    """

    ending = ".jsonl"

    def __init__(self, plan: Plan, shard: Shard) -> None:
        data = read_shard(plan, shard)
        self.ended = data.endswith(b"\n")
        self.raw = data.removesuffix(b"\n").split(b"\n")
        self.into = plan.settings.into
        self.texts: list[str | None] = []
        for number, line in enumerate(self.raw, start=shard.first):
            table = object_of(line)
            if table is not None and self.into in table:
                path = plan.source_of(shard).path
                raise DataError(f"{path}, line {number}: has a field {self.into!r} already; --into names another")
            text = None if table is None else table.get(plan.settings.column)
            self.texts.append(text if isinstance(text, str) else None)

    def write(self, path: Path, answers: Answers) -> None:
        lines = (
            line if answer is None else with_field(line, self.into, answer.text)
            for line, answer in zip(self.raw, answers, strict=True)
        )
        write_and_force(path, b"\n".join(lines) + b"\n" * self.ended)

    def count(self, path: Path) -> int:
        return count_breaks(path) + (not self.ended)


def object_of(line: bytes) -> dict[str, Any] | None:
    try:
        table = parse_json(line.removeprefix(b"\xef\xbb\xbf"), nan=True)
    except (ValueError, RecursionError):
        return None
    return table if isinstance(table, dict) else None


def with_field(line: bytes, name: str, text: str) -> bytes:
    end = line.rindex(b"}")
    added = json.dumps({name: text}, ensure_ascii=False).translate(SPELLED_BREAKS)[1:]  # with the brace that closes
    return line[:end] + b", " + added.encode("utf-8", errors="replace") + line[end + 1 :]


def check_first_object(path: Path, data: bytes, column: str, into: str) -> None:
    """What would be wrong in every line is said when the plan is made."""
    for line in data.split(b"\n"):
        if (table := object_of(line)) is not None:
            if column not in table:
                known = ", ".join(list(table)[:10])
                raise ConfigError(f"--column is {column!r}: {path} has {known or 'no fields'}")
            if into in table:
                raise ConfigError(f"--into is {into!r}: {path} has such a field already; name another")
            return


# --- writing


def write_and_force(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def count_breaks(path: Path) -> int:
    """Of what stands on the disk now."""
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(BLOCK), b""))
