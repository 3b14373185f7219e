"""Web and mail addresses, which no language translates."""

import re

URL = re.compile(r"(?:https?|ftp)://[!-~]+|\bwww\.[!-~]+", re.IGNORECASE)
# Lengths are bounded and a match begins where a word begins, so the time is linear in the text.
EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}")


def is_address(text: str) -> bool:
    """The text as a whole, with nothing beside it."""
    return "." in text and (URL.fullmatch(text) or EMAIL.fullmatch(text)) is not None
