"""Greetings and other very short phrases, as in phrases.tsv; alone, or said to somebody."""

from random import Random

from recipes.default.made_up_kinds.trilingual import Phrase
from recipes.default.made_up_kinds.words import GIVEN_NAMES, PHRASES


def draw(rng: Random) -> Phrase:
    phrase = rng.choice(PHRASES)
    # Every exclamation of the table can be said to somebody, but where a comma stands in it already.
    if rng.random() < 0.3 and phrase.en.endswith("!") and "," not in phrase.en:
        name = rng.choice(GIVEN_NAMES)
        return Phrase(
            f"{phrase.zh[:-1]}，{name.zh}！", f"{phrase.en[:-1]}, {name.en}!", f"{phrase.de[:-1]}, {name.de}!"
        )
    return phrase
