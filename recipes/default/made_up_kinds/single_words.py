"""Single words: nouns alone or with their article, verbs, adjectives, countries, cities."""

from random import Random

from recipes.default.made_up_kinds.grammar import bare, one
from recipes.default.made_up_kinds.said import Said
from recipes.default.made_up_kinds.words import ADJECTIVES, CITIES, COUNTRIES, NOUNS, PLACES, WORDS, Noun

PLAIN = (
    *WORDS,
    *COUNTRIES,
    *CITIES,
    *(Said(noun.zh, noun.en, noun.de) for noun in NOUNS),
    *(Said(place.zh, place.en, place.de) for place in PLACES),
    *(Said(word.zh, word.en, word.de) for word in ADJECTIVES),
)


def plural(noun: Noun) -> Said:
    """Chinese has no plural but by 一些, "some"; German and English say it bare."""
    said = bare(noun)
    return Said(f"一些{said.zh}", f"some {said.en}", f"einige {said.de}") if noun.countable else said


def draw(rng: Random) -> Said:
    way = rng.random()
    if way < 0.6:
        return rng.choice(PLAIN)
    noun = rng.choice(NOUNS)
    return one("the", noun)._replace(zh="") if way < 0.85 else plural(noun)
