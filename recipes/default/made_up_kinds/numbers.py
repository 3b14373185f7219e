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
from recipes.default.made_up_kinds.said import Kind, Said, fill, same

# What is counted by ordinals; German with the article in the gender of the noun.
ORDERED = (
    Said("第{n}天", "the {n} day", "der {n} Tag"),
    Said("第{n}周", "the {n} week", "die {n} Woche"),
    Said("第{n}年", "the {n} year", "das {n} Jahr"),
    Said("第{n}次", "the {n} time", "das {n} Mal"),
    Said("第{n}个问题", "the {n} question", "die {n} Frage"),
    Said("第{n}", "the {n}", "der {n}"),
)
NUMBERED = (
    Said("第{n}章", "Chapter {n}", "Kapitel {n}"),
    Said("第{n}页", "page {n}", "Seite {n}"),
    Said("第{n}步", "step {n}", "Schritt {n}"),
    Said("{n}号房间", "room {n}", "Zimmer {n}"),
    Said("图{n}", "Figure {n}", "Abbildung {n}"),
    Said("表{n}", "Table {n}", "Tabelle {n}"),
)
FRACTIONS = (
    Said("一半", "half", "die Hälfte"),
    Said("三分之一", "one third", "ein Drittel"),
    Said("三分之二", "two thirds", "zwei Drittel"),
    Said("四分之一", "one quarter", "ein Viertel"),
    Said("四分之三", "three quarters", "drei Viertel"),
    Said("五分之一", "one fifth", "ein Fünftel"),
    Said("十分之一", "one tenth", "ein Zehntel"),
)
AROUND = (
    Said("大约{n}", "about {n}", "etwa {n}"),
    Said("超过{n}", "more than {n}", "mehr als {n}"),
    Said("不到{n}", "less than {n}", "weniger als {n}"),
    Said("超过{n}人", "more than {n} people", "mehr als {n} Menschen"),
    Said("{n}人", "{n} people", "{n} Menschen"),
    Said("至少{n}", "at least {n}", "mindestens {n}"),
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


def integer(rng: Random) -> Said:
    number = any_size(rng)
    return same(str(number)) if number < 1000 or rng.random() < 0.2 else grouped(number)


def fraction(rng: Random) -> Said:
    return decimal(any_size(rng) * rng.choice((1, 1, 1, -1)), rng.randint(1, 3))


def in_words(rng: Random) -> Said:
    return words(any_size(rng) % 100_000)


def ordinal(rng: Random) -> Said:
    number = rng.randint(1, 12)
    return fill(rng.choice(ORDERED), n=Said(chinese(number), EN_ORDINALS[number], DE_ORDINALS[number]))


def ordinal_in_digits(rng: Random) -> Said:
    number = rng.randint(1, 200)
    return fill(rng.choice(ORDERED), n=Said(str(number), english_ordinal(number), f"{number}."))


def numbered(rng: Random) -> Said:
    return fill(rng.choice(NUMBERED), n=same(str(rng.randint(1, 400))))


def percentage(rng: Random) -> Said:
    number = decimal(rng.randint(1, 999), 1) if rng.random() < 0.4 else same(str(rng.randint(1, 100)))
    form = rng.choice((Said("{n}%", "{n}%", "{n} %"), Said("百分之{n}", "{n} percent", "{n} Prozent")))
    return fill(form, n=number)


def signed(rng: Random) -> Said:
    return fill(Said("负{n}", "minus {n}", "minus {n}"), n=same(str(rng.randint(1, 200))))


def around(rng: Random) -> Said:
    return fill(rng.choice(AROUND), n=grouped(rng.randint(2, 99) * 10 ** rng.randint(1, 4)))


def between(rng: Random) -> Said:
    low = rng.randint(1, 90)
    return fill(Said("{a}到{b}", "{a} to {b}", "{a} bis {b}"), a=same(str(low)), b=same(str(low + rng.randint(1, 30))))


def addition(rng: Random) -> Said:
    a, b = rng.randint(1, 99), rng.randint(1, 99)
    form = rng.choice(
        (same("{a} + {b} = {c}"), Said("{a}加{b}等于{c}。", "{a} plus {b} is {c}.", "{a} plus {b} ist {c}."))
    )
    return fill(form, a=same(str(a)), b=same(str(b)), c=same(str(a + b)))


def phone(rng: Random) -> Said:
    """Kept as it is: nothing in it is a thousands separator."""
    return same("".join(str(rng.randrange(10)) if sign == "#" else sign for sign in rng.choice(PHONES)))


FORMS: tuple[Kind, ...] = (
    integer, integer, fraction, fraction, in_words, in_words, ordinal, ordinal_in_digits,
    numbered, percentage, signed, around, between, addition, phone,
    lambda rng: rng.choice(FRACTIONS),
)  # fmt: skip


def draw(rng: Random) -> Said:
    return rng.choice(FORMS)(rng)
