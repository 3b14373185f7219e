"""Lines through a translator into an output: N in are N out, in order, in memory that does not grow."""

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from attendo.documents.line_reader import Chunk, LineReader
from attendo.translation.answer import Translation
from attendo.translation.ledger import Ledger, total

TOKENS = 4_000  # of a chunk; a GPU wants more
# What some programs take for the end of a line; JSON may spell it out, as it must what is below U+0020.
SPELLED_BREAKS = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"})

Ask = Callable[[list[str]], list[Translation]]


@dataclass(frozen=True)
class Account:
    """What has been done so far, this chunk included."""

    lines: int = 0
    read: str = hashlib.sha256().hexdigest()  # of the bytes that were translated
    seconds: float = 0.0
    ledger: Ledger = field(default_factory=Ledger)


class Output(Protocol):
    """Where the lines go."""

    @property
    def account(self) -> Account: ...
    @property
    def finished(self) -> bool: ...
    @property
    def remarks(self) -> Sequence[str]:
        """What the user should know before it begins."""

    @property
    def hint(self) -> str:
        """What the user should know when it is stopped."""

    def add(self, data: bytes, account: Account) -> None:
        """The lines of one chunk, and the account with them in it."""

    def finish(self) -> None: ...


class Watch(Protocol):
    """Who is told of what happens."""

    def say(self, sentence: str) -> None: ...

    def passed(self, lines: int, num_bytes: int) -> None:
        """So much was done by an earlier run."""

    def done(self, chunk: Chunk, answers: Sequence[Translation]) -> None: ...


class StreamOutput:
    """Lines for whoever reads on at the other end; each chunk is sent at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.account = Account()
        self.finished, self.remarks, self.hint = False, (), ""

    def add(self, data: bytes, account: Account) -> None:
        self.stream.write(data)
        self.stream.flush()
        self.account = account

    def finish(self) -> None:
        self.finished = True


def translate_lines(stream: BinaryIO, ask: Ask, tokens: int = TOKENS) -> Iterator[Translation]:
    """One answer for each line of a stream, as soon as its chunk is done."""
    for chunk in LineReader(stream, "the input").chunks(tokens):
        yield from ask(chunk.texts)


def translate_chunks(
    chunks: Iterable[Chunk],
    ask: Ask,
    output: Output,
    form: Callable[[Translation], str],
    watch: Watch,
) -> None:
    """Every chunk through the translator and into the output, in order."""
    for chunk in chunks:
        started = time.perf_counter()
        answers = ask(chunk.texts)
        if len(answers) != len(chunk.texts):
            raise RuntimeError(f"{len(chunk.texts)} lines were asked for and {len(answers)} came back")
        before = output.account
        account = Account(
            before.lines + len(chunk.texts),
            chunk.read,
            before.seconds + time.perf_counter() - started,
            before.ledger + total(answer.ledger for answer in answers),
        )
        lines = "\n".join(map(form, answers)) + "\n" * chunk.ended
        output.add(lines.encode("utf-8", errors="replace"), account)
        watch.done(chunk, answers)
    output.finish()


def plain_line(answer: Translation) -> str:
    """One line, also of a text that had several."""
    return re.sub("(?:\r?\n)+", " ", answer.text)


def json_line(answer: Translation) -> str:
    return spelled_out(json.dumps(answer.to_dict(), ensure_ascii=False))


def spelled_out(text: str) -> str:
    """JSON on one line, whatever a program takes for the end of a line."""
    return text.translate(SPELLED_BREAKS)
