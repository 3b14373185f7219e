"""Where a command's texts come from: its arguments, the lines of a file, or of stdin; in chunks, one way for all."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from attendo.data.lines import COMPRESSED
from attendo.documents.line_reader import Chunk, LineReader, chunk_of_texts, opened
from attendo.errors import UsageError


@dataclass(frozen=True)
class TextSource:
    """Without texts, the lines of `path`; without that too, or where it is -, those of stdin."""

    texts: tuple[str, ...] = ()
    path: Path | None = None

    def __post_init__(self) -> None:
        if self.texts and self.path:
            raise UsageError("TEXT and -i exclude each other")

    @property
    def file(self) -> Path | None:
        return None if self.path == Path("-") else self.path

    def where(self, number: int) -> str:
        """What a message calls one of the texts: text 2, or in.txt, line 2."""
        return f"text {number}" if self.texts else f"{self.file or 'stdin'}, line {number}"

    @property
    def size(self) -> int | None:
        """Bytes to be read, where that is known: a compressed file is longer than it looks."""
        file = self.file
        return file.stat().st_size if file and file.is_file() and file.suffix not in COMPRESSED else None

    def opened(self) -> AbstractContextManager[BinaryIO]:
        """The bytes to read; texts need none."""
        return nullcontext(BytesIO()) if self.texts else opened(self.file)

    def chunks(self, stream: BinaryIO, tokens: int) -> Iterator[Chunk]:
        """Of what is `opened`: each of about so many tokens, or one long line."""
        if self.texts:
            return iter([chunk_of_texts(self.texts)])
        return LineReader(stream, str(self.file or "stdin")).chunks(tokens)
