r"""The YAML that Marian writes: settings and vocabularies, of which a few lines of Python read all that occurs.

    dim-emb: 512                "</s>": 0
    transformer-preprocess: ""  ▁the: 7
    dim-vocabs:                 "\"": 12
      - 65001                   ? "a long token"
      - 65001                   : 13

Every value is text: a library would make true of a token `yes` and 12 of a token `12`, and takes seconds for the 60,000
lines of a vocabulary. Whatever is none of this is a ValueError with the number of its line.
"""

import re
from collections.abc import Iterator
from typing import TypeVar

LONGEST_LINE, MOST_LINES = 100_000, 2_000_000
ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
ESCAPED = {
    "n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "v": "\v", "f": "\f", "e": "\x1b", '"': '"',
    "\\": "\\", "/": "/", " ": " ", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip

Settings = dict[str, str | list[str]]
Value = TypeVar("Value")


def read_settings(raw: bytes) -> Settings:
    """Keys with a value or a list of values."""
    found: Settings = {}
    last = ""
    for number, line in lines_of(raw):
        text = line.strip()
        if not text or text[0] == "#" or text in ("---", "..."):
            continue
        if text == "-" or text.startswith("- "):
            items = found.get(last)
            if not isinstance(items, list):
                raise ValueError(f"line {number} is an item of no list")
            items.append(unquoted(text[1:].strip(), number))
        elif line[0] in " \t":
            if found.get(last) != [] or not text.startswith("["):
                raise ValueError(f"line {number} is neither a key with a value nor an item of a list")
            found[last] = flow(text, number)
        else:
            key, colon, value = text.partition(":")
            if not colon or (value and value[0] not in " \t"):
                raise ValueError(f"line {number} is no key with a value")
            last, value = unquoted(key.strip(), number), value.strip()
            put(found, last, flow(value, number) if value[:1] in ("", "[") else unquoted(value, number), number)
    return found


def flow(text: str, number: int) -> list[str]:
    """[a, b]; a key with nothing behind it may have its items on the next lines."""
    if not text:
        return []
    if not text.endswith("]"):
        raise ValueError(f"line {number} has a list without an end")
    return [unquoted(item.strip(), number) for item in text[1:-1].split(",")] if text[1:-1].strip() else []


def read_vocabulary(raw: bytes) -> dict[str, int]:
    """Tokens and their ids. What stands before the last colon is the token."""
    found: dict[str, int] = {}
    waiting: str | None = None
    for number, line in lines_of(raw):
        if line.startswith("? ") and waiting is None:
            waiting = unquoted(line[2:].strip(" "), number)
            continue
        if not line or line == "---":
            continue
        token, colon, place = line.rpartition(":")
        if not colon or not re.fullmatch(r"\s*[0-9]{1,9}\s*", place) or (waiting is not None and token):
            raise ValueError(f"line {number} is no token with an id")
        put(found, unquoted(token.strip(" "), number) if waiting is None else waiting, int(place), number)
        waiting = None
    if waiting is not None:
        raise ValueError("its last token has no id")
    return found


def put(found: dict[str, Value], key: str, value: Value, number: int) -> None:
    if key in found:
        raise ValueError(f"line {number} has {key[:40]!r} for the second time")
    found[key] = value


def lines_of(raw: bytes) -> Iterator[tuple[int, str]]:
    """Cut at line feeds alone: other ends of lines are tokens."""
    lines = raw.decode("utf-8").removeprefix("\ufeff").split("\n")
    if len(lines) > MOST_LINES:
        raise ValueError(f"it has {len(lines):,} lines, expected at most {MOST_LINES:,}")
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            raise ValueError(f"line {number} has {len(line):,} characters")
        yield number, line.removesuffix("\r")


def unquoted(text: str, number: int) -> str:
    if text[:1] not in ("'", '"') or len(text) == 1:
        return text
    if text[-1] != text[0]:
        raise ValueError(f"line {number} has a quotation without an end")
    inside = text[1:-1]
    if text[0] == "'":
        return inside.replace("''", "'")
    return ESCAPE.sub(lambda match: character(match[1], number), inside)


def character(code: str, number: int) -> str:
    if len(code) > 1:
        place = int(code[1:], 16)
        if place > 0x10FFFF or 0xD800 <= place <= 0xDFFF:
            raise ValueError(f"line {number} has {place:#x}, which is no character")
        return chr(place)
    if code not in ESCAPED:
        raise ValueError(f"line {number} has an unknown sign \\{code}")
    return ESCAPED[code]
