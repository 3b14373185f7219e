"""Filters drop what they say they drop, and the counts add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendo.data.corpus import Pair
from attendo.data.filters import Filter, FilterConfig
from attendo.data.hash_set import HashSet, fingerprint
from attendo.errors import ConfigError
from attendo.text.scripts import could_be


def judge(pairs, lengths=None, chunk=100, **config):
    judge = Filter(FilterConfig(**{"max_length": None, **config}), ("zh", "en"))
    pairs = [Pair(number, *sides) for number, sides in enumerate(pairs, start=1)]
    lengths = lengths or [(len(pair.source), len(pair.target)) for pair in pairs]
    keep = []
    for start in range(0, len(pairs), chunk):
        keep += judge.keep(pairs[start : start + chunk], lengths[start : start + chunk])
    return keep, judge.counts


def test_each_filter_by_hand():
    assert judge([("a", "b"), ("", "b"), ("a", " ")])[0] == [True, False, False]
    assert judge([("a" * 9, "b"), ("a" * 10, "b")], max_length=9)[0] == [True, False]
    assert judge([("a" * 30, "b" * 10), ("a" * 31, "b" * 10), ("a" * 9, "b")], max_ratio=3.0)[0] == [True, False, True]
    assert judge([("a", "b"), ("c", "d"), ("a", "b"), ("a", "d")], duplicates=True)[0] == [True, True, False, True]
    assert judge([("a", "b"), ("a", "b")], duplicates=False)[0] == [True, True]
    chinese = [("我爱机器学习", "I love machine learning"), ("I love you", "我爱你"), ("早上好", "你好")]
    assert judge(chinese, language=True)[0] == [True, False, False]


def test_the_ledger_adds_up_and_speaks():
    keep, counts = judge(
        [("a", "b"), ("", "b"), ("a" * 20, "b"), ("a", "b"), ("x", "y")], max_length=10, duplicates=True, chunk=2
    )
    assert keep == [True, False, False, False, True]
    assert counts.adds_up
    assert str(counts) == "5 pairs read, 2 kept, dropped: 1 duplicate, 1 empty, 1 too long"


sides = st.text("ab我 ", max_size=3)


@given(
    pairs=st.lists(st.tuples(sides, sides), max_size=60),
    chunk=st.integers(1, 20),
    max_length=st.none() | st.integers(1, 3),
    duplicates=st.booleans(),
    language=st.booleans(),
)
def test_the_ledger_always_adds_up_and_chunks_do_not_matter(pairs, chunk, max_length, duplicates, language):
    config = {"max_length": max_length, "duplicates": duplicates, "language": language}
    keep, counts = judge(pairs, chunk=chunk, **config)
    assert counts.adds_up
    assert (counts.read, counts.kept) == (len(pairs), sum(keep))
    assert (keep, counts) == judge(pairs, chunk=100, **config)


@given(chunks=st.lists(st.lists(st.integers(0, 40), max_size=30), max_size=8))
def test_seen_is_a_set(chunks):
    """Against Python's own set, with so few numbers that places collide all the time."""
    table, reference = HashSet(), set()
    for chunk in chunks:
        expected = []
        for number in chunk:
            number = max(number, 1) * 2**40  # all at home in place 0; 0 and 1 are one, as the table has it
            expected.append(number not in reference)
            reference.add(number)
        numbers = np.array([max(number, 1) * 2**40 for number in chunk], dtype=np.uint64)
        assert table.add(numbers).tolist() == expected
    assert table.count == len(reference)


def test_seen_grows():
    table = HashSet()
    numbers = np.random.default_rng(1).integers(1, 2**63, 50_000, dtype=np.uint64)
    assert table.add(numbers).all()
    assert not table.add(numbers).any()
    assert table.count == 50_000
    assert table.table.nbytes <= 50_000 * 8 * 6


def test_a_fingerprint_takes_any_text():
    assert fingerprint("a\tb") == fingerprint("a\tb") != fingerprint("b\ta")
    assert fingerprint("\ud800") != fingerprint("\ud801")


@pytest.mark.parametrize("config", [{"max_length": 0}, {"max_ratio": 0.5}, {"max_ratio": float("nan")}])
def test_impossible_filters_are_one_sentence(config):
    with pytest.raises(ConfigError, match="expected at least 1"):
        FilterConfig(**config)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("我爱你", "zh", True), ("I love you", "zh", False), ("我爱你", "en", False), ("OK!", "en", True),
        ("12:30", "en", True), ("GPU 上的训练", "zh", True), ("日本語です", "ja", True),
        ("Das ist ein ganz gewöhnlicher deutscher Satz über das Wetter.", "en", False),
        ("Das ist ein ganz gewöhnlicher deutscher Satz über das Wetter.", "de", True),
        ("This is a plain English sentence about nothing.", "en", True), ("我爱你", "zh-CN", True),
        ("Esta é uma frase bastante comum em português do Brasil.", "pt-BR", True),
    ],
)  # fmt: skip
def test_could_be(text, language, expected):
    assert could_be(text, language) is expected
