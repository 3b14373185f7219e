"""Each check of single lines, by cases that could go either way."""

from array import array

import numpy as np
import pytest

from attendo.data.corpus import CorpusFile, Pair
from attendo.data.hash_set import fingerprint
from attendo.doctor.checks import (
    find_duplicates,
    find_implausible,
    find_length_outliers,
    has_control_characters,
    is_copy,
    mixes_punctuation,
    mixes_scripts,
    numbers_differ,
    read_tests,
    text_is_broken,
    without_control_characters,
)
from attendo.doctor.language import count_words, is_trusted, log_odds, odds_against, trusted_words
from attendo.doctor.pairing import NO_WORD, index_words, stems_of, words_of
from attendo.doctor.survey import choose_lines
from attendo.text.scripts import guess_language


def pair(source, target):
    return Pair(1, source, target)


@pytest.mark.parametrize("text", ["fÃ¼r", "donâ€™t", "cafÃ©", "lost \ufffd", "ä½\xa0å¥½", "half \ud800", "ï¿½"])
def test_broken_encoding_is_seen(text):
    assert text_is_broken(text)


@pytest.mark.parametrize(
    "text", ["für", "don’t", "Ärger", "SÃO PAULO", "Ångström", "châteaux", "你好", "„Âmes“", "naïve"]
)
def test_good_encoding_is_left_alone(text):
    assert not text_is_broken(text)


def test_utf8_read_as_windows_1252_is_always_seen():
    for word in ("Größe", "Äpfel", "élève", "čeština", "naïve", "…wait", "“quoted”", "它们"):
        assert text_is_broken(word.encode("utf-8").decode("latin-1")), word


@pytest.mark.parametrize("sign", ["\x07", "\x85", "\u2028", "\u200b", "\ufeff", "\x0c"])
def test_control_characters(sign):
    assert has_control_characters(pair("good", f"b{sign}d"))
    assert without_control_characters(f"b{sign}d") == "b d"
    assert not has_control_characters(pair("good", "also\u00a0good"))


def test_copies_are_not_numbers_or_other_texts():
    assert is_copy(pair("Guten Tag", " guten tag "))
    assert not is_copy(pair("12:30", "12:30"))
    assert not is_copy(pair("Guten Tag", "Guten Tag!"))


def test_of_equal_fingerprints_the_first_stays():
    texts = ["a", "b", "a", "c", "b", "a"]
    assert find_duplicates(array("Q", map(fingerprint, texts))).tolist() == [2, 4, 5]
    assert find_duplicates(array("Q")).tolist() == []


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("zh-en", "他有3本书。", "He has three books."), ("zh-en", "三点", "3 o'clock"),
        ("zh-en", "4万人", "40,000 people"), ("de-en", "Es kostet 1.000 Euro.", "It costs 1,000 euros."),
        ("de-en", "am 5. Mai", "on May 5"), ("de-en", "19:30", "7:30 pm"), ("de-en", "zweihundert", "200"),
        ("zh-en", "1960年代", "the '60s"), ("zh-en", "２０１５年", "in 2015"), ("fr-en", "vingt et un", "21"),
        ("en-de", "no numbers", "keine Zahlen"), ("de-en", "Heinrich VIII.", "Henry 8"),
        ("en-de", "a week", "1 Woche"), ("cs-en", "pět psů", "5 dogs"),
        ("de-en", "Siehe https://example.org/37", "See the page"),
    ],
)  # fmt: skip
def test_numbers_that_agree(languages, source, target):
    ours, theirs = languages.split("-")
    assert not numbers_differ(pair(source, target), (ours, theirs))
    assert not numbers_differ(pair(target, source), (theirs, ours))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("zh-en", "他有37本书。", "He has books."), ("de-en", "Gleis 12", "platform 21"),
        ("de-en", "Gleis 12", "platform twenty-one"), ("zh-en", "他今年二十六岁。", "He is young."),
    ],
)  # fmt: skip
def test_numbers_that_do_not_agree(languages, source, target):
    ours, theirs = languages.split("-")
    assert numbers_differ(pair(source, target), (ours, theirs))
    assert numbers_differ(pair(target, source), (theirs, ours))


def test_scripts_are_mixed_only_by_characters_of_one_script():
    assert mixes_scripts("这個国家")
    assert not mixes_scripts("这个国家")
    assert not mixes_scripts("這個國家")
    assert not mixes_scripts("皇后在山里")  # good in both
    assert not mixes_scripts("国王 and the 王")


