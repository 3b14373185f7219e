"""Single words: nouns alone or with their article, verbs, adjectives, countries, cities."""

from random import Random

from recipes.default.made_up_kinds.grammar import bare, one
from recipes.default.made_up_kinds.trilingual import Phrase
from recipes.default.made_up_kinds.words import ADJECTIVES, CITIES, COUNTRIES, NOUNS, PLACES, WORDS, Noun

PLAIN = (
    *WORDS,
    *COUNTRIES,
    *CITIES,
    *(Phrase(noun.zh, noun.en, noun.de) for noun in NOUNS),
    *(Phrase(place.zh, place.en, place.de) for place in PLACES),
    *(Phrase(word.zh, word.en, word.de) for word in ADJECTIVES),
)


def plural(noun: Noun) -> Phrase:
    """Chinese has no plural but by 一些, "some"; German and English say it bare."""
    phrase = bare(noun)
    return Phrase(f"一些{phrase.zh}", f"some {phrase.en}", f"einige {phrase.de}") if noun.countable else phrase


def draw(rng: Random) -> Phrase:
    way = rng.random()
    if way < 0.6:
        return rng.choice(PLAIN)
    noun = rng.choice(NOUNS)
    return one("the", noun)._replace(zh="") if way < 0.85 else plural(noun)
