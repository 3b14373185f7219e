"""The same recipe and seed give the batches they gave before: a run that an earlier version began can be resumed.

These sums are frozen from our own batches. They guard a change that is to make batches faster; that each pair comes
once, whole and in its place, is shown in test_batches.py.
"""

import hashlib
from itertools import islice

import numpy as np
import pytest

from attendo.data.batches import NO_TAG, Batches, Position, WeightedCorpus
from attendo.data.encoded import EncodedSide

VOCABULARY = 8_000


def side(lengths, rng, dtype=np.uint16):
    ids = rng.integers(300, VOCABULARY, lengths.sum()).astype(dtype)
    return EncodedSide(ids, np.concatenate(([0], np.cumsum(lengths))))


def pair_of_sides(count, rng, dtype=np.uint16):
    source = rng.integers(1, 60, count)
    target = np.maximum(1, source + rng.integers(-5, 6, count))
    return side(source, rng, dtype), side(target, rng, dtype)


def many_corpora():
    """Two directions of each, weights below and above 1, pairs held out, and one that most epochs draw nothing of."""
    rng = np.random.default_rng(12)
    corpora = []
    for count, weight in ((400, 1.0), (90, 2.5), (230, 0.3), (7, 40.0), (31, 0.01), (1, 1.0), (150, 0.7)):
        ours, theirs = pair_of_sides(count, rng)
        indices = np.flatnonzero(rng.random(count) < 0.8) if count > 100 else None
        corpora += [WeightedCorpus(ours, theirs, 4, weight, indices), WeightedCorpus(theirs, ours, 5, weight, indices)]
    return corpora


def one_corpus():
    return [WeightedCorpus(*pair_of_sides(700, np.random.default_rng(3)), 4)]


def two_widths_of_ids():
    rng = np.random.default_rng(4)
    return [
        WeightedCorpus(*pair_of_sides(200, rng), NO_TAG, 1.5),
        WeightedCorpus(*pair_of_sides(120, rng, np.uint32), NO_TAG),
    ]


def plain_text():
    rng = np.random.default_rng(5)
    return [
        WeightedCorpus(
            EncodedSide(np.empty(0, dtype=np.uint16), np.zeros(count + 1, dtype=np.int64)), text, None, weight
        )
        for count, weight in ((300, 1.0), (80, 2.5))
        for text in [side(rng.integers(1, 60, count), rng)]
    ]


def sum_of(stream, epochs):
    """sha256 of all that stands in these batches, and where each leads."""
    found = hashlib.sha256()
    for batch, after in stream:
        tensors = [batch.source, batch.target_in, batch.target_out, *(batch.segments or ())]
        for tensor in tensors:
            found.update(f"{tensor.dtype} {tuple(tensor.shape)} ".encode())
            found.update(tensor.contiguous().numpy().tobytes())
        found.update(f"{batch.num_target_tokens} {after.epoch} {after.batch} ".encode())
        if after.epoch > epochs:
            break
    return found.hexdigest()[:16]


GOLDEN = {
    (many_corpora, True, 0): "a6e546142da75023",
    (many_corpora, True, 1): "6a5a91c4c1e20239",
    (many_corpora, True, 29): "4f53ee415824d4ea",
    (many_corpora, False, 0): "89d0ab44ac9d7724",
    (many_corpora, False, 1): "95df203b0dd38eb0",
    (many_corpora, False, 29): "ed1074f1e4878283",
    (one_corpus, True, 1): "3c84c4095a5b0187",
    (one_corpus, False, 1): "acc0d6baa221cf5e",
    (two_widths_of_ids, True, 1): "5ec17d361c1af2ca",
    (two_widths_of_ids, False, 1): "f292ea2216f2bb4d",
    (plain_text, True, 1): "4141edd9ff9d5c2c",
    (plain_text, False, 1): "284e32577bcf0ccb",
}


@pytest.mark.parametrize(
    ("corpora", "packed", "seed"), GOLDEN, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_batches_are_what_they_were(corpora, packed, seed):
    batches = Batches(corpora(), tokens_per_batch=2_000, seed=seed, packed=packed)
    assert sum_of(batches.stream(Position()), epochs=3) == GOLDEN[corpora, packed, seed]


@pytest.mark.parametrize("packed", [True, False])
def test_a_resumed_stream_goes_on_with_the_same_batches(packed):
    """From every position of an epoch, across its end."""
    batches = Batches(many_corpora(), tokens_per_batch=4_000, seed=1, packed=packed)
    count = len(batches.epoch(1).plan) + 3
    every = list(islice(batches.stream(Position()), count))
    for index in range(0, count - 1, 3):
        again = islice(batches.stream(every[index][1]), 1)
        assert sum_of(again, 1) == sum_of(every[index + 1 : index + 2], 1)


def test_ranks_share_the_batches_of_one():
    batches = Batches(many_corpora(), tokens_per_batch=2_000, seed=1)
    count = len(batches.epoch(1).plan)
    alone = [batch for batch, _ in islice(batches.stream(Position()), count)]
    for rank in range(3):
        own = alone[rank::3]
        shared = islice(batches.stream(Position(), rank, 3), len(own))
        assert all(ours.source.equal(theirs.source) for (ours, _), theirs in zip(shared, own, strict=True))
