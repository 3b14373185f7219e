"""The queue of sentences, with engines that are made to be slow, to fail or to hang."""

import threading
import time
from dataclasses import dataclass, field, replace

import pytest

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SearchOptions
from attendo.engines.engine import Limits, Request
from attendo.server.batching import PATIENT_SENTENCES, QueuedEngine, SentenceQueue, Ticket
from attendo.server.job import RequestError

GREEDY = SearchOptions(beam_size=1)
POISON = 666


@dataclass
class Recorder:
    """Answers each request with its own ids, holds every batch until it is let go, and remembers them all."""

    held: bool = False
    tokens_per_batch: int = 100
    name: str = "recorder"
    is_concurrent: bool = True
    threads: int | None = None
    limits: Limits = field(default_factory=lambda: Limits(1_024, 1_024))
    batches: list = field(default_factory=list)
    go: threading.Event = field(default_factory=threading.Event)

    def search(self, requests, options):
        self.batches.append([request.ids for request in requests])
        if self.held and not self.go.wait(timeout=10):
            raise TimeoutError
        if any(POISON in request.ids for request in requests):
            raise RuntimeError("poison")
        return [[Hypothesis.of(request.ids, [-0.1] * len(request.ids), 1.0)] for request in requests]

    def score(self, pairs):
        return [Hypothesis.of(ids, [-0.2] * len(ids), 1.0) for _, ids in pairs]


@pytest.fixture
def queue():
    made = []

    def make(**settings):
        one = SentenceQueue(Recorder(**settings))
        one.start()
        made.append(one)
        return one

    yield make
    for one in made:
        one.engine.go.set()
        one.close()


def ticket(client="a", begin=10.0, end=10.0):
    now = time.monotonic()
    return Ticket(client, now + begin, now + end)


def request(*ids):
    return Request(tuple(ids), 50)


def in_thread(work):
    """The result of a function, or its error, once it has ended."""
    found = []

    def run():
        try:
            found.append(work())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def result(timeout=5):
        thread.join(timeout)
        return found[0]

    return result


def occupied(queue):
    """A queue whose threads are both at work: what comes now has to wait."""
    engine = queue.engine
    for number in (1, 2):
        in_thread(lambda number=number: list(QueuedEngine(queue, ticket("first")).search([request(number)], GREEDY)))
        wait_until(lambda number=number: len(engine.batches) == number)
    return engine


