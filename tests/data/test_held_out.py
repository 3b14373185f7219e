"""Pairs held out: never a sentence of theirs in training, whatever the corpora hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.data.encoded import EncodedCorpus, EncodedSide
from attendo.data.filters import FilterCounts
from attendo.data.prepare import held_out
from attendo.data.prepare.held_out import MOST, hashes, hold_out


def side(sentences):
    ids = np.array([number for sentence in sentences for number in sentence], dtype=np.uint16)
    return EncodedSide(ids, np.cumsum([0, *map(len, sentences)]))


def corpus(pairs):
    return EncodedCorpus(side([ours for ours, _ in pairs]), side([theirs for _, theirs in pairs]), FilterCounts())


sentences = st.lists(st.integers(260, 264), min_size=1, max_size=3)  # few, so that they often come twice
corpora = st.lists(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=60), min_size=1, max_size=3)
shares = st.floats(1e-9, 0.5)


@settings(max_examples=150)
@given(corpora, shares, st.sampled_from([{"a"}, {"b"}, {"a", "b"}]), st.booleans())
def test_no_sentence_to_translate_is_on_both_sides(drawn, share, sources, turned):
    columns = [("a", "b") if turned and index % 2 else ("b", "a") for index in range(len(drawn))]
    splits = hold_out([corpus(pairs) for pairs in drawn], columns, sources, share)

    def seen(numbers_of):
        return {
            (language, tuple(sentence))
            for pairs, split, both in zip(drawn, splits, columns, strict=True)
            for number in numbers_of(split)
            for sentence, language in zip(pairs[number], both, strict=True)
            if language in sources
        }

    assert not seen(lambda split: split.held.tolist()) & seen(lambda split: split.indices.tolist())
    for pairs, split, both in zip(drawn, splits, columns, strict=True):
        assert not set(split.held.tolist()) & set(split.indices.tolist())
        decisive = 0 if both[0] in sources else 1
        distinct = {tuple(pair[decisive]) for pair in pairs}
        assert len(split.held) == min(max(1, round(share * len(pairs))), MOST, len(distinct) - 1)
        assert len({tuple(pairs[number][decisive]) for number in split.held.tolist()}) == len(split.held)
        assert split.indices.tolist() == sorted(set(split.indices.tolist()))


def test_nothing_else_is_lost():
    """With one direction, what is not trained on shares its source with a pair held out."""
    pairs = [([300 + n % 50], [300 + n]) for n in range(200)]
    (split,) = hold_out([corpus(pairs)], [("a", "b")], {"a"}, 0.05)
    assert len(split.held) == 10
    gone = {tuple(pairs[number][0]) for number in split.held.tolist()}
    assert split.indices.tolist() == [number for number, (source, _) in enumerate(pairs) if tuple(source) not in gone]


def test_the_choice_hangs_on_the_text_alone():
    pairs = [([300 + n, 7], [300 + n]) for n in range(1000)]
    (one,) = hold_out([corpus(pairs)], [("a", "b")], {"a"}, 0.02)
    (other,) = hold_out([corpus(pairs[::-1])], [("a", "b")], {"a"}, 0.02)
    assert len(one.held) == 20
    assert [pairs[n] for n in one.held] == [pairs[::-1][n] for n in other.held]
    assert one.held.tolist() != sorted(one.held.tolist()), "an order that was drawn"


def test_most_is_most():
    pairs = [([n // 250 + 300, n % 250 + 300], [300]) for n in range(30_000)]
    (split,) = hold_out([corpus(pairs)], [("a", "b")], {"a"}, 0.5)
    assert (len(split.held), len(split.indices)) == (MOST, 30_000 - MOST)


@settings(max_examples=50)
@given(st.lists(st.lists(st.integers(0, 65_535), max_size=6), max_size=30))
def test_hashes_are_equal_for_equal_sentences_alone(drawn):
    found = hashes(side(drawn)).tolist()
    assert len(set(found)) == len(set(map(tuple, drawn)))
    assert dict(zip(map(tuple, drawn), found, strict=True)) == dict(
        zip(map(tuple, drawn[::-1]), hashes(side(drawn[::-1])).tolist(), strict=True)
    )


@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_hashes_do_not_depend_on_how_many_are_hashed_at_once(chunk, monkeypatch):
    drawn = [[n, n + 1] for n in range(50)] + [[n + 1, n] for n in range(50)]
    expected = hashes(side(drawn)).tolist()
    monkeypatch.setattr(held_out, "CHUNK", chunk)
    assert hashes(side(drawn)).tolist() == expected
    assert len(set(expected)) == 100
