"""Texts, a file or a pipe, translated into a file or a pipe: what `attendo translate` does."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from attendo.data.lines import COMPRESSED
from attendo.decoding.options import SearchOptions
from attendo.documents.durable_output import ResumedFile
from attendo.documents.journal import describe_run
from attendo.documents.line_reader import Chunk, LineReader, chunk_of_texts, opened
from attendo.documents.pipeline import Account, Output, StreamOutput, Watch, json_line, plain_line, translate_chunks
from attendo.errors import UsageError
from attendo.files.durable import write_file
from attendo.translation.answer import Translation
from attendo.translation.glossary import Glossary
from attendo.translation.translator import Translator
from attendo.translation.wish import SEARCH, wish_for

STANDARD = Path("-")


@dataclass(frozen=True, kw_only=True)
class Task:
    """What to translate, where it goes, and how. Without texts, the lines of `source`."""

    texts: tuple[str, ...] = ()
    source: Path | None = None  # None is stdin
    target: Path | None = None  # None is stdout
    to: str | None = None
    from_: str | None = None
    options: SearchOptions = SEARCH
    glossary: Glossary | None = None
    keep: bool = False
    second_look: bool = True
    strict: bool = False
    as_json: bool = False
    resume: bool = False

    def __post_init__(self) -> None:
        if self.texts and self.source:
            raise UsageError("TEXT and -i exclude each other")
        if self.options.n_best > 1 and not self.as_json:
            raise UsageError(f"--n-best {self.options.n_best} needs --json: a line of text holds one translation")
        if self.resume and not (self.source and self.target):
            raise UsageError("--resume needs -i FILE and -o FILE")
        if self.resume and (is_special(self.source) or is_special(self.target)):
            raise UsageError("--resume needs files: what went through a pipe or a device cannot be gone on with")

    @property
    def name(self) -> str:
        """Of the input."""
        return str(self.source) if self.source else "stdin"

    @property
    def what(self) -> str:
        """How its texts are called when something is said of one: in.txt, line 7."""
        return "text" if self.texts else f"{self.name}, line"

    @property
    def size(self) -> int | None:
        """Of the input in bytes; None where it is not known, or the input cannot be read twice."""
        return self.source.stat().st_size if self.source and self.source.is_file() else None

    @property
    def size_read(self) -> int | None:
        """How many bytes will be read of it, where that is known: a compressed file is longer than it looks."""
        return None if self.source and self.source.suffix in COMPRESSED else self.size

    def opened(self) -> AbstractContextManager[BinaryIO]:
        """The bytes to read; texts need none."""
        return nullcontext(BytesIO()) if self.texts else opened(self.source)

    def run(self, translator: Translator, stream: BinaryIO, stdout: BinaryIO, watch: Watch) -> Account:
        """Translate the texts or what is `opened`; the account counts the lines of a resumed run from its start."""

        def ask(texts: list[str]) -> list[Translation]:
            return translator.translate(
                texts, self.to, self.from_, options=self.options, glossary=self.glossary, keep=self.keep,
                second_look=self.second_look,
            )  # fmt: skip

        if stream.isatty():
            watch.say("reading what you type: each line is translated at its end; Ctrl-D ends")
        reader = LineReader(stream, self.name, strict=self.strict)
        form = json_line if self.as_json else plain_line
        with self.output(translator, reader, stdout) as output:
            for remark in output.remarks:
                watch.say(remark)
            watch.passed(reader.lines, reader.bytes)
            try:
                if not output.finished:
                    translate_chunks(self.chunks(reader, translator), ask, output, form, watch)
            except KeyboardInterrupt:
                if output.hint:
                    watch.say(output.hint)
                raise
            return output.account

    @contextmanager
    def output(self, translator: Translator, reader: LineReader, stdout: BinaryIO) -> Iterator[Output]:
        """A file that can be gone on with; where that cannot be, a stream."""
        directions = translator.bundle.directions
        wish = wish_for(directions, self.to, self.from_, self.options, self.glossary, self.keep, self.second_look)
        if self.target is None:
            yield StreamOutput(stdout)
        elif is_special(self.target):
            with self.target.open("wb") as stream:
                yield StreamOutput(stream)
        else:
            run = describe_run(translator, wish, self.as_json, self.size)
            with ResumedFile(self.target, run, translator.engine.name, reader, resume=self.resume) as file:
                yield file

    def chunks(self, reader: LineReader, translator: Translator) -> Iterable[Chunk]:
        if self.texts:
            return [chunk_of_texts(self.texts, strict=self.strict)]
        return reader.chunks(translator.engine.tokens_per_batch)


def is_special(path: Path | None) -> bool:
    """A pipe or a device: nothing may be put in its place."""
    return path is not None and path.exists() and not path.is_file() and not path.is_dir()


def write_beside(path: Path, data: bytes, stdout: BinaryIO) -> None:
    """A small file in one piece; or to a pipe, a device, or - for stdout."""
    if path == STANDARD:
        stdout.write(data)
    elif is_special(path):
        path.write_bytes(data)
    else:
        write_file(path.resolve(), data)
