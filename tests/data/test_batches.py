"""T14: every pair exactly once an epoch, in an order that can be left and found again; rows that waste little."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.data.batches import Batches, DropoutCorpus, Position, WeightedCorpus
from attendo.data.encoded import EncodedSide, ranges
from attendo.data.packing import pack, row_widths
from attendo.errors import ConfigError, DataError
from tests.text.conftest import synthetic_texts


def side(sentences):
    """As encode_corpus would have it; ids are unique per sentence so that we can tell them apart."""
    lengths = [len(sentence) for sentence in sentences]
    ids = np.array([number for sentence in sentences for number in sentence], dtype=np.uint16)
    return EncodedSide(ids, np.cumsum([0, *lengths]))


def part(count=300, seed=1, tag=4, weight=1.0, longest=30):
    rng = np.random.default_rng(seed)
    source = [[100 + n % 60_000] * int(rng.integers(1, longest)) for n in range(count)]
    target = [[100 + n % 60_000] * max(1, len(source[n]) + int(rng.integers(-3, 4))) for n in range(count)]
    return WeightedCorpus(side(source), side(target), tag, weight)


def pairs_in(batch):
    """(tag, source pieces, target pieces) of every pair in a batch, read back from the tensors."""
    for row in range(len(batch.source)):
        if batch.segments is None:
            masks = [(batch.source[row] != 0, batch.target_in[row] != 0)]
        else:
            source_numbers, target_numbers = batch.segments[0][row], batch.segments[1][row]
            count = int(source_numbers.max())
            masks = [(source_numbers == n, target_numbers == n) for n in range(1, count + 1)]
        for on_source, on_target in masks:
            source = batch.source[row][on_source].tolist()
            target_in, target_out = batch.target_in[row][on_target].tolist(), batch.target_out[row][on_target].tolist()
            assert source[-1] == target_out[-1] == 2
            assert target_in[0] == 1
            assert target_in[1:] == target_out[:-1]
            yield source[0], tuple(source[1:-1]), tuple(target_in[1:])


def expected_pairs(parts, weight=lambda part: int(part.weight)):
    return Counter(
        {(p.tag, tuple(p.source[n]), tuple(p.target[n])): weight(p) for p in parts for n in range(len(p.source))}
    )


def one_epoch(batches, rank=0, world=1, epoch=1):
    for batch, after in batches.stream(Position(epoch, 0), rank, world):
        yield batch
        if after.epoch != epoch:
            return


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("world", [1, 2, 3])
def test_every_pair_exactly_once_over_all_ranks(packed, world, evidence):
    parts = [part(300, seed=1, tag=4), part(200, seed=2, tag=5), part(50, seed=3, tag=6, weight=2.0)]
    batches = Batches(parts, tokens_per_batch=1500, seed=1, packed=packed)
    for epoch in (1, 2):
        found = Counter()
        for rank in range(world):
            for batch in one_epoch(batches, rank, world, epoch):
                found.update(pairs_in(batch))
                assert batch.num_target_tokens == int((batch.target_out != 0).sum())
        assert found == expected_pairs(parts)
    how = "packed" if packed else "one pair a row"
    evidence("T14", f"pairs missing or twice in two epochs over {world} rank(s), {how}", f"0 of {2 * found.total()}")


@pytest.mark.parametrize(("packed", "count"), [(True, 850), (False, 1250)])
def test_save_after_40_batches_and_the_next_8_are_the_same(packed, count, evidence):
    batches = Batches([part(count)], tokens_per_batch=600, seed=7, packed=packed)
    assert 40 < len(batches.epoch(1).plan) < 48, "the 8 must cross the end of an epoch"
    stream = batches.stream(Position())
    position = [after for _, after in islice(stream, 40)][-1]
    restored = Batches([part(count)], tokens_per_batch=600, seed=7, packed=packed).stream(position)
    for (ours, ours_after), (theirs, theirs_after) in zip(islice(stream, 8), islice(restored, 8), strict=True):
        assert torch.equal(ours.source, theirs.source)
        assert torch.equal(ours.target_out, theirs.target_out)
        assert ours_after == theirs_after
    how = "packed" if packed else "one pair a row"
    evidence("T14", f"batches that differ after save at 40 and restore, across an epoch's end, {how}", "0 of 8")


def test_the_order_is_a_function_of_seed_and_epoch():
    def first(seed, epoch):
        return next(Batches([part()], 1500, seed=seed).stream(Position(epoch, 0)))[0].source

    assert torch.equal(first(1, 1), first(1, 1))
    assert not torch.equal(first(1, 1), first(1, 2))
    assert not torch.equal(first(1, 1), first(2, 1))


def test_pairs_meet_others_from_epoch_to_epoch():
    """The same batches in another order would be a poor shuffle."""
    batches = Batches([part(400)], 1500, seed=1)

    def companions(epoch):
        together = {}
        for batch in one_epoch(batches, epoch=epoch):
            pairs = list(pairs_in(batch))
            together.update({pair: set(pairs) for pair in pairs})
        return together

    first, second = companions(1), companions(2)
    shared = np.mean([len(first[pair] & second[pair]) / len(first[pair]) for pair in first])
    assert shared < 0.3


def test_a_fraction_of_a_corpus_takes_turns():
    """Weight 0.25: a quarter each epoch, and after four epochs all, once each."""
    parts = [part(400, weight=0.25)]
    batches = Batches(parts, 1500, seed=1)
    found = [
        Counter(pair for batch in one_epoch(batches, epoch=epoch) for pair in pairs_in(batch)) for epoch in range(1, 5)
    ]
    assert [count.total() for count in found] == [100] * 4
    assert sum(found, Counter()) == expected_pairs(parts, weight=lambda part: 1)


def test_packed_batches_have_one_shape_and_little_padding():
    batches = Batches([part(4000, longest=40)], tokens_per_batch=4000, seed=1)
    every = list(one_epoch(batches))
    assert len({(batch.source.shape, batch.target_in.shape) for batch in every}) == 1
    full = every[:-1]
    indices = sum(batch.source.numel() + batch.target_in.numel() for batch in full)
    real = sum(int((batch.source != 0).sum() + (batch.target_in != 0).sum()) for batch in full)
    assert real / indices > 0.97
    assert max(every[0].source.numel(), every[0].target_in.numel()) <= 4000


def test_single_rows_stay_within_the_budget():
    batches = Batches([part(1000)], tokens_per_batch=800, seed=1, packed=False)
    sizes = [max(batch.source.numel(), batch.target_in.numel()) for batch in one_epoch(batches)]
    assert max(sizes) <= 800
    assert np.median(sizes) > 700
    assert all(batch.segments is None for batch in one_epoch(batches))


def test_a_pair_longer_than_everything_gets_its_row():
    long = WeightedCorpus(side([[7] * 900, [8]]), side([[7] * 1100, [8]]), tag=4)
    (batch,) = one_epoch(Batches([long], tokens_per_batch=100, seed=1))
    assert Counter(pairs_in(batch)) == expected_pairs([long])


@settings(max_examples=50, deadline=None)
@given(
    lengths=st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=200),
    seed=st.integers(0, 9),
)
def test_packing_loses_nothing_and_overfills_nothing(lengths, seed):
    source, target = np.array(lengths, dtype=np.int64).T
    widths = row_widths(source, target, width=64)
    packed = pack(source, target, widths, np.random.default_rng(seed))
    rows = np.split(packed.examples, np.cumsum(packed.counts)[:-1])
    assert sorted(packed.examples.tolist()) == list(range(len(lengths)))
    assert all(source[row].sum() <= widths.source and target[row].sum() <= widths.target for row in rows)
    assert widths.source % 8 == widths.target % 8 == 0


def test_ranges():
    assert ranges(np.array([5, 9, 3]), np.array([2, 3, 0])).tolist() == [5, 6, 9, 10, 11]


def test_a_tiny_share_of_a_small_corpus_still_gets_its_turn():
    """Weight 0.01 of 40 pairs: none in most epochs, all of them after a hundred."""
    small = [part(40, weight=0.01)]
    alone = Batches(small, 1500, seed=1)
    found = Counter()
    for batch, after in alone.stream(Position()):
        found.update(pairs_in(batch))
        if after.epoch > 100:
            break
    assert found == expected_pairs(small, weight=lambda part: 1)


def test_more_processes_than_batches_is_one_sentence():
    with pytest.raises(DataError, match="1 batches an epoch cannot be shared among 2 processes"):
        next(Batches([part(1)], 1500, seed=1).stream(Position(), rank=1, world=2))


def test_nothing_to_train_on_is_one_sentence():
    with pytest.raises(DataError, match="no pairs to train on"):
        Batches([WeightedCorpus(side([]), side([]), tag=4)], 1000, seed=1)
    with pytest.raises(ConfigError, match="weight = 0"):
        part(weight=0)
    with pytest.raises(ConfigError, match="seed = -1"):
        Batches([part(3)], 1000, seed=-1)


@pytest.fixture
def dropout_part(bpe):
    texts = list(synthetic_texts(120, seed=8))
    sides = [side(bpe.encode_all(texts[start::2])) for start in (0, 1)]
    return DropoutCorpus(*sides, tag=bpe.tag("en"), tokenizer=bpe, rate=0.2), texts, bpe


def test_dropout_cuts_anew_in_every_epoch_and_loses_nothing(dropout_part):
    part, texts, bpe = dropout_part
    batches = Batches([part], tokens_per_batch=2000, seed=3)
    expected = Counter(zip(texts[::2], texts[1::2], strict=True))
    seen = []
    for epoch in (1, 2):
        pairs = [pair for batch in one_epoch(batches, epoch=epoch) for pair in pairs_in(batch)]
        assert Counter((bpe.decode(source), bpe.decode(target)) for _, source, target in pairs) == expected
        seen.append({source for _, source, _ in pairs})
    assert len(seen[0] & seen[1]) < len(seen[0]) / 2


def test_with_dropout_a_resumed_run_sees_the_same_pieces(dropout_part):
    part, _, _ = dropout_part
    batches = Batches([part], tokens_per_batch=600, seed=3)
    stream = batches.stream(Position())
    position = [after for _, after in islice(stream, 5)][-1]
    restored = Batches([part], tokens_per_batch=600, seed=3).stream(position)
    for (ours, _), (theirs, _) in zip(islice(stream, 8), islice(restored, 8), strict=True):
        assert torch.equal(ours.source, theirs.source)


def test_epochs_have_one_shape_whatever_was_drawn_for_them():
    batches = Batches([part(600, weight=0.3, longest=60), part(100, seed=2, weight=2.5)], 2000, seed=1)
    assert len({batch.source.shape for epoch in (1, 2, 3) for batch in one_epoch(batches, epoch=epoch)}) == 1
