"""Shops, letters and news: every pattern says the same in three languages, in the forms that each of them wants."""

import re
from decimal import Decimal
from functools import cache
from random import Random
from string import Formatter
from typing import Literal

import pytest

from recipes.default.made_up_kinds import documents, letters, nations, news, patterns, products, shop
from recipes.default.made_up_kinds.patterns import Pattern
from recipes.default.made_up_kinds.trilingual import STOPS, Phrase
from tests.recipes_default.amounts import amounts

DRAWS = 1000
KINDS = {"shop": shop, "letters": letters, "news": news}
CASES = ("_acc", "_dat", "_gen")
# Slots that speak of one thing by different words: of a pattern, each language may take another.
SAME_THING = {
    "product": "the this a my your it ones n_ones product new_product cheaper_product",
    "document": "document the_document your_document signed_document it",
    "country": "country country_adj to_country",
    "other": "other other_adj to_other",
    "person": "person he his_n his_f",
}
DATIVE = "mit von aus zu bei nach zwischen in"
ACCUSATIVE = "für durch gegen ohne um über auf an"
HAN = re.compile(r"[\u4e00-\u9fff]")


@cache
def drawn(kind: str) -> tuple[Phrase, ...]:
    rng = Random(f"test {kind}")
    return tuple(KINDS[kind].draw(rng) for _ in range(DRAWS))


def filling(kind: str, pattern: Pattern) -> dict[str, Phrase]:
    rng = Random(1)
    if kind != "shop":
        filled: dict[str, Phrase] = KINDS[kind].slots(rng)
        return filled
    return shop.slots(rng, next(product for product in products.PRODUCTS if pattern.fits(product.group)))


def things(text: str, kind: str) -> set[str]:
    """Of what a text speaks: the names of its slots without their cases, those of one thing alike."""
    found = set()
    for _, name, _, _ in Formatter().parse(text):
        if name:
            name = next((name.removesuffix(case) for case in CASES if name.endswith(case)), name)
            name = name.removesuffix("_ordinal")
            wanted = {"shop": ("product",), "letters": ("document",), "news": ("country", "other", "person")}[kind]
            found.add(next((thing for thing in wanted if name in SAME_THING[thing].split()), name.removeprefix("a_")))
    return found


@pytest.mark.parametrize(("kind", "fewest"), [("shop", 250), ("letters", 200), ("news", 200)])
def test_there_is_much_to_say(kind: str, fewest: int) -> None:
    assert len({pattern.text.en for pattern in KINDS[kind].PATTERNS}) >= 0.95 * fewest
    assert len(KINDS[kind].PATTERNS) >= fewest
    assert len({phrase.en for phrase in drawn(kind)}) > 0.6 * DRAWS


def test_the_world_is_large() -> None:
    assert len({row["zh"] for row in nations.COUNTRIES}) >= 60
    assert len(news.CITIES) >= 60
    assert len(nations.OFFICES) + len(nations.BODIES) >= 60


@pytest.mark.parametrize("kind", KINDS)
def test_a_pattern_speaks_of_the_same_things_in_all_languages(kind: str) -> None:
    for pattern in KINDS[kind].PATTERNS:
        zh, en, de = (things(text, kind) for text in pattern.text)
        assert zh == en == de, pattern.text


@pytest.mark.parametrize("kind", KINDS)
def test_every_slot_can_be_filled_and_nothing_is_left_open(kind: str) -> None:
    for pattern in KINDS[kind].PATTERNS:
        for text in patterns.say(pattern, filling(kind, pattern)):
            assert not set("{}") & set(text), pattern.text
            assert "? " not in text, pattern.text


@pytest.mark.parametrize("kind", KINDS)
def test_a_sentence_is_one_in_all_languages(kind: str) -> None:
    for pattern in KINDS[kind].PATTERNS:
        if not pattern.groups & {"salutation", "closing"} and not pattern.text.zh.endswith("”"):
            assert len({text[-1] in STOPS for text in pattern.text}) == 1, pattern.text
            asks = {text[-1] in "?？" for text in pattern.text}
            assert len(asks) == 1, pattern.text


