"""Numbers alone: digits with each language's marks, words, ordinals, percentages, and phone numbers."""

from random import Random

from recipes.default.made_up_kinds.numerals import (
    DE_ORDINALS,
    EN_ORDINALS,
    chinese,
    decimal,
    english_ordinal,
    grouped,
    words,
)
from recipes.default.made_up_kinds.trilingual import Kind, Phrase, fill, same

# What is counted by ordinals; German with the article in the gender of the noun.
ORDERED = (
    Phrase("第{n}天", "the {n} day", "der {n} Tag"),
    Phrase("第{n}周", "the {n} week", "die {n} Woche"),
    Phrase("第{n}年", "the {n} year", "das {n} Jahr"),
    Phrase("第{n}次", "the {n} time", "das {n} Mal"),
    Phrase("第{n}个问题", "the {n} question", "die {n} Frage"),
    Phrase("第{n}", "the {n}", "der {n}"),
)
NUMBERED = (
    Phrase("第{n}章", "Chapter {n}", "Kapitel {n}"),
    Phrase("第{n}页", "page {n}", "Seite {n}"),
    Phrase("第{n}步", "step {n}", "Schritt {n}"),
    Phrase("{n}号房间", "room {n}", "Zimmer {n}"),
    Phrase("图{n}", "Figure {n}", "Abbildung {n}"),
    Phrase("表{n}", "Table {n}", "Tabelle {n}"),
)
FRACTIONS = (
    Phrase("一半", "half", "die Hälfte"),
    Phrase("三分之一", "one third", "ein Drittel"),
    Phrase("三分之二", "two thirds", "zwei Drittel"),
    Phrase("四分之一", "one quarter", "ein Viertel"),
    Phrase("四分之三", "three quarters", "drei Viertel"),
    Phrase("五分之一", "one fifth", "ein Fünftel"),
    Phrase("十分之一", "one tenth", "ein Zehntel"),
)
AROUND = (
    Phrase("大约{n}", "about {n}", "etwa {n}"),
    Phrase("超过{n}", "more than {n}", "mehr als {n}"),
    Phrase("不到{n}", "less than {n}", "weniger als {n}"),
    Phrase("超过{n}人", "more than {n} people", "mehr als {n} Menschen"),
    Phrase("{n}人", "{n} people", "{n} Menschen"),
    Phrase("至少{n}", "at least {n}", "mindestens {n}"),
)
PHONES = (
    "+49 30 #######",
    "+86 138 #### ####",
    "+1 555 ### ####",
    "(555) ###-####",
    "0##/######",
    "138-####-####",
)  # a digit each


def any_size(rng: Random) -> int:
    """Short and long numbers alike often: first the number of digits, then the digits."""
    digits = rng.randint(1, 7)
    return rng.randrange(10 ** (digits - 1), 10**digits)


def integer(rng: Random) -> Phrase:
    number = any_size(rng)
    return same(str(number)) if number < 1000 or rng.random() < 0.2 else grouped(number)


def fraction(rng: Random) -> Phrase:
    return decimal(any_size(rng) * rng.choice((1, 1, 1, -1)), rng.randint(1, 3))


def in_words(rng: Random) -> Phrase:
    return words(any_size(rng) % 100_000)


def ordinal(rng: Random) -> Phrase:
    number = rng.randint(1, 12)
    return fill(rng.choice(ORDERED), n=Phrase(chinese(number), EN_ORDINALS[number], DE_ORDINALS[number]))


def ordinal_in_digits(rng: Random) -> Phrase:
    number = rng.randint(1, 200)
    return fill(rng.choice(ORDERED), n=Phrase(str(number), english_ordinal(number), f"{number}."))


def numbered(rng: Random) -> Phrase:
    return fill(rng.choice(NUMBERED), n=same(str(rng.randint(1, 400))))


def percentage(rng: Random) -> Phrase:
    number = decimal(rng.randint(1, 999), 1) if rng.random() < 0.4 else same(str(rng.randint(1, 100)))
    form = rng.choice((Phrase("{n}%", "{n}%", "{n} %"), Phrase("百分之{n}", "{n} percent", "{n} Prozent")))
    return fill(form, n=number)


def signed(rng: Random) -> Phrase:
    return fill(Phrase("负{n}", "minus {n}", "minus {n}"), n=same(str(rng.randint(1, 200))))


def around(rng: Random) -> Phrase:
    return fill(rng.choice(AROUND), n=grouped(rng.randint(2, 99) * 10 ** rng.randint(1, 4)))


def between(rng: Random) -> Phrase:
    low = rng.randint(1, 90)
    return fill(
        Phrase("{a}到{b}", "{a} to {b}", "{a} bis {b}"), a=same(str(low)), b=same(str(low + rng.randint(1, 30)))
    )


def addition(rng: Random) -> Phrase:
    a, b = rng.randint(1, 99), rng.randint(1, 99)
    form = rng.choice(
        (same("{a} + {b} = {c}"), Phrase("{a}加{b}等于{c}。", "{a} plus {b} is {c}.", "{a} plus {b} ist {c}."))
    )
    return fill(form, a=same(str(a)), b=same(str(b)), c=same(str(a + b)))


def phone(rng: Random) -> Phrase:
    """Kept as it is: nothing in it is a thousands separator."""
    return same("".join(str(rng.randrange(10)) if sign == "#" else sign for sign in rng.choice(PHONES)))


FORMS: tuple[Kind, ...] = (
    integer, integer, fraction, fraction, in_words, in_words, ordinal, ordinal_in_digits,
    numbered, percentage, signed, around, between, addition, phone,
    lambda rng: rng.choice(FRACTIONS),
)  # fmt: skip


def draw(rng: Random) -> Phrase:
    return rng.choice(FORMS)(rng)
