"""Unicode and white space: what is done to a text before a model sees it, and undone after it.

A line is its edges and what is between them. The edges (white space, controls, marks of direction, byte order marks)
never reach the model and come back as they were, so blank stays blank and no line gains or loses its indent.

Of Unicode's forms NFC is used, not NFKC, which would turn ， into a comma and ① into 1: a translator must be able to
say what it was told.
"""

import re
import unicodedata

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"

# All that some program takes for the end of a line. Only LF ends a line of a file; none may come out of the model.
LINE_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
SPACES = (
    LINE_BREAKS
    + "\t\x1f \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
CONTROLS = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)]))
# Zero-width space, marks of direction, word joiner, byte order mark. Not U+200C and U+200D: words are spelt with them.
UNSEEN = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
# Of all these `str.isprintable` allows the plain space alone: a quick look that spares most texts the rest.
EDGE = "".join(dict.fromkeys(SPACES + CONTROLS + UNSEEN))

WORD = re.compile(r"[^\W_]")
BROKEN = re.compile(f"\0|{LONE_SURROGATE.pattern}")
HIDDEN_OR_SPACE = re.compile(f"[{re.escape(EDGE)}]+")
BREAKS = re.compile(f"[{LINE_BREAKS}]+")
CONTROL = re.compile(f"[{re.escape(CONTROLS)}]")


def normalize(text: str) -> str:
    """NFC, so that é is one character however it was typed; half a surrogate pair, which is none, becomes U+FFFD."""
    if text.isascii():
        return text
    whole = text if text.isprintable() else LONE_SURROGATE.sub(REPLACEMENT, text)
    return unicodedata.normalize("NFC", whole)


def edges(text: str) -> tuple[str, str, str]:
    """What is before, the text itself, what is after; joined they are the text.

    "  Hi!\\n"  ->  "  ", "Hi!", "\\n"
    """
    rest = text.lstrip(EDGE)
    inner = rest.rstrip(EDGE)
    return text[: len(text) - len(rest)], inner, rest[len(inner) :]


def repair(text: str) -> tuple[str, int]:
    """NUL and halves of surrogate pairs, which are no characters, become U+FFFD; and how many there were.

    One character takes the place of one, so no count and no position changes.
    """
    return (text, 0) if text.isprintable() else BROKEN.subn(REPLACEMENT, text)


def for_model(text: str) -> str:
    """What the model reads: no controls, and each run of white space is one space, as in what it learnt from."""
    if not text.isprintable() or "  " in text:
        text = HIDDEN_OR_SPACE.sub(one_space, text)
    return text.strip(" ")


def one_line(translation: str) -> str:
    """A model's output without line breaks, controls or spaces around it: where lines end is for the source to say."""
    if not translation.isprintable():
        translation = CONTROL.sub("", BREAKS.sub(" ", translation))
    return translation.strip(EDGE)


def one_space(run: re.Match[str]) -> str:
    """A space if there was any to be seen; controls alone leave none."""
    return " " if any(character.isspace() for character in run.group()) else ""
