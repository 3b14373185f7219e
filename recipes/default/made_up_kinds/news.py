"""News and encyclopaedias: who met whom, what rose and fell, who was born where, where a place is.

The sentences are in news.tsv. What they say is made up: the language is to be learnt from them, not the world.
"""

from random import Random
from typing import Literal

from recipes.default.made_up_kinds import nations
from recipes.default.made_up_kinds.dates import any_day, full, short
from recipes.default.made_up_kinds.grammar import a_or_an
from recipes.default.made_up_kinds.large_numbers import large
from recipes.default.made_up_kinds.nations import BODIES, COUNTRIES, STATES, offices_of
from recipes.default.made_up_kinds.numerals import decimal, english_ordinal, grouped
from recipes.default.made_up_kinds.patterns import say_some, table
from recipes.default.made_up_kinds.shop import number
from recipes.default.made_up_kinds.trilingual import Phrase, fill, same
from recipes.default.made_up_kinds.words import (
    CHINESE_GIVEN_NAMES,
    CHINESE_SURNAMES,
    GIVEN_NAMES,
    MONTHS,
    SURNAMES,
    WEEKDAYS,
    rows,
    texts,
)

PATTERNS = table("news")
CITIES = texts("news_cities")
PROFESSIONS = tuple(rows("professions"))
WOMEN = (
    "Mary Anna Maria Lucy Emma Alice Clara Elizabeth Greta Hannah Helen Isabel Jane Jennifer Jessica Julia Kate Laura "
    "Lisa Mia Nina Rachel Ruth Sarah Sophie Susan Victoria Eileen Emily Grace Olivia "
    "Fang Na Min Jing Li Yan Xiaohong Yuqing Haiyan Wenjing"
)
# Those that forecast, invest and give, and those that count the dead: the others would be odd at it.
WITH_MONEY = ("政府", "央行", "财政部", "经济部", "欧盟", "欧盟委员会", "世界银行", "国际货币基金组织", "亚洲开发银行")
REPORTING = ("政府", "卫生部", "内政部", "红十字会", "世界卫生组织")
PERCENT = (Phrase("{n}%", "{n} percent", "{n} Prozent"), Phrase("{n}%", "{n}%", "{n} %"))
MONEY = (
    Phrase("{n}欧元", "{n} euros", "{n} Euro"),
    Phrase("{n}美元", "{n} dollars", "{n} Dollar"),
    Phrase("{n}元", "{n} yuan", "{n} Yuan"),
)


def some_large(rng: Random, least: int, most: int) -> Phrase:
    """Two digits and zeros; as many digits as these bounds."""
    return large(rng.randint(11, 99) * 10 ** rng.randint(least - 2, most - 2))


def percent(rng: Random) -> Phrase:
    amount = decimal(rng.randint(11, 299), 1) if rng.random() < 0.5 else same(str(rng.randint(2, 60)))
    return fill(rng.choice(PERCENT), n=amount)


def person(rng: Random, given: Phrase) -> Phrase:
    if given in GIVEN_NAMES:
        return fill(Phrase("{a}·{b}", "{a} {b}", "{a} {b}"), a=given, b=rng.choice(SURNAMES))
    return fill(Phrase("{b}{a}", "{b} {a}", "{b} {a}"), a=given, b=rng.choice(CHINESE_SURNAMES))


def about_person(rng: Random, of: nations.Row) -> dict[str, Phrase]:
    """A name, what its bearer is, and the pronouns that go with both."""
    given, work = rng.choice((*GIVEN_NAMES, *CHINESE_GIVEN_NAMES)), rng.choice(PROFESSIONS)
    woman = given.en in WOMEN.split()
    adjective, noun = of["de_adj"], work["de_woman"] if woman else work["de"]
    en = f"{of['en_adj']} {work['en']}"
    return {
        "person": person(rng, given),
        "profession": Phrase(
            f"{of['zh']}{work['zh']}",
            f"{a_or_an(en.lower())} {en}",
            f"eine {adjective}e {noun}" if woman else f"ein {adjective}er {noun}",
        ),
        "famous_profession": Phrase(
            f"{of['zh']}著名{work['zh']}",
            f"a famous {en}",
            f"eine berühmte {adjective}e {noun}" if woman else f"ein berühmter {adjective}er {noun}",
        ),
        "he": Phrase("她", "she", "sie") if woman else Phrase("他", "he", "er"),
        "his_n": Phrase("她的", "her", "ihr") if woman else Phrase("他的", "his", "sein"),
        "his_f": Phrase("她的", "her", "ihre") if woman else Phrase("他的", "his", "seine"),
    }


