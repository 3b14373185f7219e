"""Products: what is sold, with the articles and pronouns that go with it in each language.

forms(LAPTOP)["the_acc"] -> 笔记本电脑, the laptop, den Laptop
forms(LAPTOP)["it"] -> 它, it, er
"""

from recipes.default.made_up_kinds.grammar import a_or_an
from recipes.default.made_up_kinds.trilingual import Phrase
from recipes.default.made_up_kinds.words import Noun, rows

PRODUCTS = tuple(Noun(**row) for row in rows("products"))  # type: ignore[arg-type]
MATERIALS = tuple((row["groups"].split(), Phrase(row["zh"], row["en"], row["de"])) for row in rows("materials"))

# Of der, dieser, Ihr and so on by gender: nominative, accusative, dative. The dative of Kunststoff has no article.
CASES = ("", "_acc", "_dat")
THE = {"m": ("der", "den", "dem"), "f": ("die", "die", "der"), "n": ("das", "das", "dem")}
STRONG = {"m": ("er", "en", "em"), "f": ("e", "e", "er"), "n": ("es", "es", "em")}
MIXED = {"m": ("", "en", "em"), "f": ("e", "e", "er"), "n": ("", "", "em")}
IT = {"m": ("er", "ihn", "ihm"), "f": ("sie", "sie", "ihr"), "n": ("es", "es", "ihm")}
NEW = {"m": "der neue", "f": "die neue", "n": "das neue"}
CHEAPER = {"m": "einen günstigeren", "f": "eine günstigere", "n": "ein günstigeres"}


def forms(noun: Noun) -> dict[str, Phrase]:
    """Every slot about the product, by its name."""
    made = {
        "product": Phrase(noun.zh, noun.en, noun.de),
        "ones": Phrase(noun.zh, noun.en_plural, noun.de_plural),
        "new_product": Phrase(f"新款{noun.zh}", f"the new {noun.en}", f"{NEW[noun.gender]} {noun.de}"),
        "cheaper_product": Phrase(f"更便宜的{noun.zh}", f"a cheaper {noun.en}", f"{CHEAPER[noun.gender]} {noun.de}"),
    }
    a = a_or_an(noun.en)
    for index, case in enumerate(CASES):
        the, strong, mixed = (endings[noun.gender][index] for endings in (THE, STRONG, MIXED))
        made |= {
            f"the{case}": Phrase(noun.zh, f"the {noun.en}", f"{the} {noun.de}"),
            f"this{case}": Phrase(f"这款{noun.zh}", f"this {noun.en}", f"dies{strong} {noun.de}"),
            f"a{case}": Phrase(f"一{noun.measure}{noun.zh}", f"{a} {noun.en}", f"ein{mixed} {noun.de}"),
            f"my{case}": Phrase(f"我的{noun.zh}", f"my {noun.en}", f"mein{mixed} {noun.de}"),
            f"your{case}": Phrase(f"您的{noun.zh}", f"your {noun.en}", f"Ihr{mixed} {noun.de}"),
            f"it{case}": Phrase("它", "it", IT[noun.gender][index]),
        }
    return made


def materials(noun: Noun) -> tuple[Phrase, ...]:
    """What such a thing may be made of; German in the dative, as after "aus"."""
    return tuple(phrase for groups, phrase in MATERIALS if noun.group in groups)
