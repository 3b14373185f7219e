"""The entries of a gettext catalogue (.po, .pot), with the place of everything in them.

    #, c-format                   flags
    msgctxt "menu"
    msgid "%d file"               a field: keyword, value, and where its strings stand
    msgid_plural "%d files"
    msgstr[0] ""                  a value may be written in several strings
    msgstr[1] ""

What begins with #~ is obsolete, and what begins with #| was the text before: both are comments to us.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from attendo.errors import DataError

LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
KEYWORD = re.compile(r'[ \t]*(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d{1,2})\])?[ \t]*(?=")')
STRING = re.compile(r'[ \t]*("(?:[^"\\]|\\.)*+")[ \t]*')
ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "v": "\v", "f": "\f"}
WRITTEN = {"\\": "\\\\", '"': '\\"', **{sign: f"\\{name}" for name, sign in NAMED.items()}}
FLAGS = re.compile(r"#,")


class PoField(NamedTuple):
    keyword: str  # msgctxt, msgid, msgid_plural, msgstr
    form: int | None  # of msgstr[1]
    value: str
    line_start: int  # positions of characters in the file
    start: int  # of its first quote
    end: int  # after its last quote


@dataclass
class PoEntry:
    line: int  # of its msgid, as people count
    start: int  # where its first keyword stands
    fields: list[PoField] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    flags_at: int | None = None  # after the #, of its flags
    previous_at: int | None = None  # where #| stands, if it does

    def value(self, keyword: str) -> str | None:
        return next((one.value for one in self.fields if one.keyword == keyword), None)

    @property
    def translations(self) -> list[PoField]:
        return [one for one in self.fields if one.keyword == "msgstr"]


def read_entries(text: str, name: str) -> Iterator[PoEntry]:
    """In their order; a line that is none of a catalogue is an error that names it."""
    entry: PoEntry | None = None
    waiting = PoEntry(0, 0)  # what comments say of the entry that follows
    for number, (start, line) in enumerate(lines_of(text), start=1):
        bare = line.removeprefix("\ufeff") if start == 0 else line
        start += len(line) - len(bare)
        stripped = bare.strip()
        if not stripped:
            continue
        if stripped.startswith("#"):
            if entry and entry.translations:
                yield entry
                entry = None
            note(waiting, bare, start)
            if stripped.startswith("#~"):
                waiting = PoEntry(0, 0)
            continue
        keyword = KEYWORD.match(bare)
        if keyword and (keyword[1] == "msgctxt" or keyword[1] == "msgid") and entry and entry.translations:
            yield entry
            entry = None
        if keyword and entry is None:
            entry, waiting = waiting, PoEntry(0, 0)
            entry.line, entry.start = number, start
        string = STRING.fullmatch(bare, keyword.end() if keyword else 0)
        if string is None or entry is None or (keyword is None and not entry.fields):
            raise DataError(f"{name}, line {number} is no line of a gettext catalogue: {stripped[:60]!r}")
        value, (begin, end) = decoded_po(string[1][1:-1]), string.span(1)
        if keyword:
            form = int(keyword[2]) if keyword[2] else None
            entry.fields.append(PoField(keyword[1], form, value, start, start + begin, start + end))
            entry.line = number if keyword[1] == "msgid" else entry.line
        else:
            last = entry.fields[-1]
            entry.fields[-1] = last._replace(value=last.value + value, end=start + end)
    if entry and entry.fields:
        yield entry


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    while at < len(text):
        found = LINE.match(text, at)
        assert found  # noqa: S101 - it matches anything
        yield at, found[1]
        at = found.end()


def note(waiting: PoEntry, line: str, start: int) -> None:
    """What a comment says to programs."""
    indent = len(line) - len(line.lstrip())
    if FLAGS.match(line, indent):
        waiting.flags += [flag.strip() for flag in line[indent + 2 :].split(",")]
        waiting.flags_at = start + indent + 2
    elif line.startswith("#|", indent) and waiting.previous_at is None:
        waiting.previous_at = start


def decoded_po(raw: str) -> str:
    r"""The inside of a string as it is meant.

    >>> decoded_po(r"a \"b\"\n")
    'a "b"\n'
    """

    def read(found: re.Match[str]) -> str:
        octal, hexadecimal, sign = found.groups()
        if sign is None:
            return chr(int(octal, 8) if octal else int(hexadecimal, 16))
        return NAMED.get(sign, sign)

    return ESCAPE.sub(read, raw) if "\\" in raw else raw


def encoded_po(value: str, line_break: str) -> str:
    r"""A value as strings: one line, or one a line of text after an empty one, as msgmerge writes it.

    >>> encoded_po('say "yes"', "\n")
    '"say \\"yes\\""'
    """

    def written(text: str) -> str:
        return '"' + "".join(WRITTEN.get(sign, sign) for sign in text) + '"'

    parts = re.findall(r"[^\n]*\n|[^\n]+", value)
    return line_break.join(['""', *map(written, parts)]) if len(parts) > 1 else written(value)
