"""What must be kept: missed where it is missing, and not where a translator wrote it in another way."""

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attendo.text.number_words import values_in_words
from attendo.text.numbers import date_in, missing_numbers, readings_of
from attendo.translation.checks import Miss, missing, strange_letters
from tests.reference.growth import exponent
from tests.translation.real_pairs import pairs

KEPT = [
    ("en", "de", "It costs 1,234.5 dollars.", "Es kostet 1.234,5 Dollar."),
    ("en", "fr", "It costs 1,234.5 dollars.", "Cela coûte 1\u202f234,5 dollars."),
    ("de", "en", "270 000 Bäume", "270,000 trees"),
    ("de", "en", "Es sind 3.000.", "There are 3000."),
    ("zh", "en", "桌上有12个杯子。", "Twelve cups are on the table."),
    ("zh", "en", "３个苹果", "3 apples"),
    ("ar", "en", "٣٤ كتابا", "34 books"),
    ("zh", "en", "4万人", "40,000 people"),
    ("zh", "en", "1万3千人", "13 thousand people"),
    ("zh", "en", "第二，四十七个学生。", "Second, forty-seven students."),
    ("en", "de", "in March, 45 people", "im März fünfundvierzig Leute"),
    ("en", "en", "205 and 1,234,567", "two hundred and five and one million two hundred thirty-four thousand five "
     "hundred sixty-seven"),
    ("en", "de", "It is 5 m high.", "Es ist 5 Meter hoch."),
    ("zh", "en", "3千5百万次", "35 million times"),
    ("en", "zh", "150 million people", "1.5亿人"),
    ("en", "zh", "25 people", "二十五个人"),
    ("en", "zh", "2.5 hours", "两个半小时"),
    ("zh", "en", "盒子里有二十六支铅笔。", "The box holds 26 pencils."),
    ("zh", "en", "一九四五年", "1945"),
    ("zh", "en", "20世纪80年代", "the 1980s"),
    ("de", "en", "um 14:30 Uhr", "at 2:30 p.m."),
    ("de", "en", "Der Film beginnt um 4.45 Uhr.", "The film begins at 4:45."),
    ("de", "en", "am 3.10.2020", "on October 3, 2020"),
    ("de", "en", "am 15.01.2026", "on 15 January 2026"),
    ("de", "zh", "am 5.9.2026", "2026年9月5日"),
    ("de", "zh", "am 15.01.2026", "26年1月15日"),
    ("de", "es", "am 3.10.2020", "el 3 de octubre de 2020"),
    ("en", "de", "on 3.10.2020", "am 3. Okt. 2020"),
    ("zh", "en", "请发邮件到anna@example.com。", "Please write to anna@example.com."),
    ("en", "de", "It takes 500 nails.", "Es braucht fünfhundert Nägel."),
    ("en", "de", "in 1984", "im Jahre neunzehnhundertvierundachtzig"),
    ("en", "de", "the 3rd of 21", "die dritte von einundzwanzig"),
    ("en", "fr", "It is 91 or 75.", "C'est quatre-vingt-onze ou soixante-quinze."),
    ("en", "cs", "5 dogs", "pět psů"),
    ("en", "sw", "5 dogs", "mbwa watano"),
    ("zh", "en", "第2次世界大战", "World War II"),
    ("en", "de", "1 dog at 8:00", "ein Hund um 8 Uhr"),
    ("en", "de", "See https://example.org/a.", "Siehe https://example.org/a!"),
    ("en", "de", "Write to A.b@example.org.", "Schreib an a.b@example.org."),
    ("en", "zh", "Great 👍🏽 ❤️", "好👍🏽❤"),
    ("en", "de", "Hello {name}, %s of {0} and %(x)d", "Hallo {name}, {0}, %s und %(x)d"),
    ("en", "de", "Hello {{ name }}", "Hallo {{ name }}"),
    ("en", "de", '<b>Hi</b><br/><a href="x" title="Hi">', '<b>Na</b><br><a href="y" title="Na">'),
    ("en", "de", "100 % sure, 50%discount", "100 % sicher, 50%Rabatt"),
]  # fmt: skip
LOST = [
    ("en", "de", "It costs 1,234.5 dollars.", "Es kostet Dollar.", Miss("number", "1,234.5")),
    ("en", "de", "It costs 12,345 dollars.", "Es kostet 12,354 Dollar.", Miss("number", "12,345")),
    ("zh", "en", "他有25个苹果。", "He has 26 apples.", Miss("number", "25")),
    ("zh", "en", "盒子里有二十六支铅笔。", "The box holds pencils.", Miss("number", "二十六")),
    ("en", "zh", "7 dogs", "狗", Miss("number", "7")),
    ("zh", "en", "能坐5.2万人。", "It seats 5.2 million people.", Miss("number", "5.2万")),
    ("en", "zh", "3 million people", "3千人", Miss("number", "3 million")),
    ("de", "en", "im Jahr 1999", "in the year 1989", Miss("number", "1999")),
    ("de", "en", "am 15.01.2026", "on 15 December 2026", Miss("number", "15.01.2026")),
    ("de", "en", "am 21.09.2027", "on 21, 2027", Miss("number", "21.09.2027")),
    ("en", "de", "See https://example.org/a.", "Siehe https://example.org/b.", Miss("url", "https://example.org/a")),
    ("en", "de", "Write to a@example.org.", "Schreib uns.", Miss("email", "a@example.org")),
    ("en", "de", "Great 👍", "Toll", Miss("emoji", "👍")),
    ("en", "de", "Hello {{ name }}", "Hallo { Name }", Miss("placeholder", "{{ name }}")),
    ("en", "de", "Flag 🇩🇪", "Flagge 🇫🇷", Miss("emoji", "🇩🇪")),
    ("en", "de", "Hello {name}", "Hallo {Name_}", Miss("placeholder", "{name}")),
    ("en", "de", "%d files", "Dateien", Miss("placeholder", "%d")),
    ("en", "de", "<b>Hi</b>", "<b>Na", Miss("tag", "</b>")),
]