@pytest.mark.parametrize("kind", KINDS)
def test_each_language_stays_in_its_column(kind: str) -> None:
    for phrase in drawn(kind):
        assert HAN.search(phrase.zh), phrase
        assert not HAN.search(phrase.en + phrase.de), phrase
        assert not re.search(r"\b(the|and|der|die|und)\b", phrase.zh), phrase
        assert not re.search(r"\b(the|your|and|of)\b", phrase.de), phrase
        assert not re.search(r"\b(der|das|und|Ihr|Ihre|nicht)\b|[äöß]", phrase.en.replace("Schröder", "")), phrase


@pytest.mark.parametrize("kind", KINDS)
def test_marks_and_articles(kind: str) -> None:
    for phrase in drawn(kind):
        assert not any(re.search(r"  |\.\.|,,|。。|[.!?] ?[a-zäöü]{3}", text) for text in phrase), phrase
        assert not re.search(r"\b[Aa] (?!Euro|euro|uni|use|UN)[aeiouAEIOU]", phrase.en), phrase
        assert not re.search(r"(?<!')\b[Aa]n (?!hour)[^aeiouAEIOU]", phrase.en), phrase
        assert phrase.en[0] in '"(' or not phrase.en[0].islower()
        assert not phrase.de[0].islower()


# What can never stand before a noun of this gender, in no case.
NEVER = {
    "m": "die das diese dieses eine einer meine meiner Ihre Ihrer",
    "f": "das dem den dieses diesem diesen ein einem einen mein meinen Ihr Ihrem Ihren",
    "n": "der den die dieser diesen diese einen eine einer meinen meine Ihren Ihre Ihrer",
}


def test_articles_of_products_have_their_gender() -> None:
    genders = {product.de: product.gender for product in products.PRODUCTS}
    plurals = {product.de_plural for product in products.PRODUCTS}
    read = 0
    for phrase in drawn("shop"):
        for article, noun in re.findall(r"\b([a-zI]\w+) ([A-Z][\w-]+)", phrase.de):
            if noun in genders and noun not in plurals:
                read += 1
                assert article not in NEVER[genders[noun]].split(), phrase
    assert read > 0.1 * DRAWS


@pytest.mark.parametrize("kind", KINDS)
def test_german_prepositions_have_their_case(kind: str) -> None:
    """Of a slot that has a dative or a genitive, mit wants the one, wegen the other, durch neither."""
    for pattern in KINDS[kind].PATTERNS:
        slots = filling(kind, pattern)
        for preposition, name in re.findall(r"\b(\w+) \{(\w+)\}", pattern.text.de):
            stem = next((name.removesuffix(case) for case in CASES if name.endswith(case)), name)
            if f"{stem}_dat" not in slots:
                continue
            if preposition.lower() in DATIVE.split():
                assert name == f"{stem}_dat", pattern.text
            if preposition == "wegen":
                assert name == f"{stem}_gen", pattern.text
            if preposition.lower() in ACCUSATIVE.split():
                assert name in (f"{stem}_acc", stem), pattern.text
                assert name == f"{stem}_acc" or f"{stem}_acc" not in slots, pattern.text


def test_a_letter_says_du_or_sie() -> None:
    intimate = 0
    for phrase in drawn("letters"):
        du = bool(re.search(r"\b([Dd]u|[Dd]ich|[Dd]ir|[Dd]eine?|Schreib|Grüß)\b", phrase.de))
        intimate += du
        assert not (du and re.search(r"\b(Sie|Ihnen|Ihre?[nmrs]?)\b", phrase.de)), phrase
        assert du <= ("你" in phrase.zh or "我" in phrase.zh), phrase
        assert "您" not in phrase.zh or not du, phrase
    assert intimate > 20


