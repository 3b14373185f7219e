"""Breakdowns, by cases one can count."""

from collections import Counter

import pytest

from attendo.evaluation.breakdown import FrequencyClass, by_frequency, by_length, count_words, extremes, words_of
from attendo.evaluation.loops_and_numbers import NumberCounts, count_numbers_kept, find_loops
from attendo.evaluation.metrics import bleu, chrf
from tests.evaluation.texts import sentences, spoilt


def test_words():
    assert words_of("Ist 3.5 viel? 我爱AI，カナ") == ["ist", "3", "5", "viel", "我", "爱", "ai", "カ", "ナ"]
    assert words_of("snake_case — don't!") == ["snake", "case", "don", "t"]
    assert words_of(" …\u200b") == []


def test_by_length():
    wanted = ["one two three", "…", " ".join("abcdef"), " ".join(["word"] * 51)]
    outputs = ["one two three", "…", " ".join("abcdef"), "word"]
    rows = by_length(outputs, [wanted], "en", "13a")
    assert [(row.words, row.sentences) for row in rows] == [("up to 5", 2), ("6-10", 1), ("over 50", 1)]
    assert (rows[0].chrf, rows[1].bleu) == (pytest.approx(100), pytest.approx(100))
    assert rows[2].length_ratio == pytest.approx(1 / 51)
    chinese = by_length(["我" * 10, "我" * 11], [["我" * 10, "我" * 11]], "zh", "zh")
    assert [row.words for row in chinese] == ["up to 10", "11-20"]


def test_the_classes_are_all_sentences_and_scored_as_any():
    texts = sentences("en")
    outputs = spoilt(texts)
    rows = by_length(outputs, [texts, outputs], "en", "13a")
    assert sum(row.sentences for row in rows) == 60
    short = [index for index, text in enumerate(texts) if 6 <= len(words_of(text)) <= 10]
    part = [[one[index] for index in short] for one in (outputs, texts, outputs)]
    row = next(row for row in rows if row.words == "6-10")
    assert (row.bleu, row.chrf) == (bleu(part[0], part[1:]).score, chrf(part[0], part[1:]).score)


def test_by_frequency_in_the_references():
    wanted = ["the cat and the dog", "the cow", "the cat", "the cat"]
    outputs = ["the cat and a cow", "the Cow", "The, the dog", "a cat"]
    # the 5, cat 3, and 1, dog 1, cow 1
    assert by_frequency(outputs, wanted, None) == [FrequencyClass("1", 3, 2), FrequencyClass("2-5", 8, 5)]


def test_by_frequency_in_a_training_text():
    training = count_words(["我爱你 cat\tcat"] * 10 + ["dog"])
    assert training == Counter({"我": 10, "爱": 10, "你": 10, "cat": 20, "dog": 1})
    rows = by_frequency(["cat dog"], ["cat dog cow"], training)
    assert rows == [FrequencyClass("0", 1, 0), FrequencyClass("1-9", 1, 1), FrequencyClass("10-99", 1, 1)]
    assert [row.share for row in rows] == [0, 1, 1]


def test_extremes():
    assert extremes([5.0, 1.0, 9.0, 3.0, 3.0], 2) == ([1, 3], [2, 0])
    assert extremes([5.0, 1.0, 9.0], 10) == ([1, 0], [2])
    assert extremes([5.0], 10) == ([0], [])
    assert extremes([], 10) == ([], [])


def test_loops():
    round_and_round = "and so on " * 20
    outputs = ["fine", round_and_round, "no, no, no!", round_and_round]
    assert find_loops(outputs, None) == [1, 3]
    assert find_loops(outputs, ["x", "y", "z", "等等，" * 20]) == [1]


def test_numbers():
    sources = ["1,234 Bücher", "3 und 4.5", "keine", "siehe http://a.b/99"]
    outputs = ["1.234 books and twelve", "three", "none 7", "see http://a.b/99"]
    assert count_numbers_kept(outputs, sources, "de", "en") == NumberCounts(asked=3, kept=2)
    assert count_numbers_kept(["26"], ["二十六"], "zh", "en") == NumberCounts(1, 1)
    assert NumberCounts(0, 0).share is None
