"""Lines through a translator into an output: N in are N out, in order, in memory that does not grow."""

import gc
import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO, Literal, Protocol

from attendo.decoding.hypothesis import Hypothesis
from attendo.documents.line_reader import Chunk, LineReader
from attendo.errors import DataError
from attendo.translation.answer import Ledger, Translation, total
from attendo.translation.translator import Translator

Ask = Callable[[list[str]], list[Translation]]
NumberedWarning = tuple[int, str]  # the number of a line, and what deserves a look there
ProgressUnit = Literal["lines", "segments"]


@dataclass(frozen=True)
class Account:
    """What has been done so far, this chunk included."""

    lines: int = 0
    read: str = hashlib.sha256().hexdigest()  # of the bytes that were translated
    seconds: float = 0.0
    ledger: Ledger = field(default_factory=Ledger)


@dataclass(frozen=True)
class ChunkAnswer:
    """The lines of a chunk in the target language, and what is to be said of them."""

    data: bytes
    ledger: Ledger
    warnings: tuple[NumberedWarning, ...]
    seconds: float


class Output(Protocol):
    """Where the lines go."""

    @property
    def account(self) -> Account: ...
    @property
    def finished(self) -> bool: ...
    @property
    def hint(self) -> str:
        """What the user should know when it is stopped."""

    def add(self, data: bytes, account: Account) -> None:
        """The lines of one chunk, and the account with them in it."""

    def finish(self) -> None: ...


class TranslationListener(Protocol):
    """Gets how far a translation is."""

    def passed(self, lines: int, num_bytes: int, counted: ProgressUnit = "lines") -> None:
        """So much was done by an earlier run; `counted` is what is translated, one by one."""

    def done(self, chunk: Chunk, warnings: Sequence[NumberedWarning]) -> None: ...


class StreamOutput:
    """Lines for whoever reads on at the other end; each chunk is sent at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.account = Account()
        self.finished, self.hint = False, ""

    def add(self, data: bytes, account: Account) -> None:
        self.stream.write(data)
        self.stream.flush()
        self.account = account

    def finish(self) -> None:
        self.finished = True


def one_by_one(chunks: Iterable[Chunk], ask: Ask, *, as_json: bool = False) -> Iterator[tuple[Chunk, ChunkAnswer]]:
    """Each when it is wanted, by the translator of this process."""
    for chunk in chunks:
        yield chunk, answer_chunk(chunk, ask, as_json=as_json)


def answer_chunk(chunk: Chunk, ask: Ask, *, as_json: bool = False) -> ChunkAnswer:
    with collector_resting():
        return answer_at_once(chunk, ask, as_json=as_json)


def answer_at_once(chunk: Chunk, ask: Ask, *, as_json: bool) -> ChunkAnswer:
    started = time.perf_counter()
    answers = ask(chunk.texts)
    if len(answers) != len(chunk.texts):
        raise RuntimeError(f"{len(chunk.texts)} lines were asked for and {len(answers)} came back")
    lines = "\n".join(answer.to_line(as_json=as_json) for answer in answers) + "\n" * chunk.ended
    return ChunkAnswer(
        lines.encode("utf-8", errors="replace"),
        total(answer.ledger for answer in answers),
        warnings_of(answers, chunk.first),
        time.perf_counter() - started,
    )


@contextmanager
def collector_resting() -> Iterator[None]:
    """Python's search for cycles looks at all objects again and again while many are made, for a fifth of the time.
    Those of a chunk are few enough to wait, and go by themselves: hardly any of them is in a cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def warnings_of(answers: Iterable[Translation], first: int = 1) -> tuple[NumberedWarning, ...]:
    """Those of lines that are counted from `first`."""
    return tuple((number, warning) for number, one in enumerate(answers, start=first) for warning in one.warnings)


def translate_chunks(
    answered: Iterable[tuple[Chunk, ChunkAnswer]], output: Output, listener: TranslationListener
) -> None:
    """Every chunk with its answer into the output, in order."""
    for chunk, answer in answered:
        before = output.account
        account = Account(
            before.lines + len(chunk.texts),
            chunk.read,
            before.seconds + answer.seconds,
            before.ledger + answer.ledger,
        )
        output.add(answer.data, account)
        listener.done(chunk, answer.warnings)
    output.finish()


def score_lines(stream: BinaryIO, name: str, translator: Translator, to: str | None = None) -> Iterator[Hypothesis]:
    """One answer for each line `source<TAB>target`; a line that is none is an error that names it."""
    translator.score([], to)  # a wrong language is an error even where there is no line
    for chunk in LineReader(stream, name, strict=True).chunks(translator.engine.tokens_per_batch):
        pairs = [columns(text, f"{name}, line {n}") for n, text in enumerate(chunk.texts, start=chunk.first)]
        yield from translator.score(pairs, to, name=f"{name}, line", first=chunk.first)


def columns(text: str, where: str) -> tuple[str, str]:
    found = text.split("\t")
    if len(found) != 2:
        raise DataError(f"{where} has {len(found)} columns: expected source<TAB>target")
    return found[0], found[1]
