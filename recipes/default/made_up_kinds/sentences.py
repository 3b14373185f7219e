"""Small sentences: a template of sentences.tsv, with its slots filled."""

from random import Random
from string import Formatter

from recipes.default.made_up_kinds.clauses import did, did_after_adverb, does
from recipes.default.made_up_kinds.dates import any_day, short
from recipes.default.made_up_kinds.grammar import asked, bare, is_like, none_of, one, several
from recipes.default.made_up_kinds.measures import price
from recipes.default.made_up_kinds.numbers import phone
from recipes.default.made_up_kinds.times import any_time
from recipes.default.made_up_kinds.trilingual import Phrase, capitalize_first, fill, same
from recipes.default.made_up_kinds.words import (
    CITIES,
    COUNTABLE,
    COUNTRIES,
    GIVEN_NAMES,
    NOUNS,
    PLACES,
    TEMPLATES,
    WEEKDAYS,
    Noun,
    describing,
    fitting,
)

OWNED = fitting("thing furniture clothing vehicle")
LIKED = fitting("animal fruit vegetable food nature", NOUNS)


def slots(rng: Random) -> dict[str, Phrase]:
    """Something for every slot that a template may have; those about a thing are about the same one."""
    thing, place, noun = rng.choice(OWNED), rng.choice(PLACES), rng.choice(COUNTABLE)
    adjective, liked = rng.choice(describing(thing)), rng.choice(LIKED)
    person, other = rng.sample(GIVEN_NAMES, 2)
    as_noun = Noun("place", place.zh, "", place.en, "", place.de, place.gender, "")
    return {
        "does": does(rng),
        "did": did(rng),
        "did_yesterday": did_after_adverb(rng),
        "person": person,
        "other": other,
        "my_thing": one("my", thing),
        "my_thing_object": one("my", thing, case="accusative"),
        "your_thing": one("your", thing),
        "this_thing": one("this", thing),
        "no_thing": one("no", thing, case="accusative"),
        "thing_object": one("a", thing, case="accusative"),
        "a_described": one("a", noun, rng.choice(describing(noun))),
        "is_like": is_like(adjective),
        "like": asked(adjective),
        "some": several(rng.randint(2, 12), thing),
        "bare": bare(liked),
        "none_of": none_of(liked),
        "the_place": one("the", as_noun),
        "place": one("a", as_noun, case="accusative")._replace(zh=place.zh),
        "to_place": Phrase(place.zh, place.en_to, place.de_to),
        "at_place": Phrase(place.zh, place.en_at, place.de_at),
        "city": rng.choice(CITIES),
        "country": rng.choice(COUNTRIES),
        "weekday": rng.choice(WEEKDAYS),
        "date": short(rng, any_day(rng)),
        "year": same(str(rng.randint(1950, 2024))),
        "time": any_time(rng, earliest=6, latest=22),
        "price": price(rng),
        "phone": phone(rng),
        "age": same(str(rng.randint(2, 99))),
        "distance": fill(Phrase("{n}公里", "{n} kilometers", "{n} Kilometer"), n=same(str(rng.randint(2, 900)))),
        "temperature": fill(Phrase("{n}度", "{n} degrees", "{n} Grad"), n=same(str(rng.randint(2, 40)))),
    }


def draw(rng: Random) -> Phrase:
    template = rng.choice(TEMPLATES)
    filled = slots(rng)
    wanted = {name for text in template for _, name, _, _ in Formatter().parse(text) if name}
    return capitalize_first(fill(template, **{name: filled[name] for name in wanted}))