def wait_until(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(0.002)


def test_answers_come_in_the_order_of_the_requests(queue):
    engine = QueuedEngine(queue(), ticket())
    answers = list(engine.search([request(number, number) for number in range(50)], GREEDY))
    assert [answer[0].ids for answer in answers] == [(number, number) for number in range(50)]
    scored = engine.score([(request(1), (5, 6)), (request(2), (7,))])
    assert [one.ids for one in scored] == [(5, 6), (7,)]


def test_sentences_of_several_requests_are_decoded_together(queue):
    one = queue(held=True)
    engine = occupied(one)
    results = [
        in_thread(lambda n=n: list(QueuedEngine(one, ticket(f"client {n}")).search([request(n)], GREEDY)))
        for n in (11, 12, 13)
    ]
    wait_until(lambda: one.size == 3)
    engine.go.set()
    assert [result()[0][0].ids for result in results] == [(11,), (12,), (13,)]
    assert sorted(engine.batches[2]) == [(11,), (12,), (13,)]


def test_clients_take_turns_and_so_do_their_requests(queue, evidence):
    """One client with 200 sentences does not keep another with one of them waiting."""
    one = queue(held=True, tokens_per_batch=8)
    engine = occupied(one)
    in_thread(lambda: list(QueuedEngine(one, ticket("big")).search([request(n) for n in range(1_000, 1_200)], GREEDY)))
    wait_until(lambda: one.size == 200)
    in_thread(lambda: list(QueuedEngine(one, ticket("big")).search([request(7)], GREEDY)))
    small = in_thread(lambda: list(QueuedEngine(one, ticket("small")).search([request(8)], GREEDY)))
    wait_until(lambda: one.size == 202)
    engine.go.set()
    small()
    assert (8,) in engine.batches[2]
    assert (7,) in engine.batches[2]
    evidence("S10", "sentences of 200 decoded before those of a small request that came after them", "at most 8")


def test_of_documents_few_sentences_go_into_one_batch(queue):
    """Two documents of two clients fill no batch, so that whoever comes meanwhile is soon served; with others they
    share it."""
    one = queue(held=True, tokens_per_batch=1_000)
    engine = occupied(one)
    results = []
    for client, first in (("a", 1_000), ("b", 2_000)):
        patient = replace(ticket(client), patient=True)
        asked = [request(n) for n in range(first, first + 20)]
        results.append(in_thread(lambda p=patient, a=asked: list(QueuedEngine(one, p).search(a, GREEDY))))
    wait_until(lambda: one.size == 40)
    urgent = in_thread(lambda: list(QueuedEngine(one, ticket("c")).search([request(n) for n in range(20)], GREEDY)))
    wait_until(lambda: one.size == 60)
    engine.go.set()
    assert [answers[0].ids for answers in urgent()] == [(n,) for n in range(20)]
    for found, first in zip(results, (1_000, 2_000), strict=True):
        assert [answers[0].ids for answers in found()] == [(n,) for n in range(first, first + 20)]
    waited = [sum(ids[0] >= 1_000 for ids in batch) for batch in engine.batches[2:]]
    assert waited == [PATIENT_SENTENCES] * 5
    assert sum(ids[0] < 1_000 for batch in engine.batches[2:4] for ids in batch) == 20  # all that was urgent


def test_a_small_request_is_answered_by_one_batch(queue):
    """Of one client's requests each has a handful of turns, so that not all of them wait for all batches."""
    one = queue(held=True, tokens_per_batch=8)
    engine = occupied(one)
    results = [
        in_thread(lambda n=n: list(QueuedEngine(one, ticket()).search([request(n + i) for i in range(4)], GREEDY)))
        for n in (100, 200, 300, 400)
    ]
    wait_until(lambda: one.size == 16)
    engine.go.set()
    for result in results:
        result()
    assert all(
        {ids[0] // 100 * 100 + i for i in range(4)} <= {other[0] for other in batch}
        for batch in engine.batches[2:]
        for ids in batch
    )


def test_what_differs_in_its_options_is_decoded_apart(queue):
    one = queue(held=True)
    engine = occupied(one)
    wide = SearchOptions(beam_size=3)
    for options, n in ((GREEDY, 11), (wide, 12), (GREEDY, 13)):
        in_thread(lambda o=options, n=n: list(QueuedEngine(one, ticket(f"{n}")).search([request(n)], o)))
        wait_until(lambda n=n: one.size == n - 10)
    engine.go.set()
    wait_until(lambda: len(engine.batches) == 4)
    assert sorted(map(sorted, engine.batches[2:])) == [[(11,), (13,)], [(12,)]]


def test_a_batch_has_no_more_tokens_than_the_engine_wants(queue):
    one = queue(held=True, tokens_per_batch=100)
    engine = occupied(one)
    result = in_thread(
        lambda: list(QueuedEngine(one, ticket()).search([request(*range(9)) for _ in range(40)], GREEDY))
    )
    wait_until(lambda: one.size == 40)
    engine.go.set()
    assert len(result()) == 40
    assert all(sum(map(len, batch)) <= 100 for batch in engine.batches)


def test_one_longer_than_a_batch_is_decoded_alone(queue):
    one = queue(tokens_per_batch=10)
    assert len(list(QueuedEngine(one, ticket()).search([request(*range(50)), request(1)], GREEDY))) == 2


def test_a_poisoned_sentence_harms_only_itself(queue, evidence):
    one = queue(held=True)
    engine = occupied(one)
    good = [
        in_thread(lambda n=n: list(QueuedEngine(one, ticket(f"{n}")).search([request(n)], GREEDY)))
        for n in range(10, 30)
    ]
    bad = in_thread(lambda: list(QueuedEngine(one, ticket("bad")).search([request(POISON)], GREEDY)))
    wait_until(lambda: one.size == 21)
    engine.go.set()
    assert all(result()[0][0].ids for result in good)
    assert isinstance(bad(), RuntimeError)
    assert list(QueuedEngine(one, ticket()).search([request(3)], GREEDY))
    evidence("S9", "other sentences of a batch that fail with a poisoned one", "0 of 20")


def test_who_has_left_is_not_decoded(queue, evidence):
    one = queue(held=True)
    engine = occupied(one)
    gone = ticket("gone")
    result = in_thread(lambda: list(QueuedEngine(one, gone).search([request(n) for n in range(100, 120)], GREEDY)))
    wait_until(lambda: one.size == 20)
    one.forget(gone)
    assert isinstance(result(), RequestError)
    assert result().kind == "cancelled"
    assert one.size == 0
    engine.go.set()
    list(QueuedEngine(one, ticket()).search([request(3)], GREEDY))
    assert not any((100,) in batch for batch in engine.batches)
    evidence("S8", "sentences decoded of a client that left while they waited", "0 of 20")


def test_a_queue_of_nobody_but_those_who_left_goes_on(queue):
    """The threads that decode outlive requests that are cancelled, or too late, before they are taken."""
    one = queue(held=True)
    engine = occupied(one)
    for number in range(6):
        late = ticket(f"late {number}", begin=0.05)
        in_thread(lambda late=late, n=number: list(QueuedEngine(one, late).search([request(100 + n)], GREEDY)))
    wait_until(lambda: one.size == 6)
    time.sleep(0.1)
    engine.go.set()
    wait_until(lambda: one.size == 0)
    assert all(thread.is_alive() for thread in one.threads)
    assert [answer[0].ids for answer in QueuedEngine(one, ticket()).search([request(3)], GREEDY)] == [(3,)]
    gone = ticket("gone")
    gone.cancelled = True
    with pytest.raises(RequestError, match="nobody waits"):
        list(QueuedEngine(one, gone).search([request(4)], GREEDY))


def test_those_who_left_hide_nobody(queue):
    """Who stands in the row after them is served in the same batch."""
    one = queue(held=True)
    engine = occupied(one)
    late = ticket("late", begin=0.05)
    in_thread(lambda: list(QueuedEngine(one, late).search([request(100)], GREEDY)))
    wait_until(lambda: one.size == 1)
    result = in_thread(lambda: list(QueuedEngine(one, ticket("b")).search([request(5)], GREEDY)))
    wait_until(lambda: one.size == 2)
    time.sleep(0.1)
    engine.go.set()
    assert result()[0][0].ids == (5,)


@pytest.mark.parametrize(("begin", "kind"), [(0.2, "busy"), (5.0, "late")])
def test_time_limits(queue, evidence, begin, kind):
    """A request that cannot begin in time is told that the server is busy; one that does not end, that it is late."""
    one = queue(held=True)
    if kind == "busy":
        occupied(one)
    started = time.monotonic()
    result = in_thread(lambda: list(QueuedEngine(one, ticket(begin=begin, end=0.3)).search([request(1)], GREEDY)))()
    seconds = time.monotonic() - started
    assert result.kind == kind
    assert seconds < 1.5
    one.engine.go.set()
    assert list(QueuedEngine(one, ticket()).search([request(3)], GREEDY))
    assert one.size == 0
    evidence(
        "S7",
        f"seconds after which a hanging engine is given up, limit {0.2 if kind == 'busy' else 0.3} ({kind})",
        f"{seconds:.1f}",
    )


def test_a_closed_queue_takes_nothing(queue):
    one = queue()
    one.close()
    with pytest.raises(RequestError, match="about to end"):
        list(QueuedEngine(one, ticket()).search([request(1)], GREEDY))