@pytest.mark.parametrize(("source_language", "target_language", "source", "translation"), KEPT)
def test_other_ways_to_write_it_are_no_miss(source_language, target_language, source, translation):
    assert missing(source, translation, source_language, target_language) == []


@pytest.mark.parametrize(("source_language", "target_language", "source", "translation", "miss"), LOST)
def test_what_is_lost_is_missed(source_language, target_language, source, translation, miss):
    assert missing(source, translation, source_language, target_language) == [miss]


def test_evidence_of_the_tables(evidence):
    wrong = sum(missing(here, there, source, target) != [] for source, target, here, there in KEPT)
    found = sum(missing(here, there, source, target) == [miss] for source, target, here, there, miss in LOST)
    evidence("X9", "hand-written texts that keep things in another form: said to miss them", f"{wrong} of {len(KEPT)}")
    evidence("X9", "hand-written texts that lose a number, address, emoji, tag: found", f"{found} of {len(LOST)}")


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["zh", "en", "de", "fr", "cs", "ja", "xx"]))
@example("`0`0", "zh")
def test_a_copy_misses_nothing(text, language):
    assert missing(text, text, language, language) == []


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**12))
def test_a_number_is_read_in_every_language(value):
    for separator in (",", ".", " ", "\u202f", "'"):
        assert str(value) in readings_of(f"{value:,}".replace(",", separator))[0]


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("en", "two hundred and twenty-five", 225),
        ("en", "three thousand", 3000),
        ("en", "nineteen eighty-four", 1984),
        ("en", "the sixties", 60),
        ("en", "twelfth of March", 12),
        ("de", "zweitausendelf", 2011),
        ("de", "dreiundzwanzig", 23),
        ("de", "fünf Millionen", 5_000_000),
        ("fr", "quatre-vingt-dix-sept", 97),
        ("fr", "deux mille vingt", 2020),
        ("fr", "la douzième", 12),
        ("cs", "dvanáct", 12),
        ("zh", "三千零五", 3005),
        ("zh", "三百五", 350),
        ("zh", "一亿两千万", 120_000_000),
        ("zh", "二〇〇八", 2008),
    ],
)
def test_number_words(language, text, value):
    assert value in values_in_words(text, language)


