"""Numbers of a text, in digits of any script and with the separators of any language.

1,234.5 and 1.234,5 and 1 234,5 are one number; 1.234 may be two, so a number is a set of readings. Values are
texts such as "1234.5", because a number may have more digits than one should calculate with.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from attendo.text.number_words import CHINESE, MONTHS, chinese_values, is_known, names_month, values_in_words
from attendo.text.scripts import base_language, writes_han
from attendo.text.verbatim import without_addresses

NUMBER = re.compile(
    r"\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’٫٬．，]\d+)*"  # 1 234,5 or any other
)
SEPARATOR = re.compile(r"\D")
OTHER_DIGIT = re.compile(r"(?![0-9])\d")
SCALE = re.compile(
    r"[-\s多余餘]{0,2}(?:(?P<m100>百|hundred|hundert|cents?\b)|(?P<m1000>千|thousand|tausend|mille\b|tisíc|[kK]\b|Tsd\b)"
    r"|(?P<m10000>[万萬])|(?P<m1000000>millionen|millions?|mio\b|mil\b|milion|[mM]\b)|(?P<m100000000>[亿億])"
    r"|(?P<m1000000000>milliarden?|milliards?|mrd\b|billions?|bn\b|miliard)|(?P<m1000000000000>兆|trillions?|billionen))",
    re.IGNORECASE,
)
# Of these the signs that are never anything else, as m is a metre.
SURE_SCALE = re.compile("[百千万萬亿億兆]|hund|thou|taus|million|milliard|billion|trillion", re.IGNORECASE)
# 1万3千, 3 千 5 百万: one number of several parts.
MIXED = re.compile(r"\d{1,4} ?[亿億万萬千百](?: ?\d{1,4} ?[亿億万萬千百]{1,2})+")
MIXED_PART = re.compile(r"(\d+) ?([亿億万萬千百])([亿億万萬]?)")
CHINESE_SCALE = {"百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "": 1}
DECADE = re.compile(r"\d+ ?世[纪紀](?= ?\d0年代)")  # 20世纪80年代 is 1980s in English: the 80 is asked for, the 20 not
DATE = re.compile(r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.\d{4}")
# A date in digits, as any language writes it: 3.10.2024, 10/3/24, 2024-10-03, 2024年10月3日.
DIGIT_DATE = re.compile(r"(\d{1,4})(?:([./-]) ?(\d{1,2})\2 ?| ?年 ?(\d{1,2}) ?月 ?)(\d{1,4})")
ROMAN = re.compile(r"\b[IVXLCM]{1,7}\b")
ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "M": 1000}
MOST_DIGITS = 18  # with more nothing is calculated
# Chinese numerals that surely are numbers: a year in digits, or tens and hundreds with their digits: 二十六, 三百.
YEAR = re.compile("(?<![一二三四五六七八九])[一二][〇零○一二三四五六七八九]{3}(?=年)")
COMPOUND = re.compile(
    f"(?<![{CHINESE}第几幾数數])[二三四五六七八九]十[一二三四五六七八九](?![{CHINESE}几幾多来來余餘分])"
)


@dataclass(frozen=True)
class Number:
    text: str
    readings: frozenset[str]
    parts: tuple[str, ...]  # 3 and 10 of 3.10: a date, a time, a list
    scaled: "Number | None" = None  # with a scale that is sure: 4万, for which 40000 will do, and not 4 million

    @property
    def asked_for(self) -> "Number":
        return self.scaled or self

    @property
    def is_date(self) -> bool:
        """As German writes it, 15.01.2026: each part is asked for, and 01 is no mere 1, which could be left out."""
        return DATE.fullmatch(self.text) is not None


def numbers_of(text: str) -> list[Number]:
    """Numbers in digits, each once, with what their scale makes of them: 4万 is 40000, or 4."""
    if not text.isascii():
        text = MIXED.sub(mixed_value, DECADE.sub("", OTHER_DIGIT.sub(lambda digit: western(digit.group()), text)))
    found: dict[str, Number] = {}
    for match in NUMBER.finditer(text):
        readings, parts = readings_of(match.group())
        known, scaled = found.get(match.group()), None
        if scale := SCALE.match(text, match.end()):
            times = int((scale.lastgroup or "m1")[1:])
            values = {multiply(reading, times) for reading in readings}
            readings |= values
            if not known and SURE_SCALE.search(scale.group()):
                scaled = Number(match.group() + scale.group(), frozenset(values), ())
        readings |= known.readings if known else set()
        found[match.group()] = Number(match.group(), frozenset(readings), parts, scaled)
    return list(found.values())


def western(character: str) -> str:
    """٣ and ３ are 3; other characters as they are (² is no digit of a number)."""
    return str(unicodedata.decimal(character)) if not character.isascii() and character.isdecimal() else character


def mixed_value(match: re.Match[str]) -> str:
    """3千5百万 -> 35000000: a last large scale is for all the parts before it."""
    total = 0
    for digits, scale, large in MIXED_PART.findall(match.group()):
        total = (total + int(digits) * CHINESE_SCALE[scale]) * CHINESE_SCALE[large]
    return str(total)


def readings_of(number: str) -> tuple[set[str], tuple[str, ...]]:
    signs = SEPARATOR.findall(number)
    parts = tuple(canonical(part) for part in SEPARATOR.split(number))
    groups = [len(part) for part in SEPARATOR.split(number)]
    whole, in_threes = canonical("".join(SEPARATOR.split(number))), all(size == 3 for size in groups[1:])
    last = number.rpartition(signs[-1])[2] if signs else ""
    decimal = canonical("".join(SEPARATOR.split(number)[:-1]), last)
    if not signs:
        return {whole}, parts
    if len(signs) == 1:
        if not in_threes:
            return {decimal}, parts
        return ({whole} if signs[0] in " \u00a0\u202f\u2009'’" else {whole, decimal}), parts
    if len(set(signs)) == 1:
        return ({whole} if in_threes else set()), parts
    return {decimal}, parts


def canonical(whole: str, fraction: str = "") -> str:
    """007 is 7, 1.50 is 1.5."""
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def multiply(reading: str, times: int) -> str:
    if len(reading) > MOST_DIGITS:
        return reading
    whole, _, fraction = f"{Decimal(reading) * times:f}".partition(".")
    return canonical(whole, fraction)


def certain_numerals(text: str, language: str) -> list[Number]:
    """Chinese numerals that ask for an answer; only those that are never a manner of speaking."""
    if base_language(language) != "zh":
        return []
    found = [*YEAR.findall(text), *COMPOUND.findall(text)]
    return [Number(word, frozenset({in_digits(word)}), ()) for word in dict.fromkeys(found)]


def in_digits(number: str) -> str:
    """二十六 is 26, 5.2万 is 52000; what needs no scale stays as it is."""
    if number[0] in CHINESE:
        return str(max(chinese_values(number)))
    return next((min(one.scaled.readings) for one in numbers_of(number) if one.scaled), number)


def values_of(text: str, language: str) -> set[str]:
    """All values a text may state: in digits, in words, in Roman numerals."""
    in_words = {str(value) for value in values_in_words(text, language)}
    return values_in_digits(text) | in_words | {str(roman(match.group())) for match in ROMAN.finditer(text)}


def values_in_digits(text: str) -> set[str]:
    return {value for number in numbers_of(text) for value in (*number.readings, *number.parts)}


def roman(numeral: str) -> int:
    values = [ROMAN_VALUES[letter] for letter in numeral]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def asked_numbers(source: str, language: str) -> list[Number]:
    """Numbers that a translation must state: those in digits, but for addresses, and certain Chinese numerals."""
    text = without_addresses(source)
    return [*(number.asked_for for number in numbers_of(text)), *certain_numerals(text, language)]


def missing_numbers(source: str, translation: str, source_language: str, target_language: str) -> list[str]:
    """Numbers of the source that the translation does not state in any way we know: they are lost.

    >>> missing_numbers("Im Jahr 1984 kamen 12 Leute.", "Twelve people came.", "de", "en")
    ['1984']
    """
    asked = asked_numbers(source, source_language)
    if not asked:
        return []
    answer, known = without_addresses(translation), is_known(target_language)
    # Up to twelve people write words, and of some languages we know none.
    free = {"0", "1"} if known else {str(value) for value in range(13)}
    # Looked for once in the answer, however many the source has.
    dates = dates_in(answer) if any(number.is_date for number in asked) else set()
    has_month = cache(lambda month: names_month(answer, month, target_language))
    # Most are answered in digits; words, which take longer to read, can only answer more of them.
    for values in (values_in_digits, lambda text: values_of(text, target_language)):
        stated = values(answer)
        asked = [
            number
            for number in asked
            if not (
                is_dated(number, stated, dates, has_month)
                if known and number.is_date
                else is_answered(number, stated, free)
            )
        ]
        if not asked:
            break
    return [number.text for number in asked]


def is_answered(number: Number, values: set[str], free: set[str]) -> bool:
    if any(is_stated(reading, values, free) for reading in number.readings):
        return True
    return len(number.parts) > 1 and all(is_stated(part, values, free) for part in number.parts)


def dates_in(text: str) -> set[tuple[str, ...]]:
    """Those in digits, each as its parts in the order of a dictionary, as languages differ in theirs."""
    found = DIGIT_DATE.findall(text)
    return {
        tuple(sorted(canonical(part) for part in (first, *middle, last) if part)) for first, _, *middle, last in found
    }


def is_dated(date: Number, values: set[str], dates: set[tuple[str, ...]], has_month: Callable[[int], bool]) -> bool:
    """Day, month and year; of the year the last two digits will do. And as a date: 11:9,2001 is none."""
    day, month, year = date.parts
    years = {year, canonical(year[2:])}
    if not (values.issuperset((day, month)) and values & years):
        return False
    if any(tuple(sorted((day, month, one))) in dates for one in years):
        return True
    return has_month(int(month))


def date_in(date: str, language: str) -> str:
    """A date such as 03.10.2024 as English and Chinese write it; in other languages it stays as it is."""
    if not DATE.fullmatch(date):
        return date
    day, month, year = map(int, date.split("."))
    if base_language(language) == "en":
        return f"{MONTHS['en'].split()[month - 1].capitalize()} {day}, {year}"
    return f"{year}年{month}月{day}日" if writes_han(language) else date


def is_stated(value: str, values: set[str], free: set[str]) -> bool:
    """0 and 1 are not asked for (8:00, "a week"); 19 o'clock is 7, '60s is 1960s, 2.5 is two and a half."""
    if value in values or value in free:
        return True
    if not value.isdigit():
        return value.endswith(".5") and "30" in values and value[:-2] in values | {"0", "1"}
    if len(value) <= 2:
        return any(str(int(value) + hours) in values for hours in (12, -12)) or any(
            len(other) == 4 and other.endswith(value) and value >= "20" for other in values
        )
    return len(value) == 4 and value[2:] in values
