"""Everyday words, as in everyday.tsv: a dishwasher, a carpenter, to whisper, punctual; alone, as people look them up.

The table has one sense of each word, the most usual. Its column `gender` is that of the German noun (p for what has
only a plural) or "-": for what is no noun, and for nouns that change with their article (ein Erwachsener, der
Erwachsene). English verbs stand there with "to".
"""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from random import Random
from typing import Literal

from recipes.default.made_up_kinds.trilingual import Phrase, capitalize_first
from recipes.default.made_up_kinds.words import NONE, rows, texts

ARTICLES = {"m": "der", "f": "die", "n": "das", "p": "die"}
TO = "to "


@dataclass(frozen=True)
class Word:
    group: str
    zh: str
    en: str
    de: str
    gender: Literal["m", "f", "n", "p", "-"]

    @property
    def phrase(self) -> Phrase:
        return Phrase(self.zh, self.en, self.de)

    @property
    def takes_article(self) -> bool:
        return self.gender != NONE


EVERYDAY = tuple(Word(**row) for row in rows("everyday"))  # type: ignore[arg-type]
NAMED = tuple(word for word in EVERYDAY if word.takes_article)
BY_GROUP = {
    group: tuple(words) for group, words in groupby(sorted(NAMED, key=attrgetter("group")), attrgetter("group"))
}

# How often English writes a word, with "to" or without: "to hope" may lose its "to" only if there is no other "hope".
ENGLISH = [entry["en"] for name in ("everyday", "words", "nouns", "adjectives", "places") for entry in rows(name)]
SPELLINGS = Counter(en.removeprefix(TO) for en in ENGLISH)

# What a capital would make a label of.
ON_LABELS = frozenset(label.en for label in texts("labels"))


def alone(rng: Random) -> Phrase:
    phrase = rng.choice(EVERYDAY).phrase
    short = phrase.en.removeprefix(TO)
    if short != phrase.en and SPELLINGS[short] == 1 and rng.random() < 0.6:
        return phrase._replace(en=short)
    return phrase


def as_heading(rng: Random) -> Phrase:
    """With a capital, as in a list of contents; but for what is also a label, and would be another: Back, Free."""
    phrase = alone(rng)
    heading = capitalize_first(phrase)
    return phrase if heading.en in ON_LABELS else heading


def with_article(rng: Random) -> Phrase:
    """Chinese has none."""
    word = rng.choice(NAMED)
    return Phrase("", f"the {word.en}", f"{ARTICLES[word.gender]} {word.de}")


def two(rng: Random) -> Phrase:
    """Of one kind, so that each tells the sense of the other: hammer and nail."""
    first, second = rng.sample(BY_GROUP[rng.choice(NAMED).group], 2)
    return Phrase(f"{first.zh}和{second.zh}", f"{first.en} and {second.en}", f"{first.de} und {second.de}")


def draw(rng: Random) -> Phrase:
    way = rng.random()
    if way < 0.55:
        return alone(rng)
    if way < 0.7:
        return as_heading(rng)
    return with_article(rng) if way < 0.85 else two(rng)
