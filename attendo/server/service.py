"""A job on its way: admitted or refused, translated in a thread, and dropped when nobody waits for it any more."""

import asyncio
import logging
import math
import time
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from attendo.errors import AttendoError
from attendo.server.batching import Ticket
from attendo.server.job import Job, RequestError
from attendo.server.limits import ServerLimits
from attendo.server.metrics import Metrics
from attendo.server.models import ServedModels
from attendo.server.translate_job import Translated, stream_job, translate_job

logger = logging.getLogger("attendo.server")

LONGEST_WAIT = 30  # seconds that a client is told to wait at most
RECENT = 0.1  # what one more request weighs in the mean of their seconds
END = object()

Result = TypeVar("Result")
Gone = Callable[[], Coroutine[Any, Any, None]]  # returns when the client has left


@dataclass(eq=False)
class Service:
    """All that a server holds besides its routes."""

    models: ServedModels
    limits: ServerLimits
    metrics: Metrics
    beam: int | None = None  # for clients that do not say
    log_texts: bool = False  # what users write goes into the log; never unless they were asked
    ready: bool = False
    draining: bool = False
    under_way: Counter[str] = field(default_factory=Counter)  # requests by client
    characters: int = 0  # of all of them
    seconds: float = 0.1  # that a request took of late

    def __post_init__(self) -> None:
        # One for each request that may be under way, and some for those whose client has just left.
        self.threads = ThreadPoolExecutor(2 * self.limits.requests, thread_name_prefix="request")

    @property
    def is_ready(self) -> bool:
        """Every model has translated something, can still do so, and the server is not about to end."""
        return self.ready and not self.draining and all(model.queue.is_alive for model in self.models.models)

    def start(self) -> None:
        self.models.start()
        self.ready = True

    def close(self) -> None:
        self.ready = False
        self.models.close()
        self.threads.shutdown(wait=False, cancel_futures=True)

    async def translate(self, job: Job, client: str, gone: Gone, *, richly: bool = False) -> list[Translated]:
        self.limits.check(job)

        def work(ticket: Ticket) -> list[Translated]:
            return translate_job(job, self.models, ticket, self.beam, richly=richly)

        with self.admitted(job, client) as ticket:
            found = await self.in_thread(work, ticket, gone)
        if self.log_texts:
            for one in found:  # quoted, so that no text can look like another line
                logger.info("%r -> %r", one.answer.source_text, one.answer.text)
        return found

    async def in_thread(self, work: Callable[[Ticket], Result], ticket: Ticket, gone: Gone) -> Result:
        """The result, or an error as soon as the client has left: what it had in the queue is forgotten then."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.run_in_executor(self.threads, guarded(work), ticket)
        leaving: asyncio.Future[Any] = asyncio.ensure_future(gone())
        try:
            await asyncio.wait({future, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not future.done():
                raise RequestError("cancelled", "the client has left")
            return future.result()
        finally:
            leaving.cancel()
            if not future.done():
                self.forget(ticket)
                future.add_done_callback(lambda done: done.cancelled() or done.exception())  # it is nobody's any more

    async def stream(self, job: Job, client: str) -> AsyncIterator[str | Translated]:
        """Part by part, and the whole in the end. Who closes the iterator has left."""
        self.limits.check(job)
        loop = asyncio.get_running_loop()
        parts: asyncio.Queue[Any] = asyncio.Queue()

        def work(ticket: Ticket) -> None:
            def put(part: Any) -> None:
                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(parts.put_nowait, part)

            try:
                put(drained(stream_job(job, self.models, ticket, self.beam), put))
            except BaseException as error:
                put(error)
                raise
            put(END)

        with self.admitted(job, client) as ticket:
            future = loop.run_in_executor(self.threads, guarded(work), ticket)
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
            try:
                while (part := await parts.get()) is not END:
                    if isinstance(part, BaseException):
                        raise as_request_error(part)
                    yield part
            finally:
                if not future.done():
                    self.forget(ticket)

    def forget(self, ticket: Ticket) -> None:
        ticket.cancelled = True
        for model in self.models.models:
            model.queue.forget(ticket)

    @contextmanager
    def admitted(self, job: Job, client: str) -> Iterator[Ticket]:
        """A place for the request, or an error at once that says when to come again."""
        characters = sum(map(len, job.texts))
        self.check_room(client, characters)
        started = time.monotonic()
        ticket = Ticket(client, started + self.limits.queue_seconds, started + self.limits.compute_seconds)
        self.under_way[client] += 1
        self.characters += characters
        self.metrics.requests.inc()
        self.metrics.characters.inc(characters)
        try:
            yield ticket
        finally:
            self.characters -= characters
            self.under_way[client] -= 1
            if not self.under_way[client]:
                del self.under_way[client]
            self.metrics.requests.dec()
            self.seconds += RECENT * (time.monotonic() - started - self.seconds)

    def check_room(self, client: str, characters: int) -> None:
        limits = self.limits
        if not self.is_ready:
            raise RequestError("busy", "the server is starting, or about to end", retry_after=5)
        if self.under_way[client] >= limits.requests_of_a_client:
            raise RequestError("too-many", "too many requests at once from one client", retry_after=self.wait())
        full = self.under_way.total() >= limits.requests
        if full or self.characters + characters > limits.characters_waiting:
            raise RequestError("busy", "too much text is waiting already", retry_after=self.wait())

    def wait(self) -> int:
        """Seconds after which there should be room again."""
        return max(1, min(math.ceil(self.seconds), LONGEST_WAIT))


def drained(parts: Generator[str, None, Translated], put: Callable[[str], None]) -> Translated:
    """Hands on every part; what the generator returns is the whole."""
    while True:
        try:
            put(next(parts))
        except StopIteration as end:
            return end.value


def guarded(work: Callable[[Ticket], Result]) -> Callable[[Ticket], Result]:
    """Whatever goes wrong becomes an error that a dialect can tell."""

    def run(ticket: Ticket) -> Result:
        try:
            return work(ticket)
        except Exception as error:
            raise as_request_error(error) from error

    return run


def as_request_error(error: BaseException) -> RequestError:
    """What is the client's to know. Of a mistake of ours the log has the place, and nothing of the text."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, AttendoError):
        return RequestError("bad-request", str(error))
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = f"{where[0].filename.rpartition('/')[2]}:{where[0].lineno}" if where else "?"
    logger.error("internal error: %s at %s", type(error).__name__, place)
    return RequestError("internal", "a mistake of the server's")
