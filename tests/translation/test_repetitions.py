"""Loops and runaway lengths: what made others go round in circles is found, what people say is not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.translation.checks import Repetition, find_loop, find_repetition, times_repeated
from tests.reference.growth import exponent
from tests.translation.real_pairs import pairs

# A source, and a translation that runs wild as others' models did.
WILD = [
    ("你好", "Hello, hello, hello, hello, hello, hello, hello, hello"),
    ("你好", "Hello. Hello. Hello. Hello. Hello. Hello."),
    ("缓缓走来", "slowly and slowly and slowly and slowly and slowly"),
    ("奥沙利文6比3丁俊晖", "O'Sullivan 6-3, 6-3, 6-3, 6-3, 6-3, 6-3, 6-3"),
    ("salad", "salad salad salad salad salad salad"),
    ("salad", "沙拉沙拉沙拉沙拉沙拉沙拉沙拉沙拉沙拉"),
    ("Hans Müller", "汉斯·穆勒·穆勒·穆勒·穆勒·穆勒·穆勒·穆勒·穆勒"),
    ("1.", "1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1."),
    ("ha " * 100, "ha " * 400),
    ("a", "a" * 200),
    ("Guten Tag.", "It was a good day and it was a good day and it was a good day and it was"),
]
# What people say, beside what they translate.
TAME = [
    ("ha " * 100, "哈" * 100),
    ("哈哈哈哈哈哈哈哈哈哈哈哈哈哈", "hahahahahahahahahahahahahaha"),
    ("非常非常非常好", "very, very, very good"),
    ("不不不不，不是", "No, no, no, no, it is not"),
    ("Chapter 1 ............................ 5", "第1章 ............................ 5"),
    ("一千万", "10,000,000"),
    ("The price is 1,000,000,000.", "价格是1,000,000,000。"),
    ("Nein! Nein! Nein!", "No! No! No!"),
    ("----------------", "----------------"),
    ("我们走吧走吧走吧", "Let's go, let's go, let's go"),
]


@pytest.mark.parametrize(("source", "output"), WILD)
def test_loops_are_found(source, output):
    assert find_repetition(output, source) is not None
    assert find_repetition("It is so: " + output + " and so on.", source) is not None


@pytest.mark.parametrize(("source", "output"), TAME)
def test_what_people_say_is_no_loop(source, output):
    assert find_repetition(output, source) is None


def test_evidence_of_the_loops(evidence):
    found = sum(find_loop(output, source) is not None for source, output in WILD)
    wrong = sum(find_loop(output, source) is not None for source, output in TAME)
    evidence("X5", "hand-written loops that made other translators fail: found", f"{found} of {len(WILD)}")
    evidence("X5", "repetitions of people taken for loops", f"{wrong} of {len(TAME)}")


@pytest.mark.parametrize("name", ["zh-en/tatoeba.dev.tsv", "de-en/tatoeba.dev.tsv", "en-de/multi30k.valid.tsv"])
def test_no_loops_in_what_people_translated(name, evidence):
    """In zh-en/ted.dev.tsv there are eight: sentences that somebody did write three times in a row."""
    rows = pairs(name)
    found = sum(find_loop(target, source) is not None for _, _, source, target in rows)
    assert found == 0
    evidence("X5", f"loops seen in the human translations of {name}, both ways", f"{found} of {len(rows)}")


def test_the_unit_and_its_start():
    assert find_repetition([7, 8] + [1, 2, 3] * 6 + [9]) == Repetition(start=2, period=3, times=6)
    assert find_repetition([5] * 8) == Repetition(start=0, period=1, times=8)
    assert find_repetition("xy" + "salad " * 5) == Repetition(start=2, period=6, times=5)
    assert find_repetition([]) is None
    assert find_repetition("") is None
    assert times_repeated("ha " * 100) == 100
    assert times_repeated("abc") == times_repeated("") == 1
    assert times_repeated("all") == 2


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(0, 50), max_size=6),
    st.lists(st.integers(100, 150), min_size=1, max_size=12, unique=True),
    st.integers(8, 20),
    st.lists(st.integers(0, 50), max_size=6),
)
def test_every_loop_is_found_wherever_it_is(before, unit, times, after):
    loop = find_repetition([*before, *unit * times, *after])
    assert loop == Repetition(len(before), len(unit), times)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(0, 10**6), max_size=80, unique=True))
def test_no_loop_without_repetition(ids):
    assert find_repetition(ids) is None


def test_a_text_too_short_for_a_loop_of_three_letters_may_hold_one_of_four():
    """Eight rounds of three are 24 letters, five of four only 20."""
    assert find_repetition("abcd" * 5 + "ef") == Repetition(0, 4, 5)


@pytest.mark.parametrize("unit", ["a", "ha ", "😀", "abcdefghij"])
def test_time_is_linear(unit, evidence):
    grows = exponent(lambda text: find_repetition(text, text), unit, 1_000 // len(unit))
    assert grows <= 1.2
    evidence("X5", f"looking for loops in {unit!r} repeated: growth exponent", f"{grows:.2f}")


def test_a_word_again_and_again():
    for wild in ("a a a to to to to to", "Der Der der, der der Hund", "we we we we we"):
        assert find_loop(wild, "我要去") is not None
    assert find_loop("no no no no no", "不不不不不") is None
    assert find_loop("No, no, no, no, no!", "Nein, nein, nein, nein!") is None
    assert find_loop("to be to be to be to", "我要去") is None
    assert find_loop("1 1 1 1 1 1", "一") is None
    assert find_loop("a a a a a", "一") is None
