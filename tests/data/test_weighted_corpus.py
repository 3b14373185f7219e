"""A corpus of which only some pairs may be drawn: those exactly as often as their weight says, the others never."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.data.batches import Batches, DropoutCorpus, Position, WeightedCorpus
from attendo.data.encoded import EncodedSide
from attendo.errors import DataError


def side(count):
    """Sentence n is n + 10, alone."""
    return EncodedSide(np.arange(count, dtype=np.uint16) + 10, np.arange(count + 1))


@st.composite
def corpus_and_members(draw):
    count = draw(st.integers(1, 60))
    indices = draw(st.lists(st.integers(0, count - 1), min_size=1, unique=True))
    return count, np.array(indices)


@settings(max_examples=50)
@given(corpus_and_members(), st.integers(1, 4), st.integers(0, 2**32), st.integers(1, 50))
def test_each_member_comes_weight_times_an_epoch_and_no_other(drawn, weight, seed, epoch):
    count, indices = drawn
    part = WeightedCorpus(side(count), side(count), 4, float(weight), indices)
    assert Counter(part.draw(seed, epoch).tolist()) == dict.fromkeys(indices.tolist(), weight)


@settings(max_examples=50)
@given(corpus_and_members(), st.sampled_from([0.25, 0.5, 1.5, 2.75]), st.integers(0, 2**32))
def test_of_a_fraction_all_members_have_their_turn(drawn, weight, seed):
    """Weights are relative to the indices: after four epochs each has come 4 x weight times."""
    count, indices = drawn
    part = WeightedCorpus(side(count), side(count), 4, weight, indices)
    found = Counter(number for epoch in range(1, 5) for number in part.draw(seed, epoch).tolist())
    assert found == dict.fromkeys(indices.tolist(), 4 * weight)


def test_without_members_all_are_drawn_as_before():
    everyone = np.arange(50)
    some, all_of_them = WeightedCorpus(side(50), side(50), 4, 1.5), WeightedCorpus(side(50), side(50), 4, 1.5, everyone)
    for epoch in (1, 2, 3):
        assert some.draw(7, epoch).tolist() == all_of_them.draw(7, epoch).tolist()


@pytest.mark.parametrize("packed", [True, False])
def test_batches_hold_members_alone(packed):
    indices = np.array([3, 1, 40, 17])
    batches = Batches(
        [WeightedCorpus(side(50), side(50), 4, 2.0, indices), WeightedCorpus(side(20), side(20), 5)],
        60,
        1,
        packed=packed,
    )
    found = Counter()
    for batch, after in batches.stream(Position()):
        for row in batch.source.tolist():
            real = [number for number in row if number]
            found.update(zip(real[::3], real[1::3], strict=True))  # tag, sentence, </s>
        if after.epoch == 2:
            break
    assert found == {**{(4, n + 10): 2 for n in indices.tolist()}, **{(5, n + 10): 1 for n in range(20)}}


def test_members_survive_dropout(bpe):
    texts = [bpe.encode(text) for text in ("I love books.", "they see music.", "you learn Chinese.")]
    sentences = EncodedSide(np.concatenate(texts).astype(np.uint16), np.cumsum([0, *map(len, texts)]))
    part = DropoutCorpus(sentences, sentences, 4, 1.0, np.array([2]), tokenizer=bpe, rate=0.3).in_epoch(1, 1)
    (number,) = part.draw(1, 1)
    assert bpe.decode(part.source[number]) == "you learn Chinese."


def test_members_that_cannot_be():
    with pytest.raises(DataError, match="all are held out"):
        WeightedCorpus(side(5), side(5), 4, indices=np.array([], dtype=np.int64))
    for wrong in ([5], [-1]):
        with pytest.raises(ValueError, match="numbered from 0 to 4"):
            WeightedCorpus(side(5), side(5), 4, indices=np.array(wrong))
