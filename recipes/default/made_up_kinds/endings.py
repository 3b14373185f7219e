"""Sentences without their final stop: on both sides alike, so that a model neither adds one nor loses one."""

from random import Random

from recipes.default.made_up_kinds import phrases, sentences
from recipes.default.made_up_kinds.said import Said, each

STOPS = "。！？.!?"


def without_stop(said: Said) -> Said:
    return each(lambda text: text.rstrip(STOPS), said)


def draw(rng: Random) -> Said:
    return without_stop(rng.choice((phrases, sentences, sentences)).draw(rng))
