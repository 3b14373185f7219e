"""Web and mail addresses, which no language translates."""

import re

URL = re.compile(r"(?:https?|ftp)://[!-~]+|\bwww\.[!-~]+", re.IGNORECASE)
# Of Latin letters: Chinese writes the word before an address close to it. Lengths are bounded and a match begins where
# a word begins, so the time is linear in the text.
EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}", re.ASCII)
BESIDE = re.compile(r"[!<>\"]")  # signs behind which there is something else


def is_address(text: str) -> bool:
    """The text as a whole, with nothing beside it."""
    found = "." in text and (URL.fullmatch(text) or EMAIL.fullmatch(text))
    return bool(found) and not BESIDE.search(text)
