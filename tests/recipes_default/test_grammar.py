"""What agrees with what: articles, endings, plurals, measure words; and the tables they are made from."""

import re
from random import Random
from string import Formatter

import pytest

from recipes.default.made_up_kinds import fragments, sentences
from recipes.default.made_up_kinds.clauses import did, did_after_adverb, does
from recipes.default.made_up_kinds.grammar import Case, Determiner, a_or_an, none_of, one, several
from recipes.default.made_up_kinds.trilingual import Phrase
from recipes.default.made_up_kinds.words import (
    ADJECTIVES,
    COUNTABLE,
    FOLDER,
    NOUNS,
    TEMPLATES,
    VERBS,
    Adjective,
    Noun,
    describing,
    fitting,
    rows,
)


def noun(en: str) -> Noun:
    return next(noun for noun in NOUNS if noun.en == en)


def adjective(en: str) -> Adjective:
    return next(adjective for adjective in ADJECTIVES if adjective.en == en)


@pytest.mark.parametrize(
    ("determiner", "described", "case", "expected"),
    [
        ("the", "red car", "nominative", Phrase("红色的汽车", "the red car", "das rote Auto")),
        ("the", "red hat", "nominative", Phrase("红色的帽子", "the red hat", "der rote Hut")),
        ("the", "red hat", "accusative", Phrase("红色的帽子", "the red hat", "den roten Hut")),
        ("the", "red lamp", "accusative", Phrase("红色的灯", "the red lamp", "die rote Lampe")),
        ("a", "old umbrella", "nominative", Phrase("一把旧雨伞", "an old umbrella", "ein alter Regenschirm")),
        ("a", "old umbrella", "accusative", Phrase("一把旧雨伞", "an old umbrella", "einen alten Regenschirm")),
        ("a", "white cat", "accusative", Phrase("一只白色的猫", "a white cat", "eine weiße Katze")),
        ("a", "expensive car", "accusative", Phrase("一辆昂贵的汽车", "an expensive car", "ein teures Auto")),
        ("a", "tall tower", "nominative", Phrase("一座高大的塔", "a tall tower", "ein hoher Turm")),
        ("my", "new book", "nominative", Phrase("我的新书", "my new book", "mein neues Buch")),
        ("my", "new jacket", "nominative", Phrase("我的新夹克", "my new jacket", "meine neue Jacke")),
        ("this", "black dog", "nominative", Phrase("这只黑色的狗", "this black dog", "dieser schwarze Hund")),
        ("this", "black dog", "accusative", Phrase("这只黑色的狗", "this black dog", "diesen schwarzen Hund")),
        ("no", "new coat", "accusative", Phrase("新大衣", "no new coat", "keinen neuen Mantel")),
    ],
)
def test_one_of_a_thing(determiner: Determiner, described: str, case: Case, expected: Phrase) -> None:
    like, what = described.split(" ")
    assert one(determiner, noun(what), adjective(like), case) == expected


def test_several_of_a_thing() -> None:
    assert several(2, noun("cat")) == Phrase("两只猫", "two cats", "zwei Katzen")
    assert several(3, noun("car"), adjective("red")) == Phrase("三辆红色的汽车", "three red cars", "drei rote Autos")
    assert several(12, noun("book")) == Phrase("十二本书", "twelve books", "zwölf Bücher")
    assert several(2, noun("horse"), style="digits") == Phrase("2匹马", "2 horses", "2 Pferde")


def test_none_of_a_thing() -> None:
    assert none_of(noun("cheese")).de == "keinen Käse"
    assert none_of(noun("milk")).de == "keine Milch"
    assert none_of(noun("cat")).de == "keine Katzen"


@pytest.mark.parametrize(
    ("word", "article"), [("apple", "an"), ("old car", "an"), ("university", "a"), ("new egg", "a")]
)
def test_a_or_an(word: str, article: str) -> None:
    assert a_or_an(word) == article


def test_two_before_a_measure_word_is_liang() -> None:
    rng = Random(1)
    wrong = re.compile(f"(?<![十期])二[{''.join({noun.measure for noun in COUNTABLE})}]")
    for _ in range(3000):
        for phrase in (fragments.draw(rng), sentences.draw(rng)):
            assert not wrong.search(phrase.zh), phrase


def test_the_verb_agrees_with_its_subject() -> None:
    rng = Random(1)
    for _ in range(3000):
        for phrase in (does(rng), did(rng), did_after_adverb(rng)):
            assert not re.search(r"\b(he|she|father) (have|see|need|want|buy|sell|draw|find)\b", phrase.en), phrase
            assert not re.search(r"\b(I|you|we|they) (has|sees|needs|wants|buys|sells|draws|finds)\b", phrase.en), (
                phrase
            )
            if phrase.zh.startswith("我们") and not phrase.zh.startswith("我们的"):
                assert re.search(r"(\w+en wir|wir \w+en)\b", phrase.de), phrase


def test_every_template_has_the_same_slots_in_all_languages() -> None:
    for template in TEMPLATES:
        zh, en, de = ({name for _, name, _, _ in Formatter().parse(text) if name} - {"is_like"} for text in template)
        assert zh == en == de, template


@pytest.mark.parametrize("table", sorted(path.stem for path in FOLDER.glob("*.tsv")))
def test_tables_are_whole(table: str) -> None:
    lines = list(rows(table))
    assert lines
    for row in lines:
        assert all(value and value == value.strip() for value in row.values()), row
    keys = [tuple(row.values()) for row in lines]
    assert table == "sentences" or len(set(keys)) == len(keys)


def test_every_noun_can_be_described_and_every_group_exists() -> None:
    assert all(describing(noun) for noun in COUNTABLE)
    groups = {noun.group for noun in NOUNS}
    for wanted in (*(word.groups for word in ADJECTIVES), *(verb.groups for verb in VERBS)):
        assert set(wanted.split()) <= groups
        assert fitting(wanted)
    for each in NOUNS:
        assert each.gender in ("m", "f", "n")
        assert each.de[0].isupper()
        assert each.countable == (each.measure != "-") == (each.de_plural != "-")
