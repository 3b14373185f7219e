"""A document of any format: the texts in it that can be translated, and the bytes that stand for them.

A format's *finder* reads the bytes and makes a Document: its segments, and for each of them which bytes change when it
is translated. One writer for all formats, `replace_spans`, puts new bytes in place of exactly these, so whatever
nobody understood stays as it is.

    1                                          Segment("Good <i>morning</i>.", span 34-54, kind "cue", place "cue 1")
    00:00:01,000 --> 00:00:02,000        ->
    Good <i>morning</i>.                       changes(0, "Guten <i>Morgen</i>.", …) -> bytes 34-54 are b"Guten …"

The law: the texts of a document put back as they are give the same bytes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from attendo.errors import DataError
from attendo.translation.markup.rules import MarkupRules

BilingualMode = Literal["none", "under", "over"]


class ByteSpan(NamedTuple):
    """Bytes of a part of a document. A file that is no archive has one part, whose name is empty."""

    part: str
    start: int
    end: int


class Change(NamedTuple):
    """New bytes for a span. A span without length is a place where something is put in."""

    span: ByteSpan
    data: bytes


class AroundChange(NamedTuple):
    """What a document says of its language beside its texts, made true: a header, an attribute. It is reported."""

    change: Change
    place: str  # for people: header
    what: str  # Language: de


@dataclass(frozen=True)
class DocumentSegment:
    """A unit of meaning: a paragraph, a message, a sentence that runs over several cues."""

    text: str  # what the translator gets
    spans: tuple[ByteSpan, ...]  # all bytes that may change
    kind: str  # paragraph, cue, message, value, title, attribute …
    place: str  # for people: cue 12, line 40, paragraph 3 of word/document.xml
    rules: MarkupRules | None = None  # of the inline markup in the text; None: it is plain
    kept: str = ""  # why it stays as it is, in words: already translated
    standing: str | None = None  # what stands in the spans, where that is another text: the msgstr of a message


@dataclass(frozen=True)
class Writing:
    """Into which language a document is written, and whether what it said before stays beside it."""

    to: str
    source: str
    bilingual: BilingualMode = "none"


@dataclass(frozen=True)
class Document:
    """What a finder found. A format is a subclass with `changes`, and what else it has to say."""

    data: bytes
    segments: Sequence[DocumentSegment] = field(default=())

    can_be_bilingual = False

    def changes(self, index: int, answer: str, writing: Writing) -> Sequence[Change]:
        """The bytes for segment `index` with this text; with the segment's own text, those that stand there."""
        raise NotImplementedError

    def aimed(self, writing: Writing) -> "Document":
        """The document once it is known what it is written for: what is there in that language already is kept."""
        return self

    def around(self, writing: Writing) -> Sequence[AroundChange]:
        """What else is true of the document once it is in another language."""
        return ()

    def problem(self, index: int, answer: str) -> str:
        """Why this text must not stand for the segment, in words; empty if it may. Then the segment stays as it is."""
        return ""

    def written(self, changes: Iterable[Change]) -> bytes:
        """The file with these changes."""
        return replace_spans(self.data, changes)


def replace_spans(data: bytes, changes: Iterable[Change]) -> bytes:
    """The bytes with some of them replaced. Changes at one place stay in the order in which they come.

    >>> replace_spans(b"one two", [Change(ByteSpan("", 4, 7), b"three")])
    b'one three'
    """
    pieces: list[bytes] = []
    at = 0
    for (_, start, end), new in sorted(changes, key=lambda change: change.span[1:]):
        if not at <= start <= end <= len(data):
            raise RuntimeError(f"bytes {start}-{end} of {len(data)} were to change, after all up to {at}")
        pieces += [data[at:start], new]
        at = end
    return b"".join([*pieces, data[at:]])


def replace_in_parts(parts: Mapping[str, bytes], changes: Iterable[Change]) -> dict[str, bytes]:
    """The parts of a document that change, and nothing of the others."""
    by_part: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        by_part[change.span.part].append(change)
    return {name: replace_spans(parts[name], found) for name, found in by_part.items()}


def utf8(data: bytes, name: str) -> str:
    """The text of a file, a byte order mark included; anything but UTF-8 is an error."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{name}, line {line} is not UTF-8: expected UTF-8 (iconv -t UTF-8 makes it)") from error


class Offsets:
    """From positions in a text to those of its bytes in UTF-8, asked in any order."""

    STEP = 1_024  # one number is kept for as many characters

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = [0]
        if not text.isascii():
            for start in range(0, len(text), self.STEP):
                self.at.append(self.at[-1] + len(text[start : start + self.STEP].encode()))

    def __getitem__(self, position: int) -> int:
        if len(self.at) == 1:  # ASCII
            return position
        step = position // self.STEP
        return self.at[step] + len(self.text[step * self.STEP : position].encode())

    def span(self, start: int, end: int, part: str = "") -> ByteSpan:
        return ByteSpan(part, self[start], self[end])
