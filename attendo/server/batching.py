"""Sentences of all requests, decoded together.

While the engine works, sentences gather; when it is free it takes as many as a batch may hold, one from each client in
turn, and of a client a handful from each of its requests. Nothing waits for a clock: alone, a sentence is decoded at
once.

    request threads      Translator -> QueuedEngine.search -> queue, and wait
    decoding threads     queue -> a batch -> the real engine -> who waits

A request thread sees an engine like any other, so that cutting, retries and ledger are those of `attendo translate`; a
retry takes its turn like a first attempt.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.engines.engine import Engine, Limits, Request
from attendo.errors import UsageError
from attendo.server.job import RequestError

AT_ONCE = 1_000_000  # tokens that a request may hand over in one go: the queue makes the batches
HANDFUL = 4  # sentences of one request before the client's next has its turn: a small one is answered by one batch
PATIENT_SENTENCES = 8  # of documents in one batch: whoever comes meanwhile waits for its end, and need not wait long
DECODING_THREADS = 2  # of an engine that can be asked by several: one batch is made ready while another is decoded


Outcome = list[Hypothesis] | BaseException  # of one sentence


class DecodingWork(NamedTuple):
    """What sentences must have in common to be decoded together."""

    options: SearchOptions | None  # None: given answers are scored
    attention: bool = False

    @property
    def rows(self) -> int:
        return self.options.beam_size if self.options else 1


@dataclass(eq=False)
class Ticket:
    """One request's right to be served: by whom, until when, and whether anybody still waits for it."""

    client: str
    begin_by: float  # of the clock time.monotonic: if nothing of it was decoded by then, the server is too busy
    end_by: float
    came: float = 0.0
    begun: bool = False
    cancelled: bool = False
    patient: bool = False  # a document: nobody looks on while it is translated

    @property
    def deadline(self) -> float:
        return self.end_by if self.begun else min(self.begin_by, self.end_by)

    @property
    def is_alive(self) -> bool:
        return not self.cancelled and time.monotonic() < self.deadline


@dataclass(eq=False)
class Call:
    """One call of an engine, and the answers to it as they come in."""

    ticket: Ticket
    size: int
    answers: dict[int, Outcome] = field(default_factory=dict)
    done: threading.Condition = field(default_factory=threading.Condition)

    def put(self, answers: dict[int, Outcome]) -> None:
        with self.done:
            self.answers |= answers
            self.done.notify()

    def results(self) -> Iterator[list[Hypothesis]]:
        """In order, each as soon as it is there; or an error, if it failed, or nobody waits, or time is up."""
        for index in range(self.size):
            answer = self.wait_for(index)
            if isinstance(answer, BaseException):
                raise answer
            yield answer

    def wait_for(self, index: int) -> Outcome:
        ticket = self.ticket
        with self.done:
            while index not in self.answers:
                if ticket.cancelled:
                    return RequestError("cancelled", "nobody waits for this request any more")
                left = ticket.deadline - time.monotonic()
                if left <= 0 and ticket.begun:
                    return RequestError("late", "the translation was not done in time")
                if left <= 0:
                    return RequestError("busy", "the server is too busy to begin in time", retry_after=5)
                self.done.wait(left)
            return self.answers[index]

    def wake(self) -> None:
        with self.done:
            self.done.notify()


def check_count(answers: int, sentences: int) -> None:
    """Whatever an engine does, no thread that decodes may end by it."""
    if answers != sentences:
        raise RuntimeError(f"{answers} answers to {sentences} sentences")


class WaitingSentence(NamedTuple):
    """One sentence that waits to be decoded, or one answer to be scored."""

    request: Request
    work: DecodingWork
    call: Call
    at: int  # which of the call's
    scored: tuple[int, ...] = ()

    @property
    def length(self) -> int:
        return max(len(self.request.ids), len(self.scored))


