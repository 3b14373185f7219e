"""Shouting: capitals where a language has them, and always more than one mark at the end.

The marks are what shows in Chinese that somebody shouts; without them a model would learn to shout at random.
"""

from collections.abc import Sequence
from random import Random

from recipes.default.made_up_kinds import phrases, sentences
from recipes.default.made_up_kinds.trilingual import STOPS, Phrase

MARKS = ("!!!", "!!!", "!!", "!!!!")
QUESTION_MARKS = ("?!", "???", "?!?!")
WIDE = str.maketrans("!?", "！？")


def draw(rng: Random) -> Phrase:
    phrase = rng.choice((phrases, sentences)).draw(rng)
    return Phrase(*shout(rng, phrase, Phrase._fields))


def shout(rng: Random, texts: Sequence[str], languages: Sequence[str]) -> list[str]:
    """One thing said in several languages, each in its own way of shouting."""
    asks = any(text.endswith(("?", "？")) for text in texts)
    marks = rng.choice(QUESTION_MARKS if asks else MARKS)
    return [
        bare + marks.translate(WIDE) if language == "zh" else bare.upper() + marks
        for bare, language in zip((text.rstrip(STOPS) for text in texts), languages, strict=True)
    ]