def about_nations(rng: Random, country: nations.Row, other: nations.Row) -> dict[str, Phrase]:
    genders: tuple[Literal["m", "f"], ...] = ("m", "m", "f")
    state = rng.choice([row for row in STATES if row["zh"] not in (country["zh"], other["zh"])])
    office, guest = rng.choice(offices_of(country)), rng.choice(offices_of(other))
    gender, guest_gender = rng.choice(genders), rng.choice(genders)
    surname = rng.choice(CHINESE_SURNAMES if country["zh"] == nations.CHINA else SURNAMES)
    return (
        nations.country("country", country)
        | nations.country("other", other)
        | nations.country("state", state)
        | nations.official("official", country, office, gender)
        | nations.official("guest", other, guest, guest_gender)
        | nations.body("body", rng.choice(BODIES), country)
        | nations.body("forecaster", rng.choice([row for row in BODIES if row["zh"] in WITH_MONEY]), country)
        | nations.body("reporter", rng.choice([row for row in BODIES if row["zh"] in REPORTING]), country)
        | {
            "visitor_acc": nations.visitor(other, guest, guest_gender),
            "named": nations.named(country, office, gender, surname),
        }
    )


def slots(rng: Random) -> dict[str, Phrase]:
    """Something for every slot of news.tsv."""
    country = rng.choice(COUNTRIES)
    other = rng.choice([row for row in COUNTRIES if row["zh"] != country["zh"]])
    city, other_city = rng.sample(CITIES, 2)
    year, century, weekday = rng.randint(1900, 2012), rng.randint(9, 19), rng.choice(WEEKDAYS)
    return about_nations(rng, country, other) | about_person(rng, country) | {
        "other_person": person(rng, rng.choice((*GIVEN_NAMES, *CHINESE_GIVEN_NAMES))),
        "city": city,
        "other_city": other_city,
        "weekday": weekday._replace(zh=weekday.zh.replace("星期", "周")),  # as newspapers write
        "date": short(rng, any_day(rng)),
        "full_date": full(rng, any_day(rng)),
        "month": rng.choice(MONTHS),
        "year": same(str(year)),
        "later": same(str(year + rng.randint(2, 12))),
        "future": number(rng, 2028, 2056),
        "century": same(str(century)),
        "century_ordinal": Phrase(str(century), english_ordinal(century), f"{century}."),
        "percent": percent(rng),
        "large": some_large(rng, 4, 7),
        "money": fill(rng.choice(MONEY), n=some_large(rng, 7, 11)),
        "n": number(rng, 13, 300),
        "few": number(rng, 2, 12),
        "years": number(rng, 2, 15),
        "age": number(rng, 40, 101),
        "km": number(rng, 20, 900),
        "meters": grouped(rng.randint(100, 6000)),
        "degrees": number(rng, 2, 35),
        "dollars": number(rng, 30, 130),
        "rate": decimal(rng.randint(101, 139), 2),
        "magnitude": decimal(rng.randint(41, 79), 1),
        "goals": number(rng, 2, 6),
        "fewer": number(rng, 0, 1),
    }  # fmt: skip


def draw(rng: Random) -> Phrase:
    pattern = rng.choice(PATTERNS)
    others = [other for other in PATTERNS if other.groups == pattern.groups]
    return say_some(rng, pattern, others, slots(rng))
