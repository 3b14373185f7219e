"""Noun phrases: a determiner, perhaps an adjective, a noun; with what agrees with what in each language.

Chinese needs a measure word between a number and a noun; English a or an, and plurals; German gender and case in the
article and in the ending of the adjective.
"""

from typing import Literal

from recipes.default.made_up_kinds.numerals import chinese_count, english, german
from recipes.default.made_up_kinds.trilingual import Phrase
from recipes.default.made_up_kinds.words import Adjective, Noun

Case = Literal["nominative", "accusative"]
Determiner = Literal["the", "a", "this", "my", "your", "no"]

# Of der, dieser; and of ein, mein, dein, kein. Only the masculine has an accusative of its own.
DEFINITE = {"m": "er", "f": "ie", "n": "as"}
STRONG = {"m": "er", "f": "e", "n": "es"}
INDEFINITE = {"m": "", "f": "e", "n": ""}
GERMAN_STEM = {"a": "ein", "my": "mein", "your": "dein", "no": "kein"}

ENGLISH = {"the": "the", "this": "this", "my": "my", "your": "your", "no": "no"}


def german_article(determiner: Determiner, noun: Noun, case: Case) -> str:
    masculine_object = noun.gender == "m" and case == "accusative"
    if determiner == "the":
        return "den" if masculine_object else "d" + DEFINITE[noun.gender]
    if determiner == "this":
        return "diesen" if masculine_object else "dies" + STRONG[noun.gender]
    return GERMAN_STEM[determiner] + ("en" if masculine_object else INDEFINITE[noun.gender])


def german_ending(determiner: Determiner, noun: Noun, case: Case) -> str:
    """der rote Hut, den roten Hut, but ein roter Hut, ein rotes Auto: the adjective shows what the article does not."""
    if noun.gender == "m" and case == "accusative":
        return "en"
    return "e" if determiner in ("the", "this") else STRONG[noun.gender]


def a_or_an(word: str) -> str:
    """By the first letter, but for the words that begin like "you": a university."""
    return "an" if word[0] in "aeiou" and not word.startswith(("uni", "use", "eu")) else "a"


def chinese_start(determiner: Determiner, noun: Noun) -> str:
    """Chinese has no article: "the" is nothing, and "no" is said by the verb (没有)."""
    starts = {"the": "", "a": f"一{noun.measure}", "this": f"这{noun.measure}", "my": "我的", "your": "你的", "no": ""}
    return starts[determiner]


def one(determiner: Determiner, noun: Noun, adjective: Adjective | None = None, case: Case = "nominative") -> Phrase:
    """one("a", BOOK, RED) -> 一本红色的书, a red book, ein rotes Buch."""
    before = adjective.zh_before if adjective else ""
    if determiner in ("my", "your"):  # one 的 is enough: 我的红色帽子
        before = before.removesuffix("的")
    zh = chinese_start(determiner, noun) + before + noun.zh
    en = f"{adjective.en} {noun.en}" if adjective else noun.en
    article = a_or_an(en) if determiner == "a" else ENGLISH[determiner]
    de = german_article(determiner, noun, case)
    if adjective:
        de += f" {adjective.de_stem}{german_ending(determiner, noun, case)}"
    return Phrase(zh, f"{article} {en}", f"{de} {noun.de}")


def several(
    number: int, noun: Noun, adjective: Adjective | None = None, style: Literal["words", "digits"] = "words"
) -> Phrase:
    """several(2, BOOK, RED) -> 两本红色的书, two red books, zwei rote Bücher. Nominative and accusative are alike."""
    digits = style == "digits"
    count = chinese_count(number) if not digits else str(number)
    en_count, de_count = (str(number), str(number)) if digits else (english(number), german(number))
    return Phrase(
        f"{count}{noun.measure}" + (adjective.zh_before if adjective else "") + noun.zh,
        f"{en_count} " + (f"{adjective.en} " if adjective else "") + noun.en_plural,
        f"{de_count} " + (f"{adjective.de_stem}e " if adjective else "") + noun.de_plural,
    )


def bare(noun: Noun) -> Phrase:
    """A noun without a determiner, as in "I like cats": plural where there is one."""
    if noun.countable:
        return Phrase(noun.zh, noun.en_plural, noun.de_plural)
    return Phrase(noun.zh, noun.en, noun.de)


def none_of(noun: Noun) -> Phrase:
    """What German puts after "mag": keine Katzen, keinen Käse; Chinese and English say the not elsewhere."""
    plain = bare(noun)
    article = "keine" if noun.countable else german_article("no", noun, "accusative")
    return plain._replace(de=f"{article} {plain.de}")


def is_like(adjective: Adjective) -> Phrase:
    """A predicate: 很新, 是红色的; is new; ist neu."""
    zh = f"是{adjective.zh}的" if adjective.sort == "colour" else f"很{adjective.zh}"
    return Phrase(zh, f"is {adjective.en}", f"ist {adjective.de}")


def asked(adjective: Adjective) -> Phrase:
    """The same in a question, where Chinese has no 很: 这辆汽车新吗？"""
    zh = f"是{adjective.zh}的" if adjective.sort == "colour" else adjective.zh
    return Phrase(zh, adjective.en, adjective.de)
