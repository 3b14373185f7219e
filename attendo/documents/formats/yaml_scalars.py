r"""Strings of YAML, in the style that they have: plain, 'single', "double".

title: Don't panic     ->  title: Keine Panik          plain stays plain,
title: Don't panic     ->  title: "Achtung: Panik"     unless the new text would mean something else
title: 'Don''t panic'  ->  title: 'Don''t …'
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from attendo.documents.formats.spellings import Spelt, read_spelt

ESCAPES = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
NAMED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
DOUBLED = re.compile("''")
BEGINS = re.compile(r"[-?:](?:\s|\Z)|[\s,\[\]{}#&*!|>'\"%@`]|---|\.\.\.")
# Line breaks of any kind, and what YAML does not print, can stand in double quotes alone.
ODD = r"[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
INSIDE = re.compile(rf":(?:\s|\Z)|\s#|\s\Z|{ODD}")
INSIDE_SINGLE = re.compile(ODD)
IN_FLOW = re.compile(r"[,\[\]{}:?]")
# What is not a string, if it is written without quotes.
OTHER = re.compile(
    r"(?i:y|n|yes|no|on|off|true|false|null|~|<<|=|\.nan|[-+]?\.inf)|[-+]?[\d.][\d_.,:eExXoOa-fA-F+-]*"
    r"|\d{4}-\d\d?-\d\d?.*"
)  # fmt: skip


BREAK = re.compile(r"[ \t]*(?:\r\n|\n|\r)[ \t]*")


class Scalar(NamedTuple):
    quote: str  # empty: plain
    spelt: Spelt


def read_scalar(raw: str) -> Scalar | None:
    """One that is on one line; None if it cannot be read."""
    if raw[:1] == '"':
        if len(raw) < 2 or raw[-1] != '"':
            return None
        spelt = read_spelt(raw[1:-1], ESCAPES, decoded)
        return Scalar('"', spelt) if spelt else None
    if raw[:1] == "'":
        if len(raw) < 2 or raw[-1] != "'":
            return None
        spelt = read_spelt(raw[1:-1], DOUBLED, lambda _: "'")
        return Scalar("'", spelt) if spelt else None
    return Scalar("", Spelt(raw, {}))


def write_scalar(scalar: Scalar, text: str, *, in_flow: bool = False) -> str:
    if scalar.quote == "'" and not INSIDE_SINGLE.search(text):
        return "'" + scalar.spelt.write(text, lambda sign: "''" if sign == "'" else sign) + "'"
    if not scalar.quote and is_plain(text, in_flow=in_flow, like=scalar.spelt.text):
        return text
    spelt = scalar.spelt if scalar.quote == '"' else Spelt("", {})
    return '"' + spelt.write(text, escaped) + '"'


def is_plain(text: str, *, in_flow: bool, like: str = "") -> bool:
    """Whether it can stand without quotes and be the same string, in the place of another that does.

    It may begin as that one does: --- means something at the edge of a line, and nothing after an anchor."""
    begins = BEGINS.match(text)
    if not text or (begins and not like.startswith(begins.group())) or INSIDE.search(text) or OTHER.fullmatch(text):
        return False
    return not (in_flow and IN_FLOW.search(text))


def decoded(found: re.Match[str]) -> str | None:
    escape = found.group()[1:]
    if len(escape) == 1:
        return NAMED.get(escape)
    number = int(escape[1:], 16)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else None


def escaped(sign: str) -> str:
    """In double quotes."""
    if sign in '"\\':
        return "\\" + sign
    if sign == "\n":
        return "\\n"
    if sign == "\t":
        return "\\t"
    return (
        sign
        if sign.isprintable() or sign == "\xa0"
        else f"\\u{ord(sign):04x}"
        if ord(sign) < 65536
        else f"\\U{ord(sign):08x}"
    )


def folded(new: str, old: str) -> str:
    """In lines as the old text has them: at the same words if there are as many, else about as wide."""
    breaks = [found.group() for found in BREAK.finditer(old)]
    if not breaks:
        return new
    lines = [line.split(" ") for line in BREAK.split(old)]
    words = new.split(" ")
    if len(words) == sum(map(len, lines)):
        counts = [len(line) for line in lines]
    else:
        counts = by_width(words, max(len(" ".join(line)) for line in lines))
    pieces, at = [], 0
    for number, count in enumerate(counts):
        pieces.append(" ".join(words[at : at + count]))
        at += count
        if number + 1 < len(counts):
            pieces.append(breaks[min(number, len(breaks) - 1)])
    return "".join(pieces)


def by_width(words: Sequence[str], widest: int) -> list[int]:
    counts, width = [0], 0
    for word in words:
        # Two spaces are an empty word, which must not stand at the edge of a line.
        if counts[-1] and word and width + 1 + len(word) > widest:
            counts.append(0)
            width = 0
        counts[-1] += 1
        width += len(word) + 1
    return counts
