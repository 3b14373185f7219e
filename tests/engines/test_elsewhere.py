"""An engine in another process, here in another thread: every question has the answer that the engine itself gives."""

from contextlib import contextmanager
from multiprocessing import Pipe
from threading import Thread

import pytest

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.engines.elsewhere import WARM_UP, EngineElsewhere, EngineFacts, serve_engine
from attendo.engines.engine import Limits, Request
from attendo.errors import InputError

REQUESTS = [Request((5, 6, 2), 9, text="one"), Request((7, 2), 9, phrases=((8,),), prefix=(9,), text="two")]


class Telling:
    """Answers with what it was asked."""

    name, threads, limits, tokens_per_batch, fills_powers_of_two = "telling", None, Limits(30, 40), 500, True

    def __init__(self):
        self.asked = []

    def search(self, requests, options, *, attention=False):
        self.asked.append(("search", list(requests), options, attention))
        if options.beam_size == 7:
            raise InputError("no seven")
        if options.beam_size == 9:
            raise RuntimeError("out of memory\nwith details")
        return ([hypothesis(request.ids)] * options.n_best for request in requests)

    def sample(self, requests, options, seeds=None):
        self.asked.append(("sample", list(requests), options, seeds))
        return [hypothesis(request.ids) for request in requests]

    def tokens(self, request):
        yield from request.ids

    def score(self, pairs):
        return [hypothesis(target) for _, target in pairs]


def hypothesis(ids):
    return Hypothesis.of(ids, [-0.5] * len(ids), 1.0)


@contextmanager
def served(load, askers=1, likely=None):
    pipes = [Pipe() for _ in range(askers)]
    thread = Thread(target=serve_engine, args=(load, [theirs for _, theirs in pipes], likely))
    thread.start()
    try:
        yield [ours for ours, _ in pipes]
    finally:
        for ours, _ in pipes:
            ours.close()
        thread.join(10)
        assert not thread.is_alive()  # when the last who asked is gone


def test_it_answers_as_the_engine_does_and_is_sent_no_text():
    engine = Telling()
    with served(lambda: engine) as (connection,):
        there = EngineElsewhere.at(connection)
        assert there.facts == EngineFacts("telling", None, Limits(30, 40), 500, True)
        assert (there.name, there.threads, there.limits) == ("telling", None, Limits(30, 40))
        assert (there.tokens_per_batch, there.fills_powers_of_two) == (500, True)
        options, draws = SearchOptions(beam_size=3, n_best=2), SamplingOptions(seed=4)
        assert list(there.search(REQUESTS, options, attention=True)) == list(Telling().search(REQUESTS, options))
        assert there.sample(REQUESTS, draws, [1, 2]) == Telling().sample(REQUESTS, draws)
        assert list(there.tokens(REQUESTS[0])) == [5, 6, 2]
        assert there.score([(REQUESTS[0], [4, 2])]) == [hypothesis([4, 2])]
    bare = [request._replace(text="") for request in REQUESTS]
    assert engine.asked == [("search", bare, options, True), ("sample", bare, draws, [1, 2])]


def test_an_error_is_the_answer_and_the_next_question_is_answered():
    with served(Telling) as (connection,):
        there = EngineElsewhere.at(connection)
        with pytest.raises(InputError, match="no seven"):
            there.search(REQUESTS, SearchOptions(beam_size=7))
        with pytest.raises(InputError, match=r"the process that decodes failed: RuntimeError: out of memory$"):
            there.search(REQUESTS, SearchOptions(beam_size=9))
        assert len(list(there.search(REQUESTS, SearchOptions()))) == 2


def test_several_ask_and_one_may_leave():
    with served(Telling, askers=3) as connections:
        engines = [EngineElsewhere.at(connection) for connection in connections]
        connections[1].close()
        for each in (engines[0], engines[2], engines[0]):
            assert list(each.tokens(REQUESTS[1])) == [7, 2]


def test_what_cannot_be_loaded_is_told_to_all():
    def load():
        raise InputError("no such model")

    with served(load, askers=2) as connections:
        for connection in connections:
            with pytest.raises(InputError, match="no such model"):
                EngineElsewhere.at(connection)


@pytest.mark.parametrize(("beam", "together"), [(1, 41), (4, 10), (7, 5), (9, 4), (200, 1)])
def test_one_likely_search_is_made_before_anybody_asks(beam, together):
    """No larger than those that will be asked for; and should it fail, whoever asks will be told."""
    engine = Telling()
    with served(lambda: engine, likely=SearchOptions(beam_size=beam)) as (connection,):
        assert list(EngineElsewhere.at(connection).tokens(REQUESTS[0])) == [5, 6, 2]
    assert engine.asked == [("search", [WARM_UP] * together, SearchOptions(beam_size=beam), False)]
