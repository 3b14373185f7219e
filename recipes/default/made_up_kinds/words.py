"""The words: everything that made-up text can say, read from the tables beside this file.

The tables were written by hand for this project. Neither they nor the templates contain 我爱机器学习, 机器学习很有趣,
"I love machine learning" or "machine learning is interesting" (or "fun"), and no sentence of a test set was copied
into them: what these are asked for must have been learnt elsewhere.

German nouns whose accusative differs from their nominative (der Löwe, den Löwen) are in words.tsv, where nothing is
declined. A "-" says that there is no such form: bread has no plural, and "need" no past here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recipes.default.made_up_kinds.trilingual import Phrase

NONE = "-"
FOLDER = Path(__file__).parent

Gender = Literal["m", "f", "n"]


@dataclass(frozen=True)
class Noun:
    group: str  # which adjectives and verbs go with it
    zh: str
    measure: str  # 本 in 一本书
    en: str
    en_plural: str
    de: str
    gender: Gender
    de_plural: str

    @property
    def countable(self) -> bool:
        return self.en_plural != NONE


@dataclass(frozen=True)
class Adjective:
    zh: str
    zh_before: str  # a noun: 新 but 漂亮的; and 小的鸡, for 小鸡 is a chick
    sort: Literal["colour", "quality"]  # 是红色的, but 很新
    en: str
    de: str
    de_stem: str  # what endings are put to: teuer, but ein teures Auto
    groups: str


@dataclass(frozen=True)
class Verb:
    """With an object in the accusative."""

    zh: str
    en: str
    en_third: str
    de_ich: str
    de_du: str
    de_er: str
    de_wir: str
    zh_past: str
    en_past: str
    de_participle: str  # with haben
    groups: str


@dataclass(frozen=True)
class Subject:
    zh: str
    en: str
    de: str
    form: Literal["ich", "du", "er", "wir"]  # of the German verb


@dataclass(frozen=True)
class Place:
    zh: str
    en: str
    de: str
    gender: Gender
    en_to: str
    en_at: str
    de_to: str
    de_at: str


def rows(name: str) -> Iterator[dict[str, str]]:
    """The lines of a table, by the names in its first line."""
    header, *lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").rstrip("\n").split("\n")
    for line in lines:
        yield dict(zip(header.split("\t"), line.split("\t"), strict=True))


def texts(name: str, group: str | None = None) -> tuple[Phrase, ...]:
    """texts("geography", "city"): the rows of one group, or all."""
    return tuple(Phrase(row["zh"], row["en"], row["de"]) for row in rows(name) if group in (None, row.get("group")))


def names(name: str, group: str | None = None) -> tuple[Phrase, ...]:
    """People's names: English and German write them alike."""
    return tuple(
        Phrase(row["zh"], row["latin"], row["latin"]) for row in rows(name) if group in (None, row.get("group"))
    )


NOUNS = tuple(Noun(**row) for row in rows("nouns"))  # type: ignore[arg-type]
ADJECTIVES = tuple(Adjective(**row) for row in rows("adjectives"))  # type: ignore[arg-type]
VERBS = tuple(Verb(**row) for row in rows("verbs"))
SUBJECTS = tuple(Subject(**row) for row in rows("subjects"))  # type: ignore[arg-type]
PLACES = tuple(Place(**row) for row in rows("places"))  # type: ignore[arg-type]

WORDS = texts("words")
COLOURS = texts("words", "colour")
COUNTRIES = texts("geography", "country")
CITIES = texts("geography", "city")
MONTHS = texts("months")
WEEKDAYS = texts("weekdays")
PHRASES = texts("phrases")
TEMPLATES = texts("sentences")

GIVEN_NAMES = names("given_names")
SURNAMES = names("surnames")
CHINESE_SURNAMES = names("chinese_names", "surname")
CHINESE_GIVEN_NAMES = names("chinese_names", "given")

COUNTABLE = tuple(noun for noun in NOUNS if noun.countable)


def fitting(groups: str, nouns: tuple[Noun, ...] = COUNTABLE) -> tuple[Noun, ...]:
    """The nouns that an adjective or a verb goes with."""
    return tuple(noun for noun in nouns if noun.group in groups.split())


def describing(noun: Noun) -> tuple[Adjective, ...]:
    return tuple(adjective for adjective in ADJECTIVES if noun.group in adjective.groups.split())
