"""The next epoch is planned in a thread: the same batches, no error lost, nothing left running."""

import threading
import time
from dataclasses import dataclass, replace
from itertools import islice

import pytest

from attendo.data.batches import Batches, Position, WeightedCorpus
from attendo.data.meanwhile import Meanwhile
from tests.data.test_same_batches import GOLDEN, many_corpora, one_corpus, sum_of
from tests.forked import end_of, forked

PATIENCE = 30  # seconds; more is a hang


def running():
    return [thread for thread in threading.enumerate() if thread.name == "meanwhile"]


@pytest.fixture(autouse=True)
def nothing_is_left_running():
    yield
    assert not running()


def planned_ahead(corpora, packed=True, seed=1):
    return Batches(corpora(), tokens_per_batch=2_000, seed=seed, packed=packed, plans_ahead=True)


@pytest.mark.parametrize("packed", [True, False])
def test_batches_are_the_same(packed):
    assert sum_of(planned_ahead(many_corpora, packed).stream(Position()), epochs=3) == GOLDEN[many_corpora, packed, 1]


def test_every_position_can_be_resumed_from():
    batches = planned_ahead(one_corpus)
    count = len(batches.epoch(1).plan) + 2
    every = list(islice(batches.stream(Position()), count))
    for index in range(count - 1):
        again = islice(batches.stream(every[index][1]), 1)
        assert sum_of(again, 1) == sum_of(every[index + 1 : index + 2], 1)


def test_the_next_epoch_is_there_before_it_is_wanted(monkeypatch):
    batches, planned = planned_ahead(one_corpus), threading.Event()

    def epoch(this, number, *check, real=Batches.epoch):
        found = real(this, number, *check)
        if number == 2:
            assert threading.current_thread().name == "meanwhile"
            planned.set()
        return found

    monkeypatch.setattr(Batches, "epoch", epoch)
    stream = batches.stream(Position())
    next(stream)
    assert planned.wait(PATIENCE)
    stream.close()


@dataclass(frozen=True)
class Unreadable(WeightedCorpus):
    """A corpus that cannot be read any more in the second epoch."""

    def in_epoch(self, seed, epoch, check=None):
        if epoch == 2:
            raise OSError(5, "Input/output error")
        return self


def test_an_error_comes_where_the_epoch_was_to_come():
    (corpus,) = one_corpus()
    parts = [Unreadable(corpus.source, corpus.target, 4)]
    batches = Batches(parts, 2_000, seed=1, plans_ahead=True)
    stream = batches.stream(Position())
    count = len(batches.epoch(1).plan)
    assert len(list(islice(stream, count))) == count
    with pytest.raises(OSError, match="Input/output"):
        next(stream)


@dataclass(frozen=True)
class Endless(WeightedCorpus):
    """Its second epoch takes for ever, unless it is given up."""

    def in_epoch(self, seed, epoch, check=None):
        while epoch == 2:
            check()
            time.sleep(0.001)
        return self


@pytest.mark.parametrize("how", ["closed", "thrown into", "forgotten"])
def test_a_plan_that_nobody_wants_any_more_is_given_up(how):
    (corpus,) = one_corpus()
    batches = Batches([Endless(corpus.source, corpus.target, 4)], 2_000, seed=1, plans_ahead=True)
    stream = batches.stream(Position())
    next(stream)
    assert len(running()) == 1
    if how == "closed":
        stream.close()
    elif how == "thrown into":
        with pytest.raises(KeyboardInterrupt):
            stream.throw(KeyboardInterrupt())
    del stream
    assert not running()


def test_a_forked_child_goes_on_with_the_same_batches():
    batches = planned_ahead(one_corpus)
    count = len(batches.epoch(1).plan) + 2
    expected = sum_of(islice(replace(batches, plans_ahead=False).stream(Position()), 1, count), 9)
    stream = batches.stream(Position())
    next(stream)

    def work():
        return 0 if sum_of(islice(stream, count - 1), 9) == expected else 1

    assert end_of(forked(work)) == 0
    assert sum_of(islice(stream, count - 1), 9) == expected
    stream.close()


def test_any_error_of_the_thread_is_the_callers():
    def broken(check):
        raise SystemExit(3)

    with Meanwhile(broken) as made, pytest.raises(SystemExit):
        made.get()
