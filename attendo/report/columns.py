"""Text in the columns of a terminal, where a Chinese character is two wide."""

import re
import unicodedata

# What stays together in a line: a Latin word; or a wide character with what opens before it and closes after it.
UNIT = re.compile(r"\s+|[（《“‘]*[\u2e80-\uffef][，。；：、！？）》”’…]*|[^\s\u2e80-\uffef]+[，。；：、！？）》”’…]*")


def num_columns(text: str) -> int:
    """Of a terminal: two for a wide character, none for a mark upon the one before.

    >>> num_columns("我爱 AI")
    7
    """
    if text.isascii():
        return len(text)
    marks = sum(unicodedata.category(character) in ("Mn", "Me") for character in text)
    return len(text) - marks + sum(unicodedata.east_asian_width(character) in "WF" for character in text)


def padded(text: str, width: int) -> str:
    """With spaces after it, as many as make it that wide."""
    return text + " " * (width - num_columns(text))


def wrapped(text: str, width: int) -> list[str]:
    """Lines no wider than that, but for a word that is; Chinese may be broken between any two characters."""
    lines, line = [], ""
    for unit in UNIT.findall(text):
        if line and num_columns(line + unit.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += unit if line or unit.strip() else ""
    return [*lines, line.rstrip()] if line.strip() else lines
