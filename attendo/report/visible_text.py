"""Text of strangers, for a screen or a page: every character that is not a mark on paper is made one."""

JOINERS = "\u200c\u200d"  # inside words of some scripts and between parts of emoji; nothing is lost to the eye
ESCAPE_PICTURES = 0x2400  # ␀ ␁ ␂ …, one for each of the first 32 characters


def visible(text: str, longest: int | None = None) -> str:
    """One line without control codes, direction marks or broken characters; cut after `longest` characters.

    >>> visible("red:\\x1b[31m\\nnext\\u202eline")
    'red:␛[31m next\N{REPLACEMENT CHARACTER}line'
    """
    if longest is not None and len(text) > longest:
        text = text[: longest - 1] + "…"
    if text.isprintable():
        return text
    return "".join(map(shown, text))


def shown(letter: str) -> str:
    if letter.isprintable():
        return letter
    if letter in JOINERS:
        return ""
    if letter.isspace() and not "\x1c" <= letter <= "\x1f":
        return " "
    if letter < " ":
        return chr(ESCAPE_PICTURES + ord(letter))
    return "\N{REPLACEMENT CHARACTER}"
