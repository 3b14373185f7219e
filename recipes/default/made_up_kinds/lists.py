"""Lists: apples, pears and bread; colours, cities, people, numbers."""

from random import Random

from recipes.default.made_up_kinds.grammar import bare
from recipes.default.made_up_kinds.numerals import words
from recipes.default.made_up_kinds.trilingual import Phrase, capitalize_first, fill
from recipes.default.made_up_kinds.words import CITIES, COLOURS, COUNTRIES, GIVEN_NAMES, NOUNS, fitting

SHOPPING = fitting("fruit vegetable snack food", NOUNS)
ANIMALS = fitting("animal")
LISTED = (
    tuple(map(bare, SHOPPING)),
    tuple(map(bare, SHOPPING)),
    tuple(map(bare, ANIMALS)),
    COLOURS,
    CITIES,
    COUNTRIES,
    GIVEN_NAMES,
    tuple(map(words, range(1, 21))),
)
SENTENCES = (
    Phrase("我需要{list}。", "I need {list}.", "Ich brauche {list}."),
    Phrase("我们买{list}。", "We buy {list}.", "Wir kaufen {list}."),
    Phrase("她喜欢{list}。", "She likes {list}.", "Sie mag {list}."),
    Phrase("{list}都卖完了。", "{list} are sold out.", "{list} sind ausverkauft."),
)


def joined(items: list[Phrase]) -> Phrase:
    """Chinese puts 、 between, and 和 before the last; English and German a comma, and "and" without one."""
    *first, last = items
    return Phrase(
        "、".join(item.zh for item in first) + f"和{last.zh}",
        ", ".join(item.en for item in first) + f" and {last.en}",
        ", ".join(item.de for item in first) + f" und {last.de}",
    )


def draw(rng: Random) -> Phrase:
    if rng.random() < 0.3:
        items = list(map(bare, rng.sample(SHOPPING, rng.randint(2, 4))))
        return capitalize_first(fill(rng.choice(SENTENCES), list=joined(items)))
    return joined(rng.sample(rng.choice(LISTED), rng.randint(2, 5)))
