"""The teacher's everyday pairs once more, with larger counts: "Tom has three dogs" with 1,348 of them, or 2.5 million.

Everyday sentences have few numbers, most of them small and in words, and the sentences of made_up.py have few words. So
whatever is counted in a real sentence is counted anew, in all the ways in which languages differ: 52,000 is 5.2万 in
Chinese and 52.000 in German. It need not make sense: what is to be learnt is to say the number that stands there.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from recipes.default.answers import Direction
from recipes.default.distil import Pair, everyday_pairs
from recipes.default.made_up_kinds.large_numbers import any_large
from recipes.default.made_up_kinds.measures import price
from recipes.default.made_up_kinds.numerals import DE, EN, chinese, chinese_count, decimal, grouped
from recipes.default.made_up_kinds.trilingual import Phrase, same

JOINED = 0.4  # of the short sentences
MOST_TO_JOIN = 60  # characters
JOINTS = {"zh": "，", "en": ", and ", "de": ", und "}
# With what a sentence may begin that is put after another: words that are then written small, and what never is.
SMALL_INSIDE = {
    "zh": "",
    "en": "The A He She It We They You There This These My His Her Our In Only All",
    "de": "Der Die Das Ein Eine Er Sie Es Wir Ich Ihr Du Dieser Diese Mein Meine In Vor Nach Nur Alle",
}
ANYWHERE = {"zh": re.compile(""), "en": re.compile(r"(I|Tom|Mary)\b|\d"), "de": re.compile(r"(Tom|Maria)\b|\d")}

# Numbers in words that are looked for: from two, for "one" and 一 are seldom counts, and what is counted stays plural.
SMALL = (*range(2, 13), *range(20, 100, 10))
WORDS = {
    "zh": {form(number): number for form in (chinese, chinese_count) for number in SMALL},
    "en": {EN[number]: number for number in SMALL},
    "de": {DE[number]: number for number in SMALL},
}
NUMERAL = {
    "zh": re.compile(r"[\d.,:：/]*\d|(?!一(?![零一二两三四五六七八九十百千万亿]))[零一二两三四五六七八九十百千万亿]+"),
    "en": re.compile(rf"[\w.,:/-]*\d[\w-]*|\b(?:{'|'.join(WORDS['en'])})\b", re.IGNORECASE),
    "de": re.compile(rf"[\w.,:/-]*\d[\w-]*|\b(?:{'|'.join(WORDS['de'])})\b", re.IGNORECASE),
}
# What follows or precedes a number that counts nothing: the hour, the day, the third of a row.
NO_COUNT_BEFORE = {
    "zh": re.compile(r"(第|星期|周|礼拜|[初几数多-])$"),
    "en": re.compile(r"(\b(page|room|number|chapter|part|lesson|past|at)\s|[-$€£¥#])$", re.IGNORECASE),
    "de": re.compile(r"(\b(seite|zimmer|nummer|kapitel|teil|lektion|halb|um)\s|[-$€£¥#])$", re.IGNORECASE),
}
COUNT_AFTER = {
    "zh": re.compile(r"(?!\s?[点時时月号日角路楼%％度])(?!年[代级])(?!分之)\s?[^\W\d_]"),
    "en": re.compile(r"(?!\s(o'clock|[ap]\.?m\b|percent|degrees|or|and|to)\b)\s[^\W\d_]"),
    "de": re.compile(r"(?!\s(Uhr|Prozent|Grad|oder|und|bis)\b)\s[^\W\d_]"),
}
CURRENCY = {
    "zh": re.compile(r"\s?(美元|欧元|英镑|日元|元|块钱|块)"),
    "en": re.compile(r"\s(dollars|euros|yen|yuan)\b"),
    "de": re.compile(r"\s(Dollar|Euro|Yen|Yuan)\b"),
}


class CountedText(NamedTuple):
    """What stands before the only number of a text, its value, and what stands after it; prices have a currency."""

    before: str
    value: int
    currency: str
    after: str


def find_count(text: str, language: str) -> CountedText | None:
    """Nothing where there is no number, or another beside it, or where it counts nothing."""
    found = list(NUMERAL[language].finditer(text))
    if len(found) != 1:
        return None
    before, word, after = text[: found[0].start()], found[0].group().lower(), text[found[0].end() :]
    value = int(word) if word.isdecimal() else WORDS[language].get(word, 0)
    if value < 2 or NO_COUNT_BEFORE[language].search(before) or not COUNT_AFTER[language].match(after):
        return None
    if 1_500 < value < 2_100:  # a year
        return None
    money = CURRENCY[language].match(after)
    currency = money.group() if money else ""
    return CountedText(before, value, currency, after.removeprefix(currency))


def another(rng: Random) -> Phrase:
    """From 13 on, so that plurals stay plurals."""
    way = rng.random()
    if way < 0.15:
        return same(str(rng.randint(13, 999)))
    if way < 0.35:
        return grouped(rng.randrange(1_000, 10 ** rng.randint(4, 6)))
    if way < 0.45:
        return decimal(rng.randint(21, 10 ** rng.randint(3, 5)), 1)
    return any_large(rng)


def recount(pairs: Sequence[Pair], languages: Direction, times: int, seed: int) -> Iterator[Pair]:
    """Every pair that counts the same on both sides, so many times, each with another number; some joined in twos."""
    rng = Random(f"{'-'.join(languages)}/{seed}")
    waiting: Pair | None = None
    for source, target in pairs:
        read, answer = find_count(source, languages[0]), find_count(target, languages[1])
        if read is None or answer is None or read.value != answer.value or bool(read.currency) != bool(answer.currency):
            continue
        for _ in range(times):
            number = price(rng) if (priced := read.currency != "" and rng.random() < 0.5) else another(rng)
            first, second = (
                f"{one.before}{getattr(number, language)}{'' if priced else one.currency}{one.after}"
                for one, language in zip((read, answer), languages, strict=True)
            )
            if not all(map(can_be_joined, (first, second), languages)) or rng.random() > JOINED:
                yield first, second
            elif waiting is None:
                waiting = first, second
            else:
                yield join_sentences(waiting[0], first, languages[0]), join_sentences(waiting[1], second, languages[1])
                waiting = None


def can_be_joined(text: str, language: str) -> bool:
    """A short sentence that ends in a full stop, has no other, and whose first word is known."""
    one = text[-1] in ".。" and not re.search(r"[。？！?!]|\.\s", text[:-1])
    known = ANYWHERE[language].match(text) or opening(text) in SMALL_INSIDE[language].split()
    return one and len(text) < MOST_TO_JOIN and bool(known)


def opening(text: str) -> str:
    """Its first word: "He" of "He's"."""
    return re.split(r"\W", text, maxsplit=1)[0]


def join_sentences(first: str, second: str, language: str) -> str:
    """Two sentences as one, with two numbers to keep apart: Tom has 300 dogs, and I have 2.5 million cats."""
    if opening(second) in SMALL_INSIDE[language].split():
        second = second[0].lower() + second[1:]
    return f"{first[:-1]}{JOINTS[language]}{second}"


def write_recounted(distilled: Path, languages: Direction, times: int, seed: int, out: Path) -> None:
    """From what distil.py wrote."""
    pairs = everyday_pairs(distilled, languages)
    with out.open("w", encoding="utf-8") as file:
        file.writelines(f"{source}\t{target}\n" for source, target in recount(pairs, languages, times, seed))
