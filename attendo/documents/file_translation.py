"""Texts, a file or a pipe, translated into a file or a pipe: what `attendo translate` does."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from attendo.data.lines import COMPRESSED, FileStream, naming_damage
from attendo.documents.document import BilingualMode, Writing
from attendo.documents.document_run import DocumentRun
from attendo.documents.durable_output import DurableOutput
from attendo.documents.file_kinds import MOST, FileKind, look
from attendo.documents.find import LARGEST, FindDocument, finder_for
from attendo.documents.journal import describe_run
from attendo.documents.line_reader import Chunk, LineReader, chunk_of_texts, opened
from attendo.documents.memory import read_memory
from attendo.documents.pipeline import (
    Account,
    ChunkAnswer,
    Output,
    StreamOutput,
    TranslationListener,
    one_by_one,
    translate_chunks,
)
from attendo.documents.segment_translation import SegmentTranslator
from attendo.errors import DataError, UsageError
from attendo.translation.answer import Ledger, Translation
from attendo.translation.options import DEFAULT, TranslationOptions
from attendo.translation.translator import Translator

if TYPE_CHECKING:
    from attendo.documents.text_workers import TextWorkers  # which needs multiprocessing

logger = logging.getLogger("attendo")


@dataclass(frozen=True, kw_only=True)
class FileTranslation:
    """What to translate, where it goes, and how. Without texts, the lines of `source`."""

    texts: tuple[str, ...] = ()
    source: Path | None = None  # None is stdin
    target: Path | None = None  # None is stdout
    to: str | None = None
    from_: str | None = None
    options: TranslationOptions = DEFAULT
    strict: bool = False
    as_lines: bool = False  # whatever it looks like
    as_json: bool = False
    resume: bool = False
    full_vocabulary: bool = False  # how the translator was loaded
    bilingual: BilingualMode = "none"  # of a document: what it said before stays beside the translation
    memory: Path | None = None  # of a document: a file of texts whose translation is known

    def __post_init__(self) -> None:
        if self.texts and self.source:
            raise UsageError("TEXT and -i exclude each other")
        if self.resume and not (self.source and self.target):
            raise UsageError("--resume needs -i FILE and -o FILE")
        if self.resume and (is_special(self.source) or is_special(self.target)):
            raise UsageError("--resume needs files: what went through a pipe or a device cannot be resumed")

    @property
    def name(self) -> str:
        """Of the input."""
        return str(self.source) if self.source else "stdin"

    @property
    def unit(self) -> str:
        """How its texts are called in a message about one: in.txt, line 7."""
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

    def run(
        self,
        translator: Translator,
        stream: BinaryIO,
        stdout: BinaryIO,
        listener: TranslationListener,
        workers: "TextWorkers | None" = None,
    ) -> Account:
        """Translate the texts or what is `opened`; the account counts the lines of a resumed run from its start."""
        translator.preparer.languages("", self.to, self.from_)  # a wrong one is an error before anything is read
        if stream.isatty():
            logger.info("reading what you type: each line is translated at its end; Ctrl-D ends")
        kind = None if self.as_lines else self.kind_of(stream)
        if kind and (find := finder_for(kind.key)):
            return self.run_document(kind.key, find, translator, stream, stdout, listener)
        if self.bilingual != "none" or self.memory:
            raise UsageError(
                "--bilingual and --memory are for documents, and this is none: see attendo translate --help"
            )
        structured = kind is not None and self.is_structured(kind)
        reader = LineReader(stream, self.name, strict=self.strict)
        with self.output(translator, reader, stdout) as output:
            listener.passed(reader.lines, reader.bytes)
            try:
                if not output.finished:
                    answered = self.answers(self.chunks(reader, translator), translator, workers)
                    translate_chunks(answered, output, listener)
            except KeyboardInterrupt:
                if output.hint:
                    logger.warning(output.hint)
                raise
            done = output.account
        unread = stream.file.added if isinstance(stream, FileStream) else 0
        seen = Ledger(structured=done.lines if structured else 0, unread=unread)
        return replace(done, ledger=done.ledger + seen)

    def run_document(
        self,
        key: str,
        find: FindDocument,
        translator: Translator,
        stream: BinaryIO,
        stdout: BinaryIO,
        listener: TranslationListener,
    ) -> Account:
        """All of it is read, translated, and written in one piece."""
        if self.as_json or self.options.search.n_best > 1:
            raise UsageError(f"--json is for lines: {self.name} is a document, and --report tells what became of it")
        with naming_damage(Path(self.name)):
            data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise DataError(f"{self.name} has more than {LARGEST:,} bytes: expected a smaller document")
        found = find(data, self.name)
        asking = SegmentTranslator(translator, self.to, self.from_, self.options)
        to = translator.preparer.languages("", self.to, self.from_).to
        run = describe_run(
            translator.bundle.key, to, self.from_, self.options, False, None, full_vocabulary=self.full_vocabulary
        )
        writing = Writing(to, asking.source_language(found.segments), self.bilingual)
        work = DocumentRun(
            key=key, document=found.aimed(writing), name=self.name, asking=asking, target=self.target,
            writing=writing, run=run, memory=read_memory(self.memory, writing.source, to), resume=self.resume,
        )  # fmt: skip
        return work.translate(stdout, listener)

    def kind_of(self, stream: BinaryIO) -> FileKind | None:
        """What it looks like; what has no lines and no finder is an error."""
        if not isinstance(stream, BufferedReader) or stream.isatty():
            return None
        with naming_damage(Path(self.name)):
            found = look(stream.peek(MOST), self.name)
        if found and found.binary and finder_for(found.key) is None:
            raise DataError(f"{self.name} is {found.name}: {found.advice}")
        return found

    def is_structured(self, found: FileKind) -> bool:
        """It has a structure that may break, and that is said."""
        logger.warning(
            f"{self.name} looks like {found.name}: its lines are translated as plain text, and its structure may break "
            "(--as-lines: that is meant)"
        )
        return True

    @contextmanager
    def output(self, translator: Translator, reader: LineReader, stdout: BinaryIO) -> Iterator[Output]:
        """A file whose translation can be resumed; where that cannot be, a stream."""
        to = translator.preparer.languages("", self.to, self.from_).to
        if self.target is None:
            yield StreamOutput(stdout)
        elif is_special(self.target):
            with self.target.open("wb") as stream:
                yield StreamOutput(stream)
        else:
            run = describe_run(
                translator.bundle.key, to, self.from_, self.options, self.as_json, self.size,
                strict=self.strict, full_vocabulary=self.full_vocabulary,
            )  # fmt: skip
            with DurableOutput(self.target, run, translator.engine.name, reader, resume=self.resume) as file:
                yield file

    @contextmanager
    def several(
        self, stream: BinaryIO, folder: Path, load: Callable[[], Translator], *, begin_ahead: bool = False
    ) -> Iterator["TextWorkers | None"]:
        """Other processes for the lines of a large file, where a GPU decodes; None where they would not pay."""
        from attendo.documents.text_workers import TextWork, crew_for, text_workers

        crew = None if self.texts else crew_for(self.size)
        kind = None if self.as_lines or not crew else self.kind_of(stream)
        if not crew or (kind and finder_for(kind.key)):
            yield None
            return
        work = TextWork(folder, load, self.to, self.from_, self.options, self.as_json, begin_ahead)
        with text_workers(crew, work) as workers:
            yield workers

    def answers(
        self, chunks: Iterable[Chunk], translator: Translator, workers: "TextWorkers | None"
    ) -> Iterator[tuple[Chunk, ChunkAnswer]]:
        """Chunks with their answers, in order."""

        def ask(texts: list[str]) -> list[Translation]:
            return translator.translate(texts, self.to, self.from_, self.options)

        return workers.translate(chunks) if workers else one_by_one(chunks, ask, as_json=self.as_json)

    def chunks(self, reader: LineReader, translator: Translator) -> Iterable[Chunk]:
        if self.texts:
            return [chunk_of_texts(self.texts, strict=self.strict)]
        return reader.chunks(translator.engine.tokens_per_batch)


def is_special(path: Path | None) -> bool:
    """A pipe or a device: no other file may take its name."""
    return path is not None and path.exists() and not path.is_file() and not path.is_dir()
