"""Joined sides hold the sentences of the sides they were made of, each side once."""

import numpy as np
import pytest

from attendo.data.batches import Batches, WeightedCorpus
from attendo.data.encoded import EncodedSide
from attendo.data.joined_sides import FEW, JoinedSides


def sides_of(count, dtype=np.uint16):
    rng = np.random.default_rng(count)
    sides = []
    for sentences in rng.integers(1, 30, count):
        lengths = rng.integers(0, 9, sentences)  # a sentence may be empty
        sides.append(EncodedSide(rng.integers(9, 5_000, lengths.sum()).astype(dtype), np.cumsum([0, *lengths])))
    return sides


@pytest.mark.parametrize("most_bytes", [0, 400, 2**30], ids=["nothing is joined", "some", "all"])
@pytest.mark.parametrize("count", [1, FEW, FEW + 1, 20])
def test_every_sentence_is_found(count, most_bytes):
    sides = sides_of(count)
    given = [*sides, *sides[::-1], sides[0]]
    joined = JoinedSides.of(given, most_bytes)
    expected = [side[index] for side in given for index in range(len(side))]
    side_index = np.repeat(np.arange(len(given)), list(map(len, given)))
    pair_index = np.concatenate([np.arange(len(side)) for side in given])
    order = np.random.default_rng(1).permutation(len(expected))
    found = joined.gather(side_index[order], pair_index[order])
    ends = np.cumsum(found.lengths)[:-1]
    assert [sentence.tolist() for sentence in np.split(found.ids, ends)] == [expected[index] for index in order]
    assert found.ids.dtype == np.int64
    stored = sum(side.ids.size for side in joined.sides)
    assert stored == sum(side.ids.size for side in sides), "each side is stored once"


def test_few_sides_and_large_ones_stay_where_they_are_mapped():
    sides = sides_of(FEW)
    assert [*map(id, JoinedSides.of([*sides, *sides]).sides)] == [*map(id, sides)]
    many = sides_of(20)
    largest = max(many, key=lambda side: side.ids.nbytes)
    joined = JoinedSides.of(many, most_bytes=sum(side.ids.nbytes for side in many) - 1)
    assert len(joined.sides) == 2
    assert joined.sides[1] is largest


def test_ids_keep_their_width():
    assert JoinedSides.of(sides_of(9)).sides[0].ids.dtype == np.uint16
    assert JoinedSides.of([*sides_of(9), *sides_of(3, np.uint32)]).sides[0].ids.dtype == np.uint32


def test_epochs_share_what_was_joined():
    sides = sides_of(8)
    batches = Batches([WeightedCorpus(side, side, 4) for side in sides], 500, seed=1)
    assert batches.epoch(1).sentences is batches.epoch(2).sentences
