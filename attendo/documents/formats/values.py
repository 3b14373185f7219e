"""What JSON and YAML files have in common: which of their strings are texts, and what a translation must keep.

    {"title": "Hello, {name}!", "type": "button", "url": "https://example.org", "n": "{n, plural, one {# file} …}"}
     a text                     kept by its key   kept: no prose (prose.py)     the texts in it, each on its own

Keys are never translated. A value is left where a program reads it: what is no prose, and one small word under a key
such as type, id or class; "Type" and "e-mail address" under the same keys are texts.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from attendo.documents.document import Document, DocumentSegment, Offsets
from attendo.documents.formats.po import RULES
from attendo.documents.formats.po_formats import difference, placeholder_problem
from attendo.documents.prose import is_prose
from attendo.text.verbatim import message_parts
from attendo.translation.markup.rules import names

FOR_PROGRAMS = names(
    "class classname code color colour encoding event format guid hash icon id key kind lang language layout level"
    " locale method mime mimetype mode namespace operator platform position ref role rule scope selector size slug"
    " sort state status style tag tags theme type unit uuid variant version"
)
LOWER_WORD = re.compile(r"[a-z][a-z0-9-]*")
ELEMENT = re.compile(r"</[A-Za-z][^<>]{0,100}>|<[A-Za-z][^<>]{0,200}/>")
FRAME_TAG = re.compile(r'<message-part n="(\d{1,4})"/>')
MESSAGE_RULES = replace(RULES, borders=RULES.borders | {"message-part"})
LONGEST_PATH = 80  # characters of a place


@dataclass(frozen=True)
class ValuesDocument(Document):
    """A file of keys and values."""

    sources: Sequence[str] = ()  # the text of each segment as the file means it

    def said(self, index: int, answer: str) -> str:
        """An answer with the frame of its message."""
        parts = message_frame(self.sources[index])[0]
        return FRAME_TAG.sub(lambda tag: parts[int(tag[1])] if int(tag[1]) < len(parts) else tag.group(), answer)

    def problem(self, index: int, answer: str) -> str:
        return values_problem(self.sources[index], self.said(index, answer))


def with_borders(text: str) -> str:
    """A message whose frame is a border, so that each of its texts is translated on its own.

    {n, plural, one {# file} other {# files}}  ->  <message-part n="0"/># file<message-part n="1"/># files<…/>
    """
    spans = message_parts(text)
    if not spans or FRAME_TAG.search(text):
        return text
    pieces, at = [], 0
    for number, (start, end) in enumerate(spans):
        pieces += [text[at:start], f'<message-part n="{number}"/>']
        at = end
    return "".join([*pieces, text[at:]])


def values_problem(source: str, answer: str) -> str:
    """Placeholders once each, and the frame of a message with plurals as it was."""
    before, after = message_frame(source), message_frame(answer)
    if before[0] != after[0]:
        return "the frame of its plurals or choices did not come back"
    if before[0]:
        return difference(placeholders(before[1]), placeholders(after[1]))
    if source.count("\n") != answer.count("\n"):
        return "its lines did not come back"
    return placeholder_problem(source, answer)


def placeholders(text: str) -> list[str]:
    return re.findall(r"\{[^{}\s]{0,60}\}", text)


def message_frame(text: str) -> tuple[list[str], str]:
    """The frame of its ICU messages, and its texts without it."""
    parts, texts, at = [], [], 0
    for start, end in message_parts(text):
        parts.append(text[start:end])
        texts.append(text[at:start])
        at = end
    return parts, "\0".join([*texts, text[at:]])


def value_segment(
    text: str, path: Sequence[str], line: int, spans: Sequence[tuple[int, int]], offsets: Offsets
) -> DocumentSegment | None:
    """None for what is no text of a language."""
    if not is_prose(text):
        return None
    key = next((name for name in reversed(path) if not name.isdigit()), "")
    kept = key.lower() in FOR_PROGRAMS and LOWER_WORD.fullmatch(text)
    coded = with_borders(text)
    return DocumentSegment(
        text=coded,
        spans=tuple(offsets.span(*span) for span in spans),
        kind="value",
        place=value_place(path, line),
        rules=MESSAGE_RULES if coded != text else RULES if ELEMENT.search(text) else None,
        kept="a word for programs, by its key" if kept else "",
    )


def left_value(raw: str, path: Sequence[str], line: int, why: str) -> DocumentSegment | None:
    """One that stays because we do not write it, and is named; None for what is no text of a language."""
    return DocumentSegment("", (), "value", value_place(path, line), kept=why) if is_prose(raw) else None


def value_place(path: Sequence[str], line: int) -> str:
    where = ".".join(path)
    short = where if len(where) <= LONGEST_PATH else where[: LONGEST_PATH - 1] + "…"
    return f"line {line}, {short}".replace("\n", " ")
