"""What a translation must not lose: numbers, addresses, emoji, placeholders, tags.

A translator may write 1.234,5 for 1,234.5, twelve for 12 and 7 for 19 o'clock, so only what is answered in no way we
know is reported. Each thing is asked for once, however often it comes.
"""

import re
from dataclasses import dataclass
from typing import Literal

from attendo.text.normalize import EMAIL, PLACEHOLDER, TAG, URL
from attendo.text.number_words import CHINESE
from attendo.text.numbers import missing_numbers

Kind = Literal["number", "url", "email", "emoji", "placeholder", "tag"]

PICTURES = (
    "\u231a\u231b\u23e9-\u23f3\u25fd\u25fe\u2600-\u2668\u2670-\u27bf\u2b50\u2b55"
    "\U0001f300-\U0001f3fa\U0001f400-\U0001faff"
)
PICTURE = f"[{PICTURES}]"
EMOJI = re.compile(f"[\U0001f1e6-\U0001f1ff]{{2}}|{PICTURE}(?:\ufe0f?[\U0001f3fb-\U0001f3ff]?\u200d{PICTURE})*")
# A sign of each kind: digits, numerals in a row, what no address, tag or placeholder can do without, flags, pictures.
SIGNS = re.compile(rf"[\d@<{{%\U0001f1e6-\U0001f1ff{PICTURES}]|[{CHINESE}]{{2}}|://")


@dataclass(frozen=True)
class Miss:
    """Something of the source that its translation lacks, as the source has it."""

    kind: Kind
    text: str


def missing(source: str, translation: str, source_language: str, target_language: str) -> list[Miss]:
    """All misses, in the order of the kinds; none if all is kept."""
    if not may_lose(source):
        return []
    found = [
        *(Miss("url", url) for url in missing_urls(source, translation)),
        *(Miss("email", mail) for mail in missing_texts(EMAIL, source, translation)),
        *(Miss("emoji", emoji) for emoji in missing_texts(EMOJI, source, translation)),
        *(Miss("placeholder", name) for name in missing_texts(PLACEHOLDER, source, translation)),
        *(Miss("tag", f"<{name}>") for name in missing_tags(source, translation)),
    ]
    numbers = missing_numbers(source, translation, source_language, target_language)
    return [*(Miss("number", number) for number in numbers), *found]


def may_lose(source: str) -> bool:
    """Most sentences have nothing to lose, and need no more than this look."""
    return SIGNS.search(source) is not None or "www." in source.lower()


def missing_texts(pattern: re.Pattern[str], source: str, translation: str) -> list[str]:
    if not pattern.search(source):
        return []
    answer = translation.casefold()
    return [text for text in dict.fromkeys(pattern.findall(source)) if text.casefold() not in answer]


def missing_urls(source: str, translation: str) -> list[str]:
    """Signs behind an address are the sentence's: (see https://example.org/)."""
    urls = dict.fromkeys(url.rstrip(".,;:!?'\"*_)]}>/") for url in URL.findall(source))
    answer = translation.casefold()
    return [url for url in urls if url.casefold() not in answer]


def missing_tags(source: str, translation: str) -> list[str]:
    """By name: what stands inside a tag may be translated."""
    names = dict.fromkeys(name.lower() for name in TAG.findall(source))
    return [name for name in names if name not in {name.lower() for name in TAG.findall(translation)}] if names else []
