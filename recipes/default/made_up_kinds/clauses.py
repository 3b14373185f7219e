"""Clauses: somebody has, wants, sees or bought something; the verb agrees with its subject in each language."""

from random import Random
from typing import NamedTuple

from recipes.default.made_up_kinds.grammar import one, several
from recipes.default.made_up_kinds.trilingual import Phrase
from recipes.default.made_up_kinds.words import (
    GIVEN_NAMES,
    NONE,
    SUBJECTS,
    VERBS,
    Subject,
    Verb,
    describing,
    fitting,
)

HABEN = {"ich": "habe", "du": "hast", "er": "hat", "wir": "haben"}
PAST = tuple(verb for verb in VERBS if verb.en_past != NONE)


class Clause(NamedTuple):
    """In the order of a German main clause: subject, verb, object, participle."""

    subject: Subject
    verb: Verb
    object: Phrase


def anyone(rng: Random) -> Subject:
    if rng.random() < 0.35:
        name = rng.choice(GIVEN_NAMES)
        return Subject(name.zh, name.en, name.de, "er")
    return rng.choice(SUBJECTS)


def something(rng: Random, groups: str) -> Phrase:
    """An object, in the accusative."""
    noun = rng.choice(fitting(groups))
    adjective = rng.choice(describing(noun)) if rng.random() < 0.35 else None
    way = rng.random()
    if way < 0.45:
        return one("a", noun, adjective, "accusative")
    if way < 0.85:
        return several(rng.randint(2, 12), noun, adjective)
    return several(rng.randint(2, 60), noun, adjective, "digits")


def clause(rng: Random, verbs: tuple[Verb, ...]) -> Clause:
    verb = rng.choice(verbs)
    return Clause(anyone(rng), verb, something(rng, verb.groups))


def does(rng: Random) -> Phrase:
    """他有两本书, he has two books, er hat zwei Bücher."""
    who, verb, what = clause(rng, VERBS)
    en = verb.en_third if who.form == "er" else verb.en
    de = {"ich": verb.de_ich, "du": verb.de_du, "er": verb.de_er, "wir": verb.de_wir}[who.form]
    return Phrase(f"{who.zh}{verb.zh}{what.zh}", f"{who.en} {en} {what.en}", f"{who.de} {de} {what.de}")


def did(rng: Random) -> Phrase:
    """他买了两本书, he bought two books, er hat zwei Bücher gekauft."""
    who, verb, what = clause(rng, PAST)
    return Phrase(
        f"{who.zh}{verb.zh_past}{what.zh}",
        f"{who.en} {verb.en_past} {what.en}",
        f"{who.de} {HABEN[who.form]} {what.de} {verb.de_participle}",
    )


def did_after_adverb(rng: Random) -> Phrase:
    """As after "gestern": German puts the verb second, so the subject after it."""
    who, verb, what = clause(rng, PAST)
    return Phrase(
        f"{who.zh}{verb.zh_past}{what.zh}",
        f"{who.en} {verb.en_past} {what.en}",
        f"{HABEN[who.form]} {who.de} {what.de} {verb.de_participle}",
    )
