"""Lines of a text file, plain or compressed, as they are: LF ends a line and nothing else does.

Python's own splitlines also breaks at U+2028, U+0085, form feeds and more, after which line n of one file is no
longer the translation of line n of the other.
"""

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from attendo.errors import DataError
from attendo.files.packed import DAMAGE, ENDINGS, unpack
from attendo.files.tables import short_path
from attendo.files.whole_file import WholeFile
from attendo.text.normalize import LONE_SURROGATE, REPLACEMENT

LONGEST_LINE = 16 * 2**20  # bytes; what comes after is cut off, and reported
ENDLESS_LINE = 2**28  # bytes; a file with such a line is no text
LARGEST_TEST_SET = 256 * 2**20  # bytes of a file whose lines are all kept in memory
BUFFER = 2**20  # bytes
COMPRESSED = ENDINGS


@dataclass(frozen=True)
class Problem:
    """Something wrong in a file that does not stop us. Lines count from 1."""

    kind: str
    file: str
    line: int
    detail: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.detail}"


Report = Callable[[Problem], None]


def ignore(problem: Problem) -> None:
    """A report that drops every problem."""


def read_lines(path: Path, report: Report, largest: int | None = None) -> Iterator[str]:
    """The file's lines without their ends (LF or CR LF). What is no UTF-8 becomes U+FFFD and is reported.

    `largest`: more bytes than this are an error, for those who keep all lines.
    """
    with open_bytes(path) as stream:
        lines = raw_lines(stream, path)
        for line_number, raw in enumerate(lines if largest is None else within(lines, path, largest), start=1):
            yield decode_line(raw, path, line_number, report)


def decode_line(raw: bytes, path: Path, line_number: int, report: Report) -> str:
    if line_number == 1:
        raw = raw.removeprefix(b"\xef\xbb\xbf")
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise DataError(f"{path} is UTF-16: expected UTF-8 (iconv -f UTF-16 -t UTF-8)")
    raw = raw.removesuffix(b"\n").removesuffix(b"\r")
    if len(raw) > LONGEST_LINE:
        report(Problem("long_line", str(path), line_number, f"longer than {LONGEST_LINE:,} bytes; the rest is cut off"))
        raw = raw[:LONGEST_LINE]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        detail = f"byte {error.start + 1} is not UTF-8; replaced by U+FFFD"
        report(Problem("invalid_utf8", str(path), line_number, detail))
        text = raw.decode("utf-8", errors="replace")
    return clean(text, path, line_number, report)


def clean(text: str, path: Path, line_number: int, report: Report) -> str:
    """Without what is no character: NUL, and halves of surrogate pairs, which JSON can spell."""
    if "\0" in text:
        report(Problem("nul", str(path), line_number, "a NUL character; replaced by U+FFFD"))
        text = text.replace("\0", REPLACEMENT)
    if LONE_SURROGATE.search(text):
        report(Problem("surrogate", str(path), line_number, "half a surrogate pair; replaced by U+FFFD"))
        text = LONE_SURROGATE.sub(REPLACEMENT, text)
    return text


def raw_lines(stream: BinaryIO, path: Path) -> Iterator[bytes]:
    """Bytes up to and including each LF; of a long line only the beginning is kept in memory."""
    with naming_damage(path):
        while line := stream.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                length = len(line)
                while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                    length += len(rest)
                    if length > ENDLESS_LINE:
                        raise DataError(
                            f"{path} has a line of more than {ENDLESS_LINE:,} bytes: expected lines of text"
                        )
            yield line


def within(lines: Iterable[bytes], path: Path, largest: int) -> Iterator[bytes]:
    """The lines of a file that is read whole, unless they are more than anybody means to be."""
    total = 0
    for line in lines:
        total += len(line)
        if total > largest:
            raise DataError(f"{path} is too large: expected at most {largest:,} bytes of text")
        yield line


def count_lines(path: Path) -> int:
    """How many lines `read_lines` would give, without decoding them."""
    count, last = 0, b"\n"
    with open_bytes(path) as stream, naming_damage(path):
        while block := stream.read(2**20):
            count += block.count(b"\n")
            last = block[-1:]
    return count + (last != b"\n")


class FileStream(io.BufferedReader):
    """The bytes of a file, unpacked; `file` is the file itself, whose end tells whether it changed meanwhile."""

    def __init__(self, file: WholeFile, ending: str = "") -> None:
        self.file = file
        super().__init__(unpack(io.BufferedReader(file), ending, file.name) if ending in ENDINGS else file, BUFFER)

    def close(self) -> None:
        super().close()
        self.file.close()


def open_bytes(path: Path) -> FileStream:
    """The file's bytes, decompressed by the end of its name. Files are read more than once, which a pipe cannot be."""
    try:
        if path.exists() and not path.is_file():
            raise DataError(f"cannot read {path}: expected a file, this is a folder, a pipe or a device")
        return FileStream(WholeFile(io.FileIO(path), str(path)), path.suffix)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise DataError(f"cannot read {short_path(path)}: {getattr(error, 'strerror', None) or error}") from error


@contextmanager
def naming_damage(path: Path) -> Iterator[None]:
    """Around the reading of a file: whatever fails is an error that names the file."""
    try:
        yield
    except DAMAGE as error:
        raise DataError(f"{path} is damaged or not what its name says: {error}") from error
