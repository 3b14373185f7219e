"""Fragments: the red car, two old books, my new hat, in the park."""

from random import Random

from recipes.default.made_up_kinds.grammar import Determiner, one, several
from recipes.default.made_up_kinds.trilingual import Kind, Phrase, fill
from recipes.default.made_up_kinds.words import COUNTABLE, PLACES, describing

DETERMINERS: tuple[Determiner, ...] = ("the", "the", "a", "a", "my", "this", "your")
JOINED = (
    Phrase("{a}和{b}", "{a} and {b}", "{a} und {b}"),
    Phrase("{a}或者{b}", "{a} or {b}", "{a} oder {b}"),
)


def described(rng: Random) -> Phrase:
    noun = rng.choice(COUNTABLE)
    return one(rng.choice(DETERMINERS), noun, rng.choice(describing(noun)))


def plain(rng: Random) -> Phrase:
    return one(rng.choice(("a", "my", "this", "your")), rng.choice(COUNTABLE))


def counted(rng: Random) -> Phrase:
    noun = rng.choice(COUNTABLE)
    adjective = rng.choice(describing(noun)) if rng.random() < 0.5 else None
    if rng.random() < 0.5:
        return several(rng.randint(2, 12), noun, adjective)
    return several(rng.randint(2, 300), noun, adjective, "digits")


def joined(rng: Random) -> Phrase:
    return fill(rng.choice(JOINED), a=described(rng), b=described(rng))


def somewhere(rng: Random) -> Phrase:
    place = rng.choice(PLACES)
    return Phrase(f"在{place.zh}", place.en_at, place.de_at)


FORMS: tuple[Kind, ...] = (described, described, described, counted, counted, counted, plain, joined, joined, somewhere)


def draw(rng: Random) -> Phrase:
    return rng.choice(FORMS)(rng)
