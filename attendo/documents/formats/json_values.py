r"""Values of JSON and ARB files: strings that people read are translated, and written as the file writes its strings.

    {"greeting": "Gr\u00fc\u00df dich, {name}!", "@greeting": {"description": "stays"}}

In an ARB file, what begins with @ describes a text and stays; @@locale says the language, and is set.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from attendo.documents.document import AroundChange, Change, DocumentSegment, Offsets, Writing, utf8
from attendo.documents.formats.html import LineNumbers
from attendo.documents.formats.spellings import Spelt, read_spelt
from attendo.documents.formats.values import ValuesDocument, left_value, value_segment
from attendo.errors import DataError

LARGEST = 50_000_000  # characters
DEEPEST = 200
TOKEN = re.compile(r'"((?:[^"\\\x00-\x1f]++|\\.)*+)"|[{}\[\]:,]|[^\s"{}\[\]:,]++')
ESCAPES = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
NAMED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
ESCAPED_LETTER = re.compile(r"\\u(?!00[0-7])([0-9a-fA-F]{4})")
LOCALE = "@@locale"
HALF = "it has one half of a pair of surrogates, which is no character"


class JsonString(NamedTuple):
    """A value that is a string, without its quotes, and the keys that lead to it."""

    path: Sequence[str]
    start: int
    end: int


@dataclass(frozen=True)
class JsonValues(ValuesDocument):
    text: str = ""
    strings: Sequence[tuple[JsonString, Spelt]] = ()  # one for each segment
    locale: JsonString | None = None
    ascii_only: bool = False  # letters beyond ASCII are written \u00fc
    capitals: bool = False  # \u00FC
    offsets: Offsets = field(default_factory=lambda: Offsets(""))

    def changes(self, index: int, answer: str, writing: Writing) -> list[Change]:
        string, spelt = self.strings[index]
        new = spelt.write(self.said(index, answer), self.escaped)
        return [Change(self.offsets.span(string.start, string.end), new.encode())]

    def escaped(self, sign: str) -> str:
        if sign in SHORT:
            return SHORT[sign]
        if sign >= " " and (sign < "\x7f" or not self.ascii_only) and not "\ud800" <= sign <= "\udfff":
            return sign
        code = sign.encode("utf-16-be", "surrogatepass").hex()
        code = code.upper() if self.capitals else code
        return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))

    def around(self, writing: Writing) -> list[AroundChange]:
        if self.locale is None:
            return []
        span = self.offsets.span(self.locale.start, self.locale.end)
        line = self.text.count("\n", 0, self.locale.start) + 1
        return [
            AroundChange(Change(span, writing.to.replace("-", "_").encode()), f"line {line}", f"{LOCALE}: {writing.to}")
        ]


def find_json(data: bytes, name: str) -> JsonValues:
    text = utf8(data, name)
    check_json(text, name)
    offsets, lines = Offsets(text), LineNumbers(text)
    found = list(string_values(text))
    locale = next((one for one in found if list(one.path) == [LOCALE]), None)
    arb = locale is not None or name.lower().endswith(".arb")
    segments: list[DocumentSegment] = []
    strings: list[tuple[JsonString, Spelt]] = []
    for string in found:
        if arb and string.path and string.path[0].startswith("@"):
            continue
        raw, line = text[string.start : string.end], lines[string.start]
        spelt = read_spelt(raw, ESCAPES, decoded)
        if spelt is None:
            segment = left_value(raw, string.path, line, HALF)
        else:
            segment = value_segment(spelt.text, string.path, line, [(string.start, string.end)], offsets)
        if segment:
            segments.append(segment)
            strings.append((string, spelt or Spelt("", {})))
    letters = ESCAPED_LETTER.findall(text)
    return JsonValues(
        data=data, segments=segments, sources=[spelt.text for _, spelt in strings], text=text, strings=strings,
        locale=locale if arb else None,
        ascii_only=bool(letters) and text.removeprefix("\ufeff").isascii(),
        capitals=any(re.search("[A-F]", one) for one in letters), offsets=offsets,
    )  # fmt: skip


def check_json(text: str, name: str) -> None:
    if name.lower().endswith(".ipynb"):
        raise DataError(f"{name} is a notebook, most of it code: expected texts (its Markdown cells in a .md file)")
    if len(text) > LARGEST:
        raise DataError(f"{name} has {len(text):,} characters: expected at most {LARGEST:,} of JSON")
    depth = 0
    for found in re.finditer(r'"(?:[^"\\]++|\\.)*+"|[{\[]|[}\]]', text):
        sign = found.group()
        depth += (sign in "{[") - (sign in "}]")
        if depth > DEEPEST:
            raise DataError(f"{name} is nested deeper than {DEEPEST}: expected a file that people can read")
    try:
        json.loads(text.removeprefix("\ufeff"), parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        raise DataError(f"{name}, line {error.lineno} is no JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name} is no JSON that can be read") from error


def string_values(text: str) -> Iterator[JsonString]:
    """Of a text that is JSON."""
    path: list[str] = []  # a key, or a place in a list, for each level
    lists: list[bool] = []
    key_comes = False
    for found in TOKEN.finditer(text):
        sign = found.group()
        match sign[0]:
            case "{" | "[":
                lists.append(sign == "[")
                path.append("0" if sign == "[" else "")
                key_comes = sign == "{"
            case "}" | "]":
                lists.pop()
                path.pop()
                key_comes = False
            case ",":
                if lists[-1]:
                    path[-1] = str(int(path[-1]) + 1)
                key_comes = not lists[-1]
            case ":":
                key_comes = False
            case '"':
                if key_comes:
                    path[-1] = found[1]
                else:
                    yield JsonString(tuple(path), *found.span(1))


def decoded(found: re.Match[str]) -> str | None:
    escape = found.group()
    if escape[1] != "u":
        return NAMED.get(escape[1])
    units = bytes.fromhex(escape.replace("\\u", ""))
    try:
        return units.decode("utf-16-be")
    except UnicodeDecodeError:
        return None
