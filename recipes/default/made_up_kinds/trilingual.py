"""One thing said in three languages, and templates with slots for such things.

All three are made together, from one draw of the dice: a number, a date or a noun cannot come out different on the
two sides of a pair.
"""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

STOPS = "。！？.!?"  # the marks that end a sentence


class Phrase(NamedTuple):
    """A language in which it cannot be said is empty, and has no pair: Chinese has no "the"."""

    zh: str
    en: str
    de: str


Kind = Callable[[Random], Phrase]


def same(text: str) -> Phrase:
    """What every language writes alike, such as a URL."""
    return Phrase(text, text, text)


def each(change: Callable[[str], str], phrase: Phrase) -> Phrase:
    return Phrase(*map(change, phrase))


def fill(template: Phrase, **slots: Phrase) -> Phrase:
    """fill(Phrase("{n}天", "{n} days", "{n} Tage"), n=same("3")) -> 3天, 3 days, 3 Tage."""
    return Phrase(
        template.zh.format(**{name: slot.zh for name, slot in slots.items()}),
        template.en.format(**{name: slot.en for name, slot in slots.items()}),
        template.de.format(**{name: slot.de for name, slot in slots.items()}),
    )


def capitalize_first(phrase: Phrase) -> Phrase:
    """As at the beginning of a sentence; str.capitalize would lower the rest."""
    return each(lambda text: text[:1].upper() + text[1:], phrase)
