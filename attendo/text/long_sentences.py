"""Sentences that are too long are cut; the rule is stated here, and every cut is counted by who calls.

A piece has at most `longest` characters, half as many where most of them are Chinese or Japanese, which say more each.
It ends, in its second half, behind the last ； ; ： : or else ， 、 , or else white space; where there is none, at the
limit, but not inside a character of several code points (marks, joined emoji, flags) unless it fills half a piece.
"""

import re
import unicodedata

from attendo.text.pretokenize import HAN, HANGUL, KANA

LONGEST = 400

WIDE = re.compile(f"[{HAN}{KANA}]")
# A Latin sign counts before a space only: 1,234 and 10:30 are whole.
SIGNS = (
    re.compile(r"[；：]|[;:](?=\s)"),
    re.compile(r"[，、،]|,(?=\s)"),
    re.compile(r"\s+"),
)
JOINED = re.compile("[\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\udc00-\udfff]")
FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
LETTER_OF_A_WORD = re.compile(rf"[^\W_{HAN}{KANA}{HANGUL}]")


def cuts(text: str, longest: int = LONGEST) -> list[int]:
    """The places where pieces begin, without 0; each piece takes at least a quarter of `longest`, so it ends."""
    found: list[int] = []
    if len(text) <= longest // 2:  # the least that a piece may have
        return found
    start = 0
    while len(text) - start > (limit := limit_at(text, start, longest)):
        start = next_cut(text, start, limit)
        found.append(start)
    return found


def limit_at(text: str, start: int, longest: int) -> int:
    window = text[start : start + longest]
    wide = len(WIDE.findall(window))
    return max(2, longest // 2) if wide * 2 > len(window) else max(2, longest)


def next_cut(text: str, start: int, limit: int) -> int:
    half, end = start + limit // 2, start + limit
    for sign in SIGNS:
        places = [match.end() for match in sign.finditer(text, half, end + 1)]
        if fitting := [place for place in places if half < place <= end]:
            return fitting[-1]
    for place in range(end, half, -1):
        if not is_inside(text, start, place):
            return place
    return end


def is_inside(text: str, start: int, place: int) -> bool:
    """Whether a cut there would part what is one character to a reader."""
    before, behind = text[place - 1], text[place]
    if JOINED.match(behind) or before == "\u200d" or unicodedata.combining(behind):
        return True
    if unicodedata.category(behind) in ("Mn", "Mc", "Me"):
        return True
    if FLAG.match(behind) and FLAG.match(before):  # flags are pairs of letters
        first = place
        while first > start and FLAG.match(text[first - 1]):
            first -= 1
        return (place - first) % 2 == 1
    return False


def inside_a_word(before: str, behind: str) -> bool:
    """Whether a cut fell between two letters of one word, in a script that has spaces."""
    return bool(LETTER_OF_A_WORD.match(before[-1:]) and LETTER_OF_A_WORD.match(behind[:1]))