@dataclass(eq=False)
class SentenceQueue:
    """Sentences on their way to one engine. `close` ends its threads."""

    engine: Engine
    on_batch: Callable[[int, float], None] = lambda sentences, seconds: None  # told of each that was decoded
    waiting: dict[str, dict[Ticket, deque[WaitingSentence]]] = field(default_factory=dict)  # by client and request
    changed: threading.Condition = field(default_factory=threading.Condition)
    closed: bool = False
    size: int = 0  # sentences that wait
    threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        for number in range(DECODING_THREADS if getattr(self.engine, "is_concurrent", False) else 1):
            thread = threading.Thread(target=self.decode_batches, name=f"decoding-{number + 1}", daemon=True)
            self.threads.append(thread)
            thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether it decodes; a queue whose threads have ended would let everybody wait for ever."""
        return bool(self.threads) and all(thread.is_alive() for thread in self.threads)

    def close(self) -> None:
        with self.changed:
            self.closed = True
            self.changed.notify_all()
        for thread in self.threads:
            thread.join(timeout=5)

    def put(self, sentences: Sequence[WaitingSentence]) -> None:
        with self.changed:
            if self.closed:
                raise RequestError("busy", "the server is about to end", retry_after=5)
            if any(sentence.call.ticket.cancelled for sentence in sentences):
                raise RequestError("cancelled", "nobody waits for this request any more")
            for sentence in sentences:
                ticket = sentence.call.ticket
                self.waiting.setdefault(ticket.client, {}).setdefault(ticket, deque()).append(sentence)
            self.size += len(sentences)
            self.changed.notify(DECODING_THREADS)

    def forget(self, ticket: Ticket) -> None:
        """Nobody waits for it any more: what of it is not yet being decoded will not be."""
        ticket.cancelled = True
        with self.changed:
            requests = self.waiting.get(ticket.client, {})
            gone = requests.pop(ticket, deque())
            self.size -= len(gone)
            if not requests:
                self.waiting.pop(ticket.client, None)
        for call in {id(sentence.call): sentence.call for sentence in gone}.values():
            call.wake()

    def take(self) -> list[WaitingSentence]:
        """The next batch, as soon as there is one; an empty one when the queue is closed."""
        with self.changed:
            while not self.closed:
                if batch := self.gathered():
                    return batch
                self.changed.wait()
            return []

    def gathered(self) -> list[WaitingSentence]:
        """Of each client in turn the next sentence, as long as there is room.

        All that is decoded together has the same options: the first decides which. None, if nobody waits, or only who
        has left or run out of time.
        """
        batch: list[WaitingSentence] = []
        work: DecodingWork | None = None
        tokens = 0
        patient = 0  # sentences of documents
        passed_over = 0  # clients in a row of whom nothing would fit
        while self.waiting and passed_over < len(self.waiting):
            client, requests = next(iter(self.waiting.items()))
            sentence = self.next_of(requests, work, tokens, only_urgent=patient >= PATIENT_SENTENCES)
            del self.waiting[client]
            if requests:
                self.waiting[client] = requests  # to the end of the row
            if sentence:
                passed_over = 0
                work = sentence.work
                tokens += sentence.length
                patient += sentence.call.ticket.patient
                batch.append(sentence)
            elif requests:
                passed_over += 1
        return batch

    def next_of(
        self,
        requests: dict[Ticket, deque[WaitingSentence]],
        work: DecodingWork | None,
        tokens: int,
        *,
        only_urgent: bool = False,
    ) -> WaitingSentence | None:
        """Of one client, and taken out of the queue; None if none fits."""
        for ticket in list(requests):
            sentences = requests[ticket]
            if not ticket.is_alive:
                del requests[ticket]
                self.size -= len(sentences)
                for call in {id(sentence.call): sentence.call for sentence in sentences}.values():
                    call.wake()
                continue
            first = sentences[0]
            fits = work is None or (first.work == work and self.has_room(first, tokens))
            fits = fits and not (only_urgent and ticket.patient)
            if fits:
                sentences.popleft()
                self.size -= 1
                ticket.begun = True
            if not sentences:
                del requests[ticket]
            elif not fits or (first.at + 1) % HANDFUL == 0:
                requests[ticket] = requests.pop(ticket)  # to the end of the row
            if fits:
                return first
        return None

    def has_room(self, sentence: WaitingSentence, tokens: int) -> bool:
        """Not counting padding: CTranslate2 sorts what it is given and decodes sentences of like lengths together."""
        return (tokens + sentence.length) * sentence.work.rows <= self.engine.tokens_per_batch

    def decode_batches(self) -> None:
        while batch := self.take():
            started = time.perf_counter()
            self.decode(batch)
            self.on_batch(len(batch), time.perf_counter() - started)

    def decode(self, batch: Sequence[WaitingSentence]) -> None:
        """Whatever goes wrong is the answer to those it concerns: of a batch that failed each is tried alone."""
        try:
            answers: list[Outcome] = [*self.run(batch)]
            check_count(len(answers), len(batch))
        except Exception as error:  # whatever it is, no thread that decodes may end by it
            if len(batch) > 1:
                for sentence in batch:
                    self.decode([sentence])
                return
            answers = [error]
        calls: dict[int, tuple[Call, dict[int, Outcome]]] = {}
        for sentence, answer in zip(batch, answers, strict=True):
            calls.setdefault(id(sentence.call), (sentence.call, {}))[1][sentence.at] = answer
        for call, found in calls.values():
            call.put(found)

    def run(self, batch: Sequence[WaitingSentence]) -> list[list[Hypothesis]]:
        work = batch[0].work
        if work.options is None:
            scored = self.engine.score([(sentence.request, sentence.scored) for sentence in batch])
            return [[hypothesis] for hypothesis in scored]
        requests = [sentence.request for sentence in batch]
        return list(self.engine.search(requests, work.options, **({"attention": True} if work.attention else {})))


@dataclass(frozen=True)
class QueuedEngine:
    """The engine as one request sees it: what it asks goes through the queue."""

    queue: SentenceQueue
    ticket: Ticket

    @property
    def name(self) -> str:
        return self.queue.engine.name

    @property
    def threads(self) -> int | None:
        return self.queue.engine.threads

    @property
    def limits(self) -> Limits:
        return self.queue.engine.limits

    @property
    def tokens_per_batch(self) -> int:
        return AT_ONCE

    def search(
        self, requests: Sequence[Request], options: SearchOptions, *, attention: bool = False
    ) -> Iterator[list[Hypothesis]]:
        call, work = Call(self.ticket, len(requests)), DecodingWork(options, attention)
        self.queue.put([WaitingSentence(request, work, call, at) for at, request in enumerate(requests)])
        return call.results()

    def score(self, pairs: Sequence[tuple[Request, Sequence[int]]]) -> list[Hypothesis]:
        call, work = Call(self.ticket, len(pairs)), DecodingWork(None)
        self.queue.put(
            [WaitingSentence(request, work, call, index, tuple(ids)) for index, (request, ids) in enumerate(pairs)]
        )
        return [answers[0] for answers in call.results()]

    def sample(
        self, requests: Sequence[Request], options: SamplingOptions, seeds: Sequence[int] | None = None
    ) -> list[Hypothesis]:
        raise UsageError("a server searches for translations, it draws none")

    def tokens(self, request: Request) -> Iterator[int]:
        raise UsageError("a server gives sentence after sentence, not token after token")