@pytest.mark.parametrize(
    ("apart", "together"),
    [
        ("Die Insel gehört zu der Türkei.", "Die Insel gehört zur Türkei."),
        ("In dem Vertrag ist ein Fehler.", "Im Vertrag ist ein Fehler."),
        ("Ich habe eine Frage zu dem Bericht.", "Ich habe eine Frage zum Bericht."),
        ("Die Insel gehört zu den USA.", "Die Insel gehört zu den USA."),
        ("Das Lied war in der Mongolei bekannt.", "Das Lied war in der Mongolei bekannt."),
    ],
)
def test_what_german_draws_together(apart: str, together: str) -> None:
    assert patterns.contracted(apart) == together


def test_after_a_salutation() -> None:
    start = Phrase("尊敬的韦伯女士：", "Dear Ms. Weber,", "Sehr geehrte Frau Weber,")
    thanks = Phrase("感谢您的来信。", "Thank you for your letter.", "Vielen Dank für Ihren Brief.")
    assert letters.after_salutation(start, thanks) == Phrase(
        "尊敬的韦伯女士：感谢您的来信。",
        "Dear Ms. Weber, thank you for your letter.",
        "Sehr geehrte Frau Weber, vielen Dank für Ihren Brief.",
    )
    name = Phrase("韦伯先生负责。", "Mr. Weber is in charge.", "Herr Weber ist zuständig.")
    assert letters.after_salutation(start, name) == name


@pytest.mark.parametrize(
    ("noun", "slot", "expected"),
    [
        ("laptop", "the_acc", Phrase("笔记本电脑", "the laptop", "den Laptop")),
        ("laptop", "this_dat", Phrase("这款笔记本电脑", "this laptop", "diesem Laptop")),
        ("keyboard", "your_dat", Phrase("您的键盘", "your keyboard", "Ihrer Tastatur")),
        ("umbrella", "a_acc", Phrase("一把雨伞", "an umbrella", "einen Regenschirm")),
        ("tent", "it_acc", Phrase("它", "it", "es")),
        ("jacket", "my", Phrase("我的夹克", "my jacket", "meine Jacke")),
        ("shirt", "cheaper_product", Phrase("更便宜的衬衫", "a cheaper shirt", "ein günstigeres Hemd")),
    ],
)
def test_forms_of_a_product(noun: str, slot: str, expected: Phrase) -> None:
    product = next(product for product in products.PRODUCTS if product.en == noun)
    assert products.forms(product)[slot] == expected


@pytest.mark.parametrize(
    ("en", "slot", "expected"),
    [
        ("contract", "the_document_gen", Phrase("合同", "the contract", "des Vertrags")),
        ("invoice", "your_document_gen", Phrase("您的发票", "your invoice", "Ihrer Rechnung")),
        ("offer", "your_document_dat", Phrase("您的报价", "your offer", "Ihrem Angebot")),
        ("report", "signed_document_acc", Phrase("签字的报告", "the signed report", "den unterschriebenen Bericht")),
        ("draft", "it_acc", Phrase("它", "it", "ihn")),
    ],
)
def test_forms_of_a_document(en: str, slot: str, expected: Phrase) -> None:
    assert documents.forms(next(row for row in documents.DOCUMENTS if row["en"] == en))[slot] == expected


def country(de: str) -> nations.Row:
    return next(row for row in nations.COUNTRIES if row["de"] == de)


