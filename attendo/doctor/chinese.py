"""Chinese written in two ways at once: simplified with traditional characters, or half- with full-width punctuation."""

import re
from functools import cache

HAN = "\u3400-\u9fff"
# Half-width signs count only behind a Chinese character: 3.5, "U.S." and web addresses are good Chinese.
HALF_WIDTH = re.compile(f"[{HAN}][,;:?!.](?![A-Za-z0-9/.])")
FULL_WIDTH = re.compile("[，。；：？！]")


@cache
def one_way_characters() -> tuple[frozenset[str], frozenset[str]]:
    """Characters that are only simplified, and only traditional.

    Simplified: in the old mainland standard GB 2312 but not in Taiwan's Big5, and OpenCC knows a traditional form.
    Traditional: the reverse. Characters of both, such as 后 or 里, prove nothing, and are in neither.
    """
    from opencc import OpenCC

    characters = [chr(code) for code in range(0x4E00, 0xA000)]
    to_simplified, to_traditional = OpenCC("t2s"), OpenCC("s2t")
    simplified = {c for c in characters if encodable(c, "gb2312") and not encodable(c, "big5")}
    traditional = {c for c in characters if encodable(c, "big5") and not encodable(c, "gb2312")}
    return (
        frozenset(c for c in simplified if to_traditional.convert(c) != c),
        frozenset(c for c in traditional if to_simplified.convert(c) != c),
    )


def encodable(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def mixes_scripts(text: str) -> bool:
    """One line has characters that are only simplified and others that are only traditional."""
    if text.isascii():
        return False
    simplified, traditional = one_way_characters()
    return not simplified.isdisjoint(text) and not traditional.isdisjoint(text)


def mixes_punctuation(text: str) -> bool:
    """One line has half- and full-width punctuation, both behind Chinese characters."""
    return FULL_WIDTH.search(text) is not None and HALF_WIDTH.search(text) is not None
