"""Lines of a stream of any bytes, some kilobytes at a time, as they are needed.

LF ends a line and nothing else does: a CR before it belongs to the line, and so do U+2028 and its like. A last line
without LF stays without.
"""

import hashlib
import io
import os
import select
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from attendo.data.lines import LONGEST_LINE, FileStream, naming_damage, open_bytes
from attendo.errors import DataError, InputError
from attendo.files.whole_file import WholeFile
from attendo.text.normalize import BROKEN

BLOCK = 2**16  # bytes read at once
MOST_LINES = 4_000  # of a chunk
BYTES_PER_TOKEN = 4  # about, in Chinese as in English


@dataclass(frozen=True)
class Chunk:
    """Some lines that are translated together."""

    first: int  # number of its first line; lines count from 1
    texts: list[str]  # without LF; a byte that is no UTF-8 is half a surrogate pair, which the translator mends
    ended: bool  # whether the last line has its LF
    size: int  # bytes
    read: str = ""  # sha256 of all bytes up to the end of this chunk


class LineReader:
    """Chunks of lines from a stream of bytes; it knows how far it has read."""

    def __init__(self, stream: BinaryIO, name: str, *, strict: bool = False) -> None:
        self.name, self.strict = name, strict
        self.lines = self.bytes = 0
        self.hash = hashlib.sha256()
        self._raw = lines_and_pauses(stream, name)

    @property
    def read(self) -> str:
        return self.hash.hexdigest()

    def skip(self, most: int | None = None) -> None:
        """Pass by so many lines, or all, and remember their bytes as read."""
        while most is None or self.lines < most:
            line = next(self._raw, b"")
            if line == b"":
                return
            if line is not None:
                self.passed([line])

    def chunks(self, tokens: int) -> Iterator[Chunk]:
        """Each of about so many tokens, or one long line; of fewer, where to read on would mean to wait."""
        raw: list[bytes] = []
        size = 0
        for line in self._raw:
            full = line is None or len(raw) == MOST_LINES or size + len(line) > tokens * BYTES_PER_TOKEN
            if raw and full:
                yield self.chunk(raw)
                raw, size = [], 0
            if line is not None:
                raw.append(line)
                size += len(line)
        if raw:
            yield self.chunk(raw)

    def chunk(self, raw: list[bytes]) -> Chunk:
        first = self.lines + 1
        texts = [self.text(line, line_number) for line_number, line in enumerate(raw, start=first)]
        self.passed(raw)
        return Chunk(first, texts, raw[-1].endswith(b"\n"), sum(map(len, raw)), self.read)

    def passed(self, raw: list[bytes]) -> None:
        self.lines += len(raw)
        self.bytes += sum(map(len, raw))
        self.hash.update(b"".join(raw))

    def text(self, raw: bytes, line_number: int) -> str:
        text = raw.removesuffix(b"\n").decode("utf-8", errors="surrogateescape")
        if self.strict:
            check(text, f"{self.name}, line {line_number}")
        return text


def check(text: str, where: str) -> None:
    """For --strict: an error for what would otherwise become U+FFFD."""
    if wrong := BROKEN.search(text):
        what = "is NUL" if wrong.group() == "\0" else "is not UTF-8"
        raise DataError(f"{where}: character {wrong.start() + 1} {what}; without --strict it becomes U+FFFD")


def chunk_of_texts(texts: Sequence[str], *, strict: bool = False) -> Chunk:
    """Texts that are no lines of a stream; each may have lines of its own."""
    for number, text in enumerate(texts, start=1):
        if strict:
            check(text, f"text {number}")
    return Chunk(1, list(texts), True, sum(len(text.encode("utf-8", "surrogatepass")) for text in texts))


def lines_and_pauses(stream: BinaryIO, name: str) -> Iterator[bytes | None]:
    """Bytes up to and including each LF; None where nothing more is there yet, as when a person is typing."""
    begun: list[bytes] = []  # of a line whose end has not come
    length = 0
    while True:
        if not is_ready(stream):
            yield None
        with naming_damage(Path(name)):
            block = stream.read1(BLOCK)  # type: ignore[attr-defined]
        *whole, rest = block.split(b"\n")
        for line in whole:
            yield b"".join((*begun, line, b"\n"))
            begun, length = [], 0
        if rest:
            begun.append(rest)
            length += len(rest)
        if length > LONGEST_LINE:
            raise DataError(f"{name} has a line of more than {LONGEST_LINE:,} bytes: expected lines of text")
        if not block:
            break
    if begun:
        yield b"".join(begun)


def is_ready(stream: BinaryIO) -> bool:
    """Whether a read would not wait. Files are always ready; where one cannot know, we wait."""
    try:
        return bool(select.select([stream], [], [], 0)[0])
    except (OSError, ValueError):
        return True


@contextmanager
def opened(path: Path | None) -> Iterator[BinaryIO]:
    """A file, decompressed by the end of its name; a pipe or a device; or, with no path, stdin."""
    if path is None:
        if sys.stdin is None:
            raise InputError("there is no stdin to read lines from")
        yield standard_input()
        return
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("rb") as stream:
            yield stream
        return
    with open_bytes(path) as stream:
        yield stream


def standard_input() -> BinaryIO:
    """Where stdin is a file (`< in.txt`), it is read as one: whether it changes meanwhile is seen."""
    try:
        descriptor = sys.stdin.fileno()
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return FileStream(WholeFile(io.FileIO(descriptor, closefd=False), "stdin"))
    except (AttributeError, OSError, ValueError):  # somebody put an object of his own there
        pass
    return sys.stdin.buffer
