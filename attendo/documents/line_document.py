"""Lines of text as a document: each line that has something to say is a segment, all else stays.

    Good morning.            Segment("Good morning.", span 0-13, kind "line", place "line 1")
      ----              ->   nothing to translate: kept
      See you.               Segment("See you.", without the spaces around it)

`attendo translate` reads lines as a stream, however many there are; who has a whole file at hand takes this.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from attendo.documents.document import Change, Document, DocumentSegment, Offsets, Writing, utf8
from attendo.errors import DataError

LINE = re.compile(r"[^\r\n]+")
BREAKS = re.compile(r"[\r\n]+")
SPACES = " \t\ufeff\u3000"


@dataclass(frozen=True)
class LineDocument(Document):
    def changes(self, index: int, answer: str, writing: Writing) -> Sequence[Change]:
        """A line stays one line."""
        return [Change(self.segments[index].spans[0], BREAKS.sub(" ", answer).encode())]


def find_lines(data: bytes, name: str) -> LineDocument:
    text = utf8(data, name)
    if "\0" in text:
        raise DataError(f"{name} has zero bytes: expected text")
    offsets, segments, number, before = Offsets(text), [], 1, 0
    for found in LINE.finditer(text):
        number += line_ends(text, before, found.start())
        before = found.start()
        said = found[0].strip(SPACES)
        if said:
            start = found.start() + len(found[0]) - len(found[0].lstrip(SPACES))
            segments.append(DocumentSegment(said, (offsets.span(start, start + len(said)),), "line", f"line {number}"))
    return LineDocument(data, segments)


def line_ends(text: str, start: int, end: int) -> int:
    r"""How many lines end there; \r\n is one end."""
    return text.count("\n", start, end) + text.count("\r", start, end) - text.count("\r\n", start, end)
