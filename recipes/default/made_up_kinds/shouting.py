"""Shouting: capitals where a language has them, and always more than one mark at the end.

The marks are what shows in Chinese that somebody shouts; without them a model would learn to shout at random.
"""

from random import Random

from recipes.default.made_up_kinds import phrases, sentences
from recipes.default.made_up_kinds.endings import without_stop
from recipes.default.made_up_kinds.said import Said

MARKS = ("!!!", "!!!", "!!")
QUESTION_MARKS = ("?!", "???", "?!?!")
WIDE = str.maketrans("!?", "！？")


def draw(rng: Random) -> Said:
    said = rng.choice((phrases, sentences)).draw(rng)
    marks = rng.choice(QUESTION_MARKS if said.en.endswith("?") else MARKS)
    bare = without_stop(said)
    return Said(bare.zh + marks.translate(WIDE), bare.en.upper() + marks, bare.de.upper() + marks)
