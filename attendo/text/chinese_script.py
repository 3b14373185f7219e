"""Which script a Chinese character tells of, by the old standards: the mainland's GB 2312 and Taiwan's Big5.

Characters of both, such as 后 or 里, prove nothing.
"""

from functools import cache

CODES = range(0x4E00, 0xA000)


@cache
def simplified_only() -> frozenset[str]:
    return frozenset(c for c in map(chr, CODES) if encodable(c, "gb2312") and not encodable(c, "big5"))


@cache
def traditional_only() -> frozenset[str]:
    return frozenset(c for c in map(chr, CODES) if encodable(c, "big5") and not encodable(c, "gb2312"))


def encodable(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
