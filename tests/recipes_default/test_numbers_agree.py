"""Read back by other means than they were written: the numbers on all sides of a draw are the same numbers."""

import re
from datetime import date
from decimal import Decimal
from random import Random

import pytest

from recipes.default.made_up_kinds import dates, large_numbers, measures, numbers, times
from recipes.default.made_up_kinds.large_numbers import large
from recipes.default.made_up_kinds.numerals import chinese, chinese_count, english, german
from tests.recipes_default.amounts import amounts

DRAWS = 4000
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
}


@pytest.mark.parametrize("kind", [numbers, large_numbers, measures])
def test_amounts_agree(kind: object) -> None:
    rng, read = Random(1), 0
    for _ in range(DRAWS):
        phrase = kind.draw(rng)  # type: ignore[attr-defined]
        zh, en, de = (amounts(text, language) for language, text in phrase._asdict().items())
        assert zh == en == de, phrase
        read += bool(zh)
    assert read > 0.7 * DRAWS


def test_the_reader_of_amounts_can_read() -> None:
    assert amounts("1.234,5 €", "de") == amounts("€1,234.5", "en") == [Decimal("1234.5")]
    assert amounts("250万", "zh") == amounts("2.5 million", "en") == amounts("2,5 Millionen", "de") == [2_500_000]
    assert amounts("-3.5", "en") == amounts("-3,5", "de") == [Decimal("-3.5")]


def calendar(text: str, language: str) -> list[int]:
    """All numbers of a date, a month's name being one."""
    for number, month in enumerate(MONTHS.get(language, "").split(), start=1):
        text = re.sub(rf"\b{month}\b", f" {number} ", text)
    text = re.sub(r"(\d+)世纪(\d+)年代", lambda m: str((int(m[1]) - 1) * 100 + int(m[2])), text)
    return sorted(map(int, re.findall(r"\d+", text)))


def test_dates_agree() -> None:
    rng, read = Random(1), 0
    for _ in range(DRAWS):
        phrase = dates.draw(rng)
        zh, en, de = (calendar(text, language) for language, text in phrase._asdict().items())
        assert zh == en == de, phrase
        read += bool(zh)
    assert read > 0.7 * DRAWS


def test_the_weekday_is_that_of_the_date() -> None:
    rng, read = Random(1), 0
    for _ in range(DRAWS):
        phrase = dates.draw(rng)
        if found := re.fullmatch(r"(\d+)年(\d+)月(\d+)日星期(.)", phrase.zh):
            year, month, day = map(int, found.groups()[:3])
            assert "一二三四五六日"[date(year, month, day).weekday()] == found[4]
            assert phrase.en.split(",")[0] == f"{date(year, month, day):%A}"
            read += 1
    assert read > 50


def clock(text: str, language: str) -> list[int]:
    """All numbers of a time; hours as on a clock of twenty-four, and the minutes of a full hour written out."""
    if language == "zh":
        late = {"凌晨": 0, "上午": 0, "中午": 0, "下午": 12, "晚上": 12}
        parts = rf"({'|'.join(late)})(\d+)点(?:(\d+)分)?"
        text = re.sub(parts, lambda m: f"{int(m[2]) + late[m[1]]}:{m[3] or '00'}", text)
    if language == "en":
        parts = r"(\d+)(?::(\d+))? ([ap])\.?m\.?"
        text = re.sub(parts, lambda m: f"{int(m[1]) % 12 + 12 * (m[3] == 'p')}:{m[2] or '00'}", text)
    if language == "de":
        text = re.sub(r"von (\d+) bis (\d+) Uhr", r"\1:00 \2:00", text)
        text = re.sub(r"(?<![.:\d])(\d+) Uhr", r"\1:00", text)
    return list(map(int, re.findall(r"\d+", text)))


def test_times_agree() -> None:
    rng, read = Random(1), 0
    for _ in range(DRAWS):
        phrase = times.draw(rng)
        zh, en, de = (clock(text, language) for language, text in phrase._asdict().items())
        assert zh == en == de, phrase
        read += bool(zh)
    assert read > 0.7 * DRAWS


@pytest.mark.parametrize(
    ("number", "zh", "en", "de"),
    [
        (9_000, "9,000", "9,000", "9.000"),
        (30_000, "3万", "30,000", "30.000"),
        (662_000, "66.2万", "662,000", "662.000"),
        (1_000_000, "100万", "1 million", "1 Million"),
        (2_500_000, "250万", "2.5 million", "2,5 Millionen"),
        (66_000_000, "6600万", "66 million", "66 Millionen"),
        (160_000_000, "1.6亿", "160 million", "160 Millionen"),
        (1_000_000_000, "10亿", "1 billion", "1 Milliarde"),
        (100_000_000_000, "1000亿", "100 billion", "100 Milliarden"),
        (1_400_000_000_000, "1.4万亿", "1.4 trillion", "1,4 Billionen"),
    ],
)
def test_large_numbers(number: int, zh: str, en: str, de: str) -> None:
    assert large(number) == (zh, en, de)


@pytest.mark.parametrize(
    ("number", "zh", "en", "de"),
    [
        (0, "零", "zero", "null"),
        (1, "一", "one", "eins"),
        (2, "二", "two", "zwei"),
        (10, "十", "ten", "zehn"),
        (12, "十二", "twelve", "zwölf"),
        (21, "二十一", "twenty-one", "einundzwanzig"),
        (70, "七十", "seventy", "siebzig"),
        (100, "一百", "one hundred", "einhundert"),
        (101, "一百零一", "one hundred and one", "einhunderteins"),
        (110, "一百一十", "one hundred and ten", "einhundertzehn"),
        (222, "两百二十二", "two hundred and twenty-two", "zweihundertzweiundzwanzig"),
        (1000, "一千", "one thousand", "eintausend"),
        (1005, "一千零五", "one thousand and five", "eintausendfünf"),
        (1212, "一千两百一十二", "one thousand two hundred and twelve", "eintausendzweihundertzwölf"),
        (20_000, "两万", "twenty thousand", "zwanzigtausend"),
        (20_012, "两万零一十二", "twenty thousand and twelve", "zwanzigtausendzwölf"),
        (10_800, "一万零八百", "ten thousand eight hundred", "zehntausendachthundert"),
        (31_600, "三万一千六百", "thirty-one thousand six hundred", "einunddreißigtausendsechshundert"),
        (101_000, "十万一千", "one hundred and one thousand", "einhunderteintausend"),
    ],
)
def test_numbers_in_words(number: int, zh: str, en: str, de: str) -> None:
    assert (chinese(number), english(number), german(number)) == (zh, en, de)


@pytest.mark.parametrize("say", [chinese, chinese_count, english, german])
def test_no_two_numbers_have_the_same_words(say: object) -> None:
    assert len({say(number) for number in range(30_000)}) == 30_000  # type: ignore[operator]
