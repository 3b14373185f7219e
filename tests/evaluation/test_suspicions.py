"""Planted mistakes are noticed, and good files are not suspected."""

import re

import pytest

from attendo.evaluation.suspicions import exchanged_columns, language_of, overlap, suspicions
from tests.evaluation.texts import sentences, spoilt

ENGLISH, CHINESE = sentences("en"), sentences("zh")
GOOD = spoilt(ENGLISH)


def lower(texts):
    return [text.lower() for text in texts]


@pytest.mark.parametrize("sources", [CHINESE, None])
def test_good_files_are_not_suspected(sources):
    assert suspicions(GOOD, [ENGLISH], sources, "en") == []
    assert suspicions(GOOD, [ENGLISH, spoilt(ENGLISH, seed=5)], sources, "en") == []
    assert suspicions(spoilt(CHINESE, "zh"), [CHINESE], ENGLISH, "zh") == []
    assert suspicions(["olleh"] * 20, [["oleh"] * 20], ["hello"] * 20, "cba") == []


@pytest.mark.parametrize(
    ("outputs", "wanted", "sources", "words"),
    [
        (CHINESE, ENGLISH, CHINESE, r"more like the source \(1.00\) than like the references \(0.0"),
        (CHINESE, ENGLISH, None, "the hypotheses look like zh and the references like en"),
        (GOOD, CHINESE, None, "the hypotheses look like en and the references like zh"),
        (ENGLISH, ENGLISH, None, "every hypothesis equals its reference"),
        (GOOD, lower(ENGLISH), None, "the references have no capital letter and the hypotheses have"),
        (lower(GOOD), ENGLISH, None, "the hypotheses have no capital letter and the references have"),
        ([*GOOD[:-2], "", " "], ENGLISH, None, "^2 of 60 hypotheses are empty, the first is line 59$"),
        (
            [*GOOD[:20], *GOOD[21:], "x"],
            ENGLISH,
            None,
            "from about line 2[0-3] on .* if the hypotheses are moved",
        ),
        (GOOD, [*ENGLISH[:9], *ENGLISH[10:], "x"], None, "from about line (9|1[01]) on .* if the references are moved"),
        ([text.replace(".", " .") for text in GOOD], ENGLISH, None, "the hypotheses look tokenised"),
        (GOOD, [text.replace(".", " .") for text in ENGLISH], None, "the references look tokenised"),
        (GOOD, [f"{text}\tmore" for text in ENGLISH], None, "each reference has a tab in it"),
    ],
)
def test_planted_mistakes(outputs, wanted, sources, words):
    found = suspicions(outputs, [wanted], sources, "en")
    assert len(found) == 1, found
    assert re.search(words, found[0])


def test_a_wrong_language_is_said():
    assert suspicions(GOOD, [ENGLISH], None, "de") == ["hypotheses and references look like en, not like de"]
    assert suspicions(GOOD, [ENGLISH], None, "en-GB") == []


def test_exchanged_columns():
    assert exchanged_columns(CHINESE, ENGLISH, "en") == exchanged_columns(ENGLISH, CHINESE, "zh-TW") == ""
    assert exchanged_columns(["hello"] * 20, ["olleh"] * 20, "cba") == ""
    sentence = exchanged_columns(ENGLISH, CHINESE, "en")
    assert sentence == "the sources look like en and the references like zh, but the translation is to be in en"


def test_small_parts():
    assert language_of(ENGLISH) == "en"
    assert language_of(["", " "]) == "en"
    assert overlap("Hello you", "helloyou") == 1
    assert overlap("", "") == 0
    assert overlap("a", "a") == 1
    assert overlap("abcd", "bcx") == pytest.approx(2 * 1 / (3 + 2))
