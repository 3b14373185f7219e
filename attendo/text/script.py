"""Traditional Chinese for a model that knows simplified only, and back, by OpenCC; what was done is said.

Characters tell which script a text is in (attendo.text.chinese_script).
"""

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

from attendo.errors import ConfigError
from attendo.text.chinese_script import traditional_only
from attendo.text.language import base_language
from attendo.text.pretokenize import HAN_CHARACTER, KANA

JAPANESE = re.compile(f"[{KANA}]")
# The conversion for each way to say "traditional"; region codes mean it too.
TRADITIONAL = {"hant": "s2t", "tw": "s2tw", "hk": "s2hk", "mo": "s2hk"}
MISSING = "needs the package opencc: pip install opencc"


class Converted(NamedTuple):
    text: str
    num_changed: int = 0  # characters
    remark: str = ""  # for the user; empty if nothing was done


def is_traditional(text: str) -> bool:
    """Whether some of the characters are traditional only; rare names are, so one of twenty must be, or two."""
    if traditional_only().isdisjoint(text):
        return False
    han = HAN_CHARACTER.findall(text)
    if len(JAPANESE.findall(text)) * 5 >= len(han):  # Japanese, or no Han at all
        return False
    found = sum(character in traditional_only() for character in han)
    return found >= 2 or found * 20 >= len(han)


def to_simplified(text: str) -> Converted:
    """For the model. Text that is simplified already, or not Chinese, comes back untouched."""
    if not is_traditional(text):
        return Converted(text)
    try:
        simplified = converter("t2s").convert(text)
    except ConfigError:
        return Converted(text, remark=f"traditional Chinese for a model of simplified Chinese: to convert it {MISSING}")
    # Rare names are in Big5 alone and no other way to write them is known: they prove nothing.
    if traditional_only().isdisjoint(set(text) - set(simplified)):
        return Converted(text)
    changed = differing(text, simplified)
    return Converted(simplified, changed, f"{changed} traditional characters read as simplified")


@lru_cache(maxsize=1_000)
def writes_simplified(language: str) -> bool:
    """Chinese, but not zh-Hant, zh-TW or zh_HK."""
    return base_language(language) in ("zh", "yue") and traditional_form(language) is None


def to_traditional(text: str, language: str) -> Converted:
    """What a model of simplified Chinese said, for a reader of zh-Hant, zh-TW or zh-HK; other languages as they are."""
    form = traditional_form(language)
    if form is None:
        return Converted(text)
    traditional = converter(form).convert(text)
    changed = differing(text, traditional)
    return Converted(traditional, changed, f"{changed} characters written as traditional" if changed else "")


@lru_cache(maxsize=1_000)
def traditional_form(language: str) -> str | None:
    if base_language(language) not in ("zh", "yue"):
        return None
    parts = language.lower().replace("_", "-").split("-")[1:]
    if "hans" in parts:
        return None
    regions = [part for part in parts if part in TRADITIONAL and part != "hant"]
    return TRADITIONAL[regions[0]] if regions else "s2t" if "hant" in parts else None


def differing(before: str, after: str) -> int:
    """Characters that changed; OpenCC keeps the length but for a few words."""
    return sum(a != b for a, b in zip(before, after, strict=False)) + abs(len(before) - len(after))


@cache
def converter(form: str) -> Any:
    try:
        from opencc import OpenCC
    except ModuleNotFoundError as error:
        raise ConfigError(f"converting between simplified and traditional Chinese {MISSING}") from error
    return OpenCC(form)