@pytest.mark.parametrize("unit", ["1", "1,", "a", "a.", "a@", "<a ", "{", "www.", "一", "quatre vingt ", "１ 234 "])
def test_time_is_linear(unit, evidence):
    def work(text):
        missing(text, "x", "zh", "fr")
        missing("5", text, "en", "fr")

    grows = exponent(work, unit, 8_000 // len(unit))
    assert grows <= 1.2
    evidence("X5", f"looking for numbers and addresses in {unit!r} repeated: growth exponent", f"{grows:.2f}")


GOOD = [
    "zh-en/tatoeba.dev.tsv",
    "de-en/tatoeba.dev.tsv",
    "en-de/multi30k.valid.tsv",
    "en-fr/multi30k.valid.tsv",
    "zh-en/newscommentary.dev.tsv",
    "zh-en/ted.dev.tsv",
    "zh-en/woz.test.tsv",
    "de-en/godotdocs.test.tsv",
]


@pytest.mark.parametrize("name", GOOD)
def test_few_false_alarms_on_what_people_translated(name, evidence):
    both = pairs(name)
    flagged = sum(bool(missing(here, there, source, target)) for source, target, here, there in both)
    assert flagged < 0.02 * len(both)
    evidence("X9", f"pairs of {name}, both ways, said to miss something", f"{flagged} of {len(both)}")


def test_most_numbers_that_are_taken_away_are_missed(evidence):
    """A number in digits that both sides have is deleted on one side."""
    draw = random.Random(0)
    found = tried = 0
    for source, target, here, there in (row for name in GOOD for row in pairs(name)):
        numbers = [match for match in re.finditer(r"\d+", there) if int(match.group()[:9]) > 1]
        numbers = [match for match in numbers if match.group() in re.findall(r"\d+", here)]
        if not numbers or missing(here, there, source, target):
            continue
        taken = draw.choice(numbers)
        tried += 1
        found += bool(missing(here, there[: taken.start()] + there[taken.end() :], source, target))
    assert found > 0.85 * tried
    evidence("X9", "numbers deleted from human translations: missed", f"{found} of {tried}")


@pytest.mark.parametrize(
    ("source", "translation", "lost"),
    [
        ("From 10.0.0.1 to 10.0.0.1", "Von 10.0.0.1 nach 10,0.0.1", ["10.0.0.1"]),
        ("Order AB-1234", "Bestelle XAB-12345", ["AB-1234"]),
        ("Order AB-1234", "Bestelle ab-1234", ["AB-1234"]),
        ("Mail xa@b.com", "Maile xa@b.com.com", ["xa@b.com"]),
        ("{name} and {name}", "{name} und", ["{name}"]),
        ("{Name} has %s", "{name} hat %sd", ["{Name}", "%s"]),
        ('<a href="x">a</a>', "<a>a</a>", ['<a href="x">']),
        ("<b>a</b> <b>b</b>", "<b>a</b> b", ["<b>", "</b>"]),
    ],
)
def test_as_often_and_exactly(source, translation, lost):
    assert [miss.text for miss in missing(source, translation, "en", "de")] == lost
    assert missing(source, source, "en", "de") == []


def test_time_is_linear_in_the_dates_of_a_sentence():
    dates = [f"{day}.{month}.{year}" for year in range(2000, 2009) for month in range(1, 13) for day in range(1, 29)]

    def work(text):
        asked = " ".join(dates[: len(text)])
        assert missing(asked, asked, "de", "fr") == []
        missing(asked, asked.replace(".", ":"), "de", "en")

    assert exponent(work, "x", 250) <= 1.4


@pytest.mark.parametrize(
    ("target", "translation", "kept"),
    [
        ("en", "On October 3, 2024.", True),
        ("en", "On 3 Oct. 24.", True),
        ("en", "On 10/3/2024.", True),
        ("en", "On 2024-10-03.", True),
        ("en", "On 03. 10. 2024.", True),
        ("en", "At 3:10, 2024.", False),
        ("en", "In October 2024.", False),
        ("en", "On March 10, 2024.", False),
        ("zh", "2024年10月3日。", True),
        ("zh", "二〇二四年十月三日。", True),
        ("zh", "2024年3月。", False),
    ],
)
def test_a_german_date_stays_a_date(target, translation, kept):
    assert missing("Am 03.10.2024.", translation, "de", target) == ([] if kept else [Miss("number", "03.10.2024")])


@pytest.mark.parametrize("month", range(1, 13))
def test_a_date_written_for_the_reader_is_one(month):
    date = f"07.{month:02}.2025"
    for language in ("en", "zh", "de"):
        assert not missing_numbers(date, date_in(date, language), "de", language)
        for other in {1, 5, 12} - {month}:
            assert missing_numbers(date, date_in(f"07.{other:02}.2025", language), "de", language) == [date]
    assert date_in("2.10.3", "en") == "2.10.3"


@pytest.mark.parametrize(
    ("source", "target", "translation", "strange"),
    [
        ("Grüner Tee enthält Koffein.", "en", "Green tea contains咖啡s.", ["咖啡"]),
        ("绿茶含有咖啡因。", "en", "Green tea contains 咖啡因.", []),  # the source's own: a word that is spoken of
        ("Hello", "de", "Привет", ["Привет"]),
        ("Hello", "zh", "你好", []),
        ("The angle is small.", "de", "Der Winkel α ist klein, naïve Größe.", []),
    ],
)
def test_letters_that_nobody_asked_for(source, target, translation, strange):
    assert strange_letters(source, translation, target) == tuple(strange)
    assert missing(source, translation, "en", target) == []
