"""People: a foreign name in its usual Chinese form, a Chinese name in pinyin, surname first; with titles."""

from random import Random

from recipes.default.made_up_kinds.trilingual import Phrase, fill
from recipes.default.made_up_kinds.words import CHINESE_GIVEN_NAMES, CHINESE_SURNAMES, GIVEN_NAMES, SURNAMES

TITLES = (
    Phrase("{name}先生", "Mr. {name}", "Herr {name}"),
    Phrase("{name}女士", "Ms. {name}", "Frau {name}"),
    Phrase("{name}医生", "Dr. {name}", "Dr. {name}"),
    Phrase("{name}教授", "Professor {name}", "Professor {name}"),
)
AROUND = (
    Phrase("{name}", "{name}", "{name}"),
    Phrase("{name}", "{name}", "{name}"),
    Phrase("我叫{name}。", "My name is {name}.", "Ich heiße {name}."),
    Phrase("这是{name}。", "This is {name}.", "Das ist {name}."),
    Phrase("{name}在哪里？", "Where is {name}?", "Wo ist {name}?"),
    Phrase("你认识{name}吗？", "Do you know {name}?", "Kennst du {name}?"),
    Phrase("{name}写的", "by {name}", "von {name}"),
    Phrase("谢谢，{name}！", "Thank you, {name}!", "Danke, {name}!"),
    Phrase("你好，{name}！", "Hello, {name}!", "Hallo, {name}!"),
)
JOINED = Phrase("{a}和{b}", "{a} and {b}", "{a} und {b}")


def foreign(rng: Random) -> Phrase:
    return fill(Phrase("{a}·{b}", "{a} {b}", "{a} {b}"), a=rng.choice(GIVEN_NAMES), b=rng.choice(SURNAMES))


def chinese(rng: Random) -> Phrase:
    form = Phrase("{a}{b}", "{a} {b}", "{a} {b}")
    return fill(form, a=rng.choice(CHINESE_SURNAMES), b=rng.choice(CHINESE_GIVEN_NAMES))


def anyone(rng: Random) -> Phrase:
    return rng.choice((foreign, chinese, lambda rng: rng.choice(GIVEN_NAMES)))(rng)


def titled(rng: Random) -> Phrase:
    surname = rng.choice(SURNAMES if rng.random() < 0.6 else CHINESE_SURNAMES)
    return fill(rng.choice(TITLES), name=surname)


def draw(rng: Random) -> Phrase:
    way = rng.random()
    if way < 0.2:
        return titled(rng)
    if way < 0.35:
        return fill(JOINED, a=anyone(rng), b=anyone(rng))
    return fill(rng.choice(AROUND), name=anyone(rng))
