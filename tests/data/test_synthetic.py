"""Synthetic corpora: the words they promise, the same ones every time."""

import json
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.data import synthetic
from attendo.data.corpus import Pair
from attendo.data.synthetic import SyntheticCorpus
from attendo.errors import ConfigError


def no_problem(problem):
    raise AssertionError(problem)


def pairs(*settings, **more):
    return list(SyntheticCorpus(*settings, **more).pairs(no_problem))


@settings(max_examples=40)
@given(
    st.sampled_from(["copy", "reverse"]),
    st.integers(1, 300),
    st.integers(1, 8),
    st.integers(0, 8),
    st.integers(1, 26),
    st.integers(0, 2**63 - 1),
)
def test_words_are_what_was_asked_for(task, count, shortest, more, letters, seed):
    found = pairs(task, count, shortest, shortest + more, letters, seed)
    assert [pair.line for pair in found] == list(range(1, count + 1))
    for pair in found:
        assert shortest <= len(pair.source) <= shortest + more
        assert set(pair.source) <= set("abcdefghijklmnopqrstuvwxyz"[:letters])
        assert pair.target == (pair.source if task == "copy" else pair.source[::-1])


def test_the_seed_decides(monkeypatch):
    assert pairs("copy", 100, seed=5) == pairs("copy", 100, seed=5)
    assert pairs("copy", 100, seed=5) != pairs("copy", 100, seed=6)
    assert [pair.source for pair in pairs("copy", 100)] == [pair.source for pair in pairs("reverse", 100)]
    monkeypatch.setattr(synthetic, "CHUNK", 16)
    assert len(pairs("copy", 100)) == 100


def test_every_length_and_letter_is_about_equally_likely():
    words = [pair.source for pair in pairs("copy", 12_000)]
    lengths, letters = Counter(map(len, words)), Counter("".join(words))
    assert lengths.keys() == set(range(1, 13))
    assert 900 < min(lengths.values()) <= max(lengths.values()) < 1100
    assert max(letters.values()) < 1.2 * min(letters.values())


def test_a_huge_corpus_is_a_stream():
    first = list(islice(SyntheticCorpus("reverse", 100_000_000).pairs(no_problem), 3))
    assert all(isinstance(pair, Pair) for pair in first)


def test_its_identity_is_its_settings():
    one = SyntheticCorpus("copy", 10)
    assert json.dumps(one.identity()) == json.dumps(SyntheticCorpus("copy", 10).identity())
    others = [
        SyntheticCorpus("reverse", 10),
        SyntheticCorpus("copy", 11),
        SyntheticCorpus("copy", 10, seed=2),
        SyntheticCorpus("copy", 10, letters=5),
    ]
    assert all(other.identity() != one.identity() for other in others)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"num_pairs": 0}, "pairs = 0"),
        ({"num_pairs": 10**12}, "pairs = 1000000000000"),
        ({"shortest": 0}, "shortest = 0"),
        ({"shortest": 9, "longest": 8}, "shortest = 9 and longest = 8"),
        ({"longest": 10**6}, "longest = 1000000"),
        ({"letters": 0}, "letters = 0"),
        ({"letters": 27}, "letters = 27"),
        ({"seed": -1}, "seed = -1"),
    ],
)
def test_what_cannot_be_is_refused(settings, sentence):
    with pytest.raises(ConfigError, match=sentence):
        SyntheticCorpus(**({"task": "copy", "num_pairs": 10} | settings))
