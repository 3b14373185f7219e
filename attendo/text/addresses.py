"""What no language translates: web and mail addresses, tags, placeholders."""

import re

URL = re.compile(r"(?:https?|ftp)://[!-~]+|\bwww\.[!-~]+", re.IGNORECASE)
# Of Latin letters: Chinese writes the word before an address close to it. Lengths are bounded and a match begins where
# a word begins, so the time is linear in the text.
EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}", re.ASCII)
BESIDE = re.compile(r"[!<>\"]")  # signs after which there is something else
TAG = re.compile(r"<(/?[A-Za-z][A-Za-z0-9:-]{0,30})(?:\s[^<>]{0,500})?/?>")
PLACEHOLDER = re.compile(
    r"\{\{ {0,3}[\w.:$-]{1,60} {0,3}\}\}|\$?\{{1,2}[\w.:$-]{0,60}\}{1,2}"  # {{ x }} {0} {name} ${HOME}
    r"|%\(\w{1,60}\)[sdf]|(?<![\d%])%(?:\d{1,2}\$)?[sdif@](?![\w])"  # %(name)s %s %1$d, but not 100 % or 50%
)
SIGN = re.compile(r"[@<{%]|://|www\.", re.IGNORECASE)  # one of these is in each of them


def is_address(text: str) -> bool:
    """The text as a whole, with nothing beside it."""
    found = "." in text and (URL.fullmatch(text) or EMAIL.fullmatch(text))
    return bool(found) and not BESIDE.search(text)


def without_addresses(text: str) -> str:
    """Digits in addresses, tags and placeholders are no numbers of the text."""
    if not SIGN.search(text):
        return text
    for pattern in (URL, EMAIL, TAG, PLACEHOLDER):
        text = pattern.sub(" ", text)
    return text
