"""Values of YAML files: strings that people read, in the style they have; comments, anchors and keys stay.

    # kept                                   "Hello, %{name}!"
    hello: "Hello, %{name}!"                 "Two lines
    text: |                                   of text"
      Two lines
      of text

PyYAML reads the file as a stream of events that say where each scalar is; nothing is built from it, and an alias is
never followed, so a file that would grow without end does not.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from attendo.documents.document import Change, DocumentSegment, Offsets, Writing, utf8
from attendo.documents.formats.values import ValuesDocument, left_value, value_segment
from attendo.documents.formats.yaml_scalars import BREAK, OTHER, Scalar, folded, read_scalar, write_scalar
from attendo.errors import DataError

LARGEST = 3_000_000  # characters
DEEPEST = 100
PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
BLANK_INSIDE = re.compile(r"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)")
BLOCK_LINE = re.compile(r"([ \t]*)([^\r\n]*?)([ \t]*)(?:\r\n|\n|\r|\Z)")
PARTED = "it has blank lines, or a backslash at the end of a line"
ODD_ESCAPE = "it has an escape that stands for no character"
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class YamlString(NamedTuple):
    path: Sequence[str]
    start: int
    end: int
    style: str  # empty: plain. ' " | >
    in_flow: bool
    line: int


class YamlText(NamedTuple):
    """What is written back, and how: a scalar of its own, or the lines of a block."""

    string: YamlString
    scalar: Scalar | None
    pieces: Sequence[tuple[int, int]]  # each becomes a line of the answer; none: it is left, and why is said
    why_left: str = ""


@dataclass(frozen=True)
class YamlValues(ValuesDocument):
    text: str = ""
    texts: Sequence[YamlText] = ()  # one for each segment
    offsets: Offsets = field(default_factory=lambda: Offsets(""))

    def changes(self, index: int, answer: str, writing: Writing) -> list[Change]:
        string, scalar, pieces, _ = self.texts[index]
        answer = self.said(index, answer)
        if scalar:
            lines = [write_scalar(scalar, answer, in_flow=string.in_flow)]
        else:
            lines = [line.strip() for line in answer.split("\n")]
        return [
            Change(self.offsets.span(start, end), folded(line, self.text[start:end]).encode())
            for (start, end), line in zip(pieces, lines, strict=True)
        ]

    def problem(self, index: int, answer: str) -> str:
        if UNPRINTABLE.search(answer):
            return "it has a sign that YAML does not allow"
        if self.texts[index].scalar is None and any(not line.strip() for line in answer.split("\n")):
            return "its lines did not come back"
        return super().problem(index, answer)


def find_yaml(data: bytes, name: str) -> YamlValues:
    text = utf8(data, name)
    if len(text) > LARGEST:
        raise DataError(f"{name} has {len(text):,} characters: expected at most {LARGEST:,} of YAML")
    offsets = Offsets(text)
    segments: list[DocumentSegment] = []
    texts: list[YamlText] = []
    sources: list[str] = []
    for string in string_values(text, name):
        found = block_text(text, string) if string.style in "|>" and string.style else scalar_text(text, string)
        if found is None:
            continue
        said, one = found
        if one.why_left:
            segment = left_value(said, string.path, string.line, one.why_left)
        else:
            segment = value_segment(said, string.path, string.line, one.pieces, offsets)
        if segment:
            segments.append(segment)
            texts.append(one)
            sources.append(said)
    return YamlValues(data=data, segments=segments, sources=sources, text=text, texts=texts, offsets=offsets)


def scalar_text(text: str, string: YamlString) -> tuple[str, YamlText] | None:
    raw = text[string.start : string.end]
    if BLANK_INSIDE.search(raw) or re.search(r"\\[\r\n]", raw):
        return raw, YamlText(string, None, [], PARTED)
    scalar = read_scalar(BREAK.sub(" ", raw))
    if scalar is None:
        return raw, YamlText(string, None, [], ODD_ESCAPE)
    if not scalar.quote and OTHER.fullmatch(scalar.spelt.text):
        return None
    return scalar.spelt.text, YamlText(string, scalar, [(string.start, string.end)])


def block_text(text: str, string: YamlString) -> tuple[str, YamlText] | None:
    """The lines of a block; those of a paragraph of > belong together."""
    first = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)").match(text, string.start)
    pieces: list[tuple[int, int]] = []
    indent = ""
    joins = False
    at = first.end() if first else string.end
    while at < string.end and (line := BLOCK_LINE.match(text, at, string.end)) and line.end() > at:
        start, end = line.span(2)
        if start < end:
            goes_on = joins and string.style == ">" and line[1] == indent
            if goes_on:
                pieces[-1] = (pieces[-1][0], end)
            else:
                pieces.append((start, end))
            indent = line[1]
        joins = start < end
        at = line.end()
    if not pieces:
        return None
    said = "\n".join(BREAK.sub(" ", text[start:end]) for start, end in pieces)
    return said, YamlText(string, None, pieces)


def string_values(text: str, name: str) -> Iterator[YamlString]:
    """Scalars that are values, with the keys that lead to them."""
    levels: list[list[Any]] = []  # of each open collection: whether it is a mapping, the key, whether a key comes, flow
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            starts = isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent))
            if isinstance(event, yaml.CollectionEndEvent):
                levels.pop()
                after_value(levels)
            elif starts:
                levels.append([isinstance(event, yaml.MappingStartEvent), "", True, bool(event.flow_style)])
                if len(levels) > DEEPEST:
                    raise DataError(f"{name} is nested deeper than {DEEPEST}: expected a file that people can read")
            elif isinstance(event, yaml.AliasEvent):
                after_value(levels)
            elif isinstance(event, yaml.ScalarEvent):
                is_key = bool(levels) and levels[-1][0] and levels[-1][2]
                if not is_key and is_string(event):
                    yield place_of(text, event, levels)
                if is_key:
                    levels[-1][1] = event.value[:100]
                after_value(levels)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        why = getattr(error, "problem", None) or "it has a sign that YAML does not allow"
        raise DataError(f"{name}{where} is no YAML: {' '.join(str(why).split())[:100]}") from error
    except (RecursionError, ValueError) as error:
        raise DataError(f"{name} is no YAML that can be read") from error


def after_value(levels: list[list[Any]]) -> None:
    """A key is followed by a value, a value by a key; in a list, by the next."""
    if not levels:
        return
    level = levels[-1]
    if level[0]:
        level[2] = not level[2]
    else:
        level[1] = str(int(level[1] or "0") + 1)


def is_string(event: Any) -> bool:
    """As far as its tag tells."""
    return event.tag in (None, "!", "tag:yaml.org,2002:str")


def place_of(text: str, event: Any, levels: Sequence[Sequence[Any]]) -> YamlString:
    properties = PROPERTIES.match(text, event.start_mark.index) if event.anchor or event.tag else None
    start = properties.end() if properties else event.start_mark.index
    path = tuple(str(level[1] or "0") for level in levels)
    in_flow = any(level[3] for level in levels)
    return YamlString(path, start, event.end_mark.index, event.style or "", in_flow, event.start_mark.line + 1)