def test_punctuation_is_mixed_only_behind_chinese_characters():
    assert mixes_punctuation("你好,我是汤姆。")
    assert not mixes_punctuation("你好，我是汤姆。")
    assert not mixes_punctuation("你好,我是汤姆.")  # half-width throughout: another habit, but one
    assert not mixes_punctuation("价格是3.5元，见http://a.b。")


def test_length_outliers_do_not_punish_short_sentences():
    source = np.array([40] * 200 + [3, 300, 30], dtype=np.uint16)
    target = np.array([44] * 200 + [9, 20, 0], dtype=np.uint16)
    assert np.flatnonzero(find_length_outliers(source, target)).tolist() == [201]
    assert len(find_length_outliers(source[:0], target[:0])) == 0


def test_leaks(tmp_path):
    test = tmp_path / "test.tsv"
    test.write_text("Das Wetter ist heute schön.\tThe weather is fine today.\nJa.\tYes.\n", encoding="utf-8")
    tests = read_tests([CorpusFile(test)])
    assert tests.leak_into(pair("das Wetter  ist heute schön", "It is nice today."))
    assert tests.leak_into(pair("What a day!", "Das Wetter ist heute schön."))  # whichever side
    assert tests.leak_into(pair("Ja", "yes!"))
    assert not tests.leak_into(pair("Ja.", "Indeed."))  # stock phrases are no leaks
    assert not tests.leak_into(pair("Das Wetter ist heute schlecht.", "The weather is bad today."))
    assert not tests.leak_into(pair("", ""))


def test_implausible_compares_with_strangers():
    own, strangers = np.full(4000, 40.0), np.full(4000, -30.0)
    own[7], own[8] = -60.0, -60.0
    num_words = np.full(4000, 20)
    num_words[8] = 3  # too few to tell
    assert np.flatnonzero(find_implausible(own, strangers, num_words)).tolist() == [7]
    # From a small corpus too little is learned to judge a single pair.
    assert not find_implausible(own[:1000], strangers[:1000], num_words[:1000]).any()


def test_words():
    assert words_of("Das Haus, 12 房子") == ["das", "haus", "12", "房", "子"]
    assert stems_of("Nationen nation 123456") == {"natio", "123456"}
    vocabulary, table = index_words(["a b", "a b c", "a"], most_words=10, longest=2)
    assert vocabulary == ["a", "b"]  # c is seen once
    assert table.tolist() == [[1, 0], [1, 0], [0, NO_WORD]]


def test_language_by_script_and_letters():
    assert odds_against("这是一本书。", "zh") < 0 < odds_against("This is a book.", "zh")
    assert odds_against("これは本です。", "zh") > 0
    assert odds_against("这是一本书。", "en") > 0
    assert odds_against("12:30", "en") < 0
    assert odds_against("Das Wetter ist heute wirklich sehr schön.", "en") > 3
    assert guess_language(["这是一本书。", "OK", "", "他在家。"]) == "zh"
    assert guess_language(["Das ist ein sehr schönes Haus.", "Wir gehen heute nach Hause."]) == "de"


def test_trusted_words_are_pure():
    """A word of the right language is trusted, unless the foreign sentences have it as well."""
    texts = ["the dog sees Tom"] * 30 + ["der hund sieht Tom"] * 10 + ["the cat"] * 3
    odds = np.array([-5.0] * 30 + [5.0] * 10 + [-5.0] * 3)
    trusted = trusted_words(texts, odds)
    assert trusted == {"the", "dog", "sees"}  # Tom is everywhere, the cat too rare
    assert is_trusted(trusted, "The dog sees the cat.")
    assert not is_trusted(trusted, "Der Hund sees Tom.")
    assert not is_trusted(trusted, "the")  # one word is none
    assert not is_trusted(trusted, "")


def test_words_of_a_place_speak_against_another():
    here, there = count_words(["the dog"] * 50), count_words(["der hund"] * 5)
    assert log_odds("der hund", here, there, counted_here=False) > 2
    assert log_odds("the dog", here, there, counted_here=True) < -2
    assert log_odds("unheard of", here, there, counted_here=False) == 0


def test_a_large_corpus_is_sampled_in_stretches():
    assert choose_lines(10).tolist() == list(range(1, 11))
    lines = choose_lines(1_000_000, most=1000, stretch=100)
    assert len(lines) == 500
    assert lines[0] == 1
    assert lines[-1] == 1_000_000
    assert (np.diff(lines) == 1).sum() == 495
