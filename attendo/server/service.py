"""A job on its way: admitted or refused, translated in a thread, and dropped when nobody waits for it any more."""

import asyncio
import logging
import math
import time
import traceback
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from attendo.errors import ConfigError, InputError, UsageError
from attendo.server.batching import Ticket
from attendo.server.job import Job, RequestError
from attendo.server.limits import ServerLimits
from attendo.server.metrics import Metrics
from attendo.server.models import ServedModels
from attendo.server.threads import RequestThreads
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
    under_way: Counter[str] = field(default_factory=Counter)  # requests by client; each until its thread has ended
    characters: int = 0  # of all of them
    seconds: float = 0.1  # that a request took of late
    threads: RequestThreads = field(default_factory=RequestThreads)
    at_end: list[Callable[[], None]] = field(default_factory=list)  # what long work does when the server is to end

    @property
    def is_ready(self) -> bool:
        """Every model has translated something, can still do so, and the server is not about to end."""
        return self.ready and not self.draining and all(model.queue.is_alive for model in self.models.models)

    def start(self, on_loaded: Callable[[], None] = lambda: None) -> None:
        """`on_loaded` is called when every model has translated something, and nobody is served yet."""
        self.models.start()
        on_loaded()
        self.ready = True

    def drain(self) -> None:
        """Nothing new is taken, and what nobody could fetch any more ends. Called in the event loop."""
        self.draining = True
        for end in self.at_end:
            end()

    def close(self) -> None:
        self.ready = False
        self.models.close()

    async def translate(self, job: Job, client: str, gone: Gone, *, richly: bool = False) -> list[Translated]:
        """The answers, or an error as soon as the client has left or time is up."""

        def work(ticket: Ticket) -> list[Translated]:
            return translate_job(job, self.models, ticket, self.beam, richly=richly)

        ticket = self.admit(job, client)
        future = self.in_thread(work, ticket, job)
        found: list[Translated] = await self.first_of(future, ticket, gone)
        if self.log_texts:
            for one in found:  # quoted, so that no text can look like another line
                logger.info("%r -> %r", one.answer.source_text, one.answer.text)
        return found

    async def stream(self, job: Job, client: str, gone: Gone) -> AsyncGenerator[str | Translated, None]:
        """Part by part, and the whole in the end. Who closes the iterator has left, too."""
        loop = asyncio.get_running_loop()
        parts: asyncio.Queue[Any] = asyncio.Queue()

        def put(part: Any) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(parts.put_nowait, part)

        def work(ticket: Ticket) -> None:
            put(drained(stream_job(job, self.models, ticket, self.beam), put))
            put(END)

        ticket = self.admit(job, client)
        future = self.in_thread(work, ticket, job)
        future.add_done_callback(lambda done: put(done.exception() or END))
        try:
            while (part := await self.first_of(asyncio.ensure_future(parts.get()), ticket, gone)) is not END:
                if isinstance(part, BaseException):
                    raise part
                yield part
        finally:
            if not future.done():
                self.forget(ticket)

    async def first_of(self, future: "asyncio.Future[Result]", ticket: Ticket, gone: Gone) -> Result:
        """What comes first: the result, the client's leaving, or the end of its time. What it had in the queue is
        forgotten then; a thread that is at work elsewhere goes on until it asks the engine again."""
        leaving: asyncio.Future[Any] = asyncio.ensure_future(gone())
        left = max(0.0, ticket.end_by - time.monotonic())
        both: set[asyncio.Future[Any]] = {future, leaving}
        try:
            await asyncio.wait(both, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if future.done():
                return future.result()
            if leaving.done():
                raise RequestError("cancelled", "the client has left")
            raise RequestError("late", "the translation was not done in time")
        finally:
            leaving.cancel()
            if not future.done():
                self.forget(ticket)

    def in_thread(
        self, work: Callable[[Ticket], Result], ticket: Ticket, job: Job, threads: RequestThreads | None = None
    ) -> "asyncio.Future[Result]":
        """The place of a request is taken until its thread has ended, whether or not its client has waited for that.

        There are never more threads than places.
        """
        return result_of_thread(lambda: work(ticket), threads or self.threads, lambda: self.leave(ticket, job))

    def forget(self, ticket: Ticket) -> None:
        ticket.cancelled = True
        for model in self.models.models:
            model.queue.forget(ticket)

    # --- places

    def admit(self, job: Job, client: str) -> Ticket:
        """A place for the request, or an error at once that says when to come again."""
        self.limits.check(job)
        characters = sum(map(len, job.texts))
        self.check_room(client, characters)
        now = time.monotonic()
        self.under_way[client] += 1
        self.characters += characters
        self.metrics.requests.inc()
        self.metrics.characters.inc(characters)
        return Ticket(client, now + self.limits.queue_seconds, now + self.limits.compute_seconds, now)

    def leave(self, ticket: Ticket, job: Job) -> None:
        self.characters -= sum(map(len, job.texts))
        self.under_way[ticket.client] -= 1
        if not self.under_way[ticket.client]:
            del self.under_way[ticket.client]
        self.metrics.requests.dec()
        self.seconds += RECENT * (time.monotonic() - ticket.came - self.seconds)

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


def result_of_thread(
    work: Callable[[], Result], threads: RequestThreads, ended: Callable[[], None] = lambda: None
) -> "asyncio.Future[Result]":
    """What a thread finds, or why it found nothing; `ended` is called in the event loop when it is done, or at once
    where no thread can be made."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def tell(result: Any, error: BaseException | None) -> None:
        ended()
        if not future.cancelled():
            future.set_exception(error) if error else future.set_result(result)
            future.exception()  # looked at: where nobody waits any more it is nobody's

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as found:
            error = as_request_error(found)
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tell, result, error)

    try:
        threads.start(run)
    except Exception as found:  # the system gives no more threads, or has no memory for one
        logger.error("no thread can be made for a request: %s", found)
        tell(None, RequestError("busy", "the server has no thread for the request", retry_after=5))
    return future


def drained(parts: Generator[str, None, Translated], put: Callable[[str], None]) -> Translated:
    """Hands on every part; what the generator returns is the whole."""
    while True:
        try:
            put(next(parts))
        except StopIteration as end:
            return end.value


def as_request_error(error: BaseException) -> RequestError:
    """What is the client's to know. Of a mistake of ours the log has the place, and nothing of the text.

    Where it was raised is not kept: who handles it has it in a variable, the place has the frame of that variable, and
    in this ring the body of the request would stay until Python searches for cycles.
    """
    if isinstance(error, RequestError):
        error.__traceback__ = error.__context__ = error.__cause__ = None
        return error
    if isinstance(error, (ConfigError, InputError, UsageError)):
        return RequestError("bad-request", str(error))
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = f"{where[0].filename.rpartition('/')[2]}:{where[0].lineno}" if where else "?"
    logger.error("internal error: %s at %s", type(error).__name__, place)
    return RequestError("internal", "a mistake of the server's")
