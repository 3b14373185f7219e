"""Chinese written in two ways at once: simplified with traditional characters, or half- with full-width punctuation."""

import re
from functools import cache

from attendo.text.pretokenize import HAN
from attendo.text.scripts import simplified_only, traditional_only

# Half-width signs count only behind a Chinese character: 3.5, "U.S." and web addresses are good Chinese.
HALF_WIDTH = re.compile(f"[{HAN}][,;:?!.](?![A-Za-z0-9/.])")
FULL_WIDTH = re.compile("[，。；：？！]")


@cache
def one_way_characters() -> tuple[frozenset[str], frozenset[str]]:
    """Characters that are only simplified, and only traditional: OpenCC knows another form of each, too."""
    from opencc import OpenCC

    to_simplified, to_traditional = OpenCC("t2s"), OpenCC("s2t")
    return (
        frozenset(c for c in simplified_only() if to_traditional.convert(c) != c),
        frozenset(c for c in traditional_only() if to_simplified.convert(c) != c),
    )


def mixes_scripts(text: str) -> bool:
    """One line has characters that are only simplified and others that are only traditional."""
    if text.isascii():
        return False
    simplified, traditional = one_way_characters()
    return not simplified.isdisjoint(text) and not traditional.isdisjoint(text)


def mixes_punctuation(text: str) -> bool:
    """One line has half- and full-width punctuation, both behind Chinese characters."""
    return FULL_WIDTH.search(text) is not None and HALF_WIDTH.search(text) is not None
