"""Patterns: a table of things to say, with slots; now and then two of its sentences one after the other.

A slot is named by what it holds, and after an underscore by the form that a language wants: {the_acc} is den Laptop
in German, and what {the} is elsewhere. A formula without slots comes out once and no more, for no pair is taken
twice; in company it is met again: "Thank you for your order! Your package will be delivered on May 3."
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from recipes.default.made_up_kinds.trilingual import STOPS, Phrase, capitalize_first, fill
from recipes.default.made_up_kinds.words import rows

ANY = "any"
IN_COMPANY = 0.25  # of the draws
CONTRACTIONS = ((r"([Zz])u der", r"\1ur"), (r"([Zz])u dem", r"\1um"), (r"([Ii])n dem", r"\1m"))


@dataclass(frozen=True)
class Pattern:
    text: Phrase
    groups: frozenset[str]  # of what it can be about, or ANY

    def fits(self, group: str) -> bool:
        return ANY in self.groups or group in self.groups

    @property
    def is_sentence(self) -> bool:
        return all(text.endswith(tuple(STOPS)) for text in self.text)


def table(name: str) -> tuple[Pattern, ...]:
    return tuple(
        Pattern(Phrase(row["zh"], row["en"], row["de"]), frozenset(row["groups"].split())) for row in rows(name)
    )


def say(pattern: Pattern, slots: Mapping[str, Phrase]) -> Phrase:
    """The pattern with its slots filled; those it does not have are left over."""
    phrase = fill(pattern.text, **slots)
    return capitalize_first(phrase._replace(de=contracted(phrase.de)))


def contracted(de: str) -> str:
    """What German draws together: zu der Türkei is zur Türkei, in dem Vertrag im Vertrag."""
    for apart, together in CONTRACTIONS:
        de = re.sub(rf"\b{apart}\b", together, de)
    return de


def say_some(rng: Random, first: Pattern, others: Sequence[Pattern], slots: Mapping[str, Phrase]) -> Phrase:
    """One pattern, or two about the same things: Chinese puts no space between them."""
    phrase = say(first, slots)
    if not first.is_sentence or rng.random() >= IN_COMPANY:
        return phrase
    second = say(rng.choice([other for other in others if other.is_sentence and other != first]), slots)
    return Phrase(phrase.zh + second.zh, f"{phrase.en} {second.en}", f"{phrase.de} {second.de}")
