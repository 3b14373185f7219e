"""Sentences with larger counts: both sides have the same numbers, and only what counts is counted anew."""

import pytest

from recipes.default.recounted import find_count, join_sentences, recount, write_recounted
from tests.recipes_default.amounts import amounts

PAIRS = {
    ("de", "en"): [
        ("Tom hat drei Hunde.", "Tom has three dogs."),
        ("Er ist seit 20 Jahren hier.", "He's been here for 20 years."),
        ("Es kostet fünf Dollar.", "It costs five dollars."),
        ("Zwei Leute fehlen noch.", "Two people are still missing."),
    ],
    ("zh", "en"): [
        ("汤姆有三只狗。", "Tom has three dogs."),
        ("他在这里住了20年。", "He has lived here for 20 years."),
        ("我有一本书和两支笔。", "I have a book and two pens."),
        ("这个要5美元。", "This costs 5 dollars."),
    ],
}


@pytest.mark.parametrize("languages", list(PAIRS))
def test_both_sides_have_the_same_numbers(languages):
    made = list(recount(PAIRS[languages], languages, times=100, seed=1))
    assert made == list(recount(PAIRS[languages], languages, times=100, seed=1))
    assert made != list(recount(PAIRS[languages], languages, times=100, seed=2))
    there = [tuple(amounts(text, language) for text, language in zip(pair, languages, strict=True)) for pair in made]
    assert all(source == target != [] for source, target in there)
    assert sum(len(source) for source, _ in there) in (400, 399)  # the last may wait for another to be joined to
    assert sum(len(source) == 2 for source, _ in there) > 30
    assert min(number for source, _ in there for number in source) >= 2
    assert any("€" in text for pair in made for text in pair)


def test_the_other_direction_has_the_same_sentences():
    there = PAIRS["zh", "en"]
    back = [(target, source) for source, target in there]
    assert len(list(recount(back, ("en", "zh"), 1, 1))) in (3, 4)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Tom has a dog.", "en"),
        ("Tom has two dogs and three cats.", "en"),
        ("It's three o'clock.", "en"),
        ("We meet at three tomorrow.", "en"),
        ("It is on page 30 of the book.", "en"),
        ("a three-year-old boy", "en"),
        ("He was born in 1985 in Rome.", "en"),
        ("in the 19th century", "en"),
        ("Wir kommen um drei an.", "de"),
        ("Es ist drei Uhr.", "de"),
        ("am 30. November", "de"),
        ("um 2.30 Uhr", "de"),
        ("今天星期三。", "zh"),
        ("他第三次来。", "zh"),
        ("现在三点。", "zh"),
        ("三月很冷。", "zh"),
        ("三分之一的人", "zh"),
        ("我有一本书。", "zh"),
        ("十分高兴。三个人", "zh"),
    ],
)
def test_what_counts_nothing_stays(text, language):
    assert find_count(text, language) is None


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("Two people came.", "en", 2),
        ("She weighs 120 pounds.", "en", 120),
        ("Zwölf Leute", "de", 12),
        ("他有两本书。", "zh", 2),
        ("十二本书", "zh", 12),
        ("二十年前", "zh", 20),
        ("这个房间能容纳200人。", "zh", 200),
    ],
)
def test_what_is_counted(text, language, value):
    assert find_count(text, language).value == value


def test_different_counts_are_not_the_same_sentence():
    assert not list(recount([("Tom hat drei Hunde.", "Tom has four dogs.")], ("de", "en"), 10, 1))
    assert not list(recount([("Tom hat drei Dollar.", "Tom has three coins.")], ("de", "en"), 10, 1))


def test_the_first_word_of_the_second_sentence_is_written_small_unless_it_is_a_name():
    assert join_sentences("Tom has 40 dogs.", "He's 30 years old.", "en") == "Tom has 40 dogs, and he's 30 years old."
    assert join_sentences("Er hat 40 Hunde.", "Tom hat 30 Katzen.", "de") == "Er hat 40 Hunde, und Tom hat 30 Katzen."
    assert join_sentences("他有40只狗。", "我有30只猫。", "zh") == "他有40只狗，我有30只猫。"


def test_it_is_written_from_what_was_distilled(tmp_path):
    pairs = PAIRS["de", "en"]
    (tmp_path / "everyday.de-en.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    write_recounted(tmp_path, ("de", "en"), 30, 1, tmp_path / "out.tsv")
    written = (tmp_path / "out.tsv").read_text(encoding="utf-8").split("\n")[:-1]
    assert [tuple(line.split("\t")) for line in written] == list(recount(pairs, ("de", "en"), 30, 1))