@pytest.mark.parametrize(
    ("de", "dative", "genitive", "to"),
    [
        ("Frankreich", "Frankreich", "Frankreichs", "nach Frankreich"),
        ("Laos", "Laos", "von Laos", "nach Laos"),
        ("die Türkei", "der Türkei", "der Türkei", "in die Türkei"),
        ("die Niederlande", "den Niederlanden", "der Niederlande", "in die Niederlande"),
        ("die USA", "den USA", "der USA", "in die USA"),
        ("die Philippinen", "den Philippinen", "der Philippinen", "in die Philippinen"),
    ],
)
def test_forms_of_a_country(de: str, dative: str, genitive: str, to: str) -> None:
    forms = nations.country("it", country(de))
    assert [forms[name].de for name in ("it", "it_dat", "it_gen", "to_it")] == [de, dative, genitive, to]


@pytest.mark.parametrize(
    ("of", "office", "gender", "expected"),
    [
        (
            "Deutschland", "Außenminister", "m",
            ["der deutsche Außenminister", "den deutschen Außenminister", "dem deutschen Außenminister",
             "des deutschen Außenministers"],
        ),
        (
            "die Türkei", "Präsident", "m",
            ["der türkische Präsident", "den türkischen Präsidenten", "dem türkischen Präsidenten",
             "des türkischen Präsidenten"],
        ),
        (
            "China", "Finanzminister", "f",
            ["die chinesische Finanzministerin", "die chinesische Finanzministerin",
             "der chinesischen Finanzministerin", "der chinesischen Finanzministerin"],
        ),
    ],
)  # fmt: skip
def test_forms_of_an_official(of: str, office: str, gender: Literal["m", "f"], expected: list[str]) -> None:
    row = next(row for row in nations.OFFICES if row["de"] == office)
    assert [phrase.de for phrase in nations.official("who", country(of), row, gender).values()] == expected


@pytest.mark.parametrize(
    ("zh", "expected"),
    [
        ("最高法院", ["der polnische Oberste Gerichtshof", "den polnischen Obersten Gerichtshof",
                  "dem polnischen Obersten Gerichtshof", "des polnischen Obersten Gerichtshofs"]),
        ("外交部", ["das polnische Außenministerium", "das polnische Außenministerium",
                 "dem polnischen Außenministerium", "des polnischen Außenministeriums"]),
        ("国务院", ["der Staatsrat", "den Staatsrat", "dem Staatsrat", "des Staatsrats"]),
        ("国际奥委会", ["das Internationale Olympische Komitee", "das Internationale Olympische Komitee",
                   "dem Internationalen Olympischen Komitee", "des Internationalen Olympischen Komitees"]),
    ],
)  # fmt: skip
def test_forms_of_a_body(zh: str, expected: list[str]) -> None:
    row = next(row for row in nations.BODIES if row["zh"] == zh)
    assert [phrase.de for phrase in nations.body("it", row, country("Polen")).values()] == expected


def test_who_is_met() -> None:
    minister = next(row for row in nations.OFFICES if row["zh"] == "外长")
    assert nations.visitor(country("Deutschland"), minister, "m") == Phrase(
        "来访的德国外长", "the visiting German foreign minister", "den zu Besuch weilenden deutschen Außenminister"
    )
    surname = Phrase("韦伯", "Weber", "Weber")
    assert nations.named(country("die Türkei"), minister, "f", surname) == Phrase(
        "土耳其外长韦伯", "Turkish Foreign Minister Weber", "die türkische Außenministerin Weber"
    )


def test_nobody_holds_an_office_that_is_not_there() -> None:
    for name in ("China", "Großbritannien"):
        assert "总统" not in {office["zh"] for office in nations.offices_of(country(name))}
    assert "总统" in {office["zh"] for office in nations.offices_of(country("Frankreich"))}


def test_amounts_in_slots_agree() -> None:
    rng = Random(1)
    for _ in range(DRAWS):
        filled = news.slots(rng)
        for phrase in (shop.price(rng), filled["percent"], filled["money"], filled["large"], filled["meters"]):
            zh, en, de = (amounts(text, language) for language, text in phrase._asdict().items())
            assert zh == en == de, phrase
            assert len(zh) == 1, phrase
            assert zh[0] > Decimal(1), phrase
