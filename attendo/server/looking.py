"""Looks on their way: admitted or refused, one after the other in a thread that stands back, kept, or dropped when
nobody waits for them any more.

    LookRequest -> limits, model, id -> kept already? -> a place -> its turn -> look_job in a thread -> Looks
"""

import asyncio
import hashlib
import json
import logging
import math
import secrets
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from attendo.errors import AttendoError
from attendo.glass.reading import Glass
from attendo.glass.transformer import read_glass_model
from attendo.model.config import TransformerConfig
from attendo.server.batching import Ticket
from attendo.server.job import RequestError
from attendo.server.languages import resolve
from attendo.server.look_job import Looked, LookRequest, look_job
from attendo.server.look_pace import LookPace
from attendo.server.looks import KeptLook, KeptPlain, Looks
from attendo.server.models import ServedModel
from attendo.server.service import RECENT, Gone, Service
from attendo.server.threads import RequestThreads, stand_back

logger = logging.getLogger("attendo.server")


@dataclass(eq=False)
class Looking:
    """All that a server holds for the glass. Nothing of it costs anything before the first look."""

    service: Service
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))  # so that nobody guesses another's id
    threads: RequestThreads = field(default_factory=lambda: RequestThreads(stand_back))
    glasses: dict[str, Glass] = field(default_factory=dict)  # by the model's name
    opening: threading.Lock = field(default_factory=threading.Lock)
    under_way: Counter[str] = field(default_factory=Counter)  # looks by client, waiting or computed
    seconds: float = 0.2  # that a look took of late

    def __post_init__(self) -> None:
        self.looks = Looks(self.service.limits.glass_bytes)
        self.turns = asyncio.Semaphore(self.service.limits.glass_at_once)

    async def look(self, asked: LookRequest, client: str, gone: Gone) -> KeptLook:
        """A look that is kept, or a new one; an error as soon as the client has left or time is up."""
        self.check(asked)
        model = self.model_for(asked)
        asked = replace(asked, to=resolve(asked.to), from_=resolve(asked.from_))
        key, plain_key = self.key_of(asked, model), self.key_of(asked.without_hands, model, "plain")
        if kept := self.looks.get(key, KeptLook):
            return kept
        plain = self.looks.get(plain_key, KeptPlain)

        def work(ticket: Ticket) -> Looked:
            ticket.begun = True
            pace = LookPace(ticket, self.others_wait)
            pace(0)
            glass = self.glass_of(model)
            return look_job(asked, key, model.name, glass, plain.look if plain else None, self.service.limits, pace)

        async with self.place(client):
            job = asked.job
            ticket = self.service.admit(job, client)
            ticket.end_by = min(ticket.end_by, ticket.came + self.service.limits.glass_seconds)
            try:
                await self.turn(ticket, gone)
            except BaseException:
                self.service.leave(ticket, job)
                raise
            started = time.monotonic()
            future = self.service.in_thread(work, ticket, job, self.threads)
            future.add_done_callback(lambda _: self.turns.release())  # the thread has ended, whoever waited for it
            found = await self.service.first_of(future, ticket, gone)
            self.seconds += RECENT * (time.monotonic() - started - self.seconds)
        self.looks.put(plain_key, found.plain)
        self.looks.put(key, found.look)
        return found.look

    def check(self, asked: LookRequest) -> None:
        limits = self.service.limits
        limits.check(asked.job)
        if asked.beam > limits.glass_beam:
            raise RequestError("bad-request", f"beam = {asked.beam}: expected at most {limits.glass_beam}")

    def others_wait(self) -> bool:
        """Whether anything but looks is under way. Asked by other threads: a list is made at once, a sum is not."""
        return sum(list(self.service.under_way.values())) > sum(list(self.under_way.values()))

    # --- which model

    def model_for(self, asked: LookRequest) -> ServedModel:
        """The one that is named; else the first that has the direction, as for translating."""
        models, source, target = self.service.models, resolve(asked.from_), resolve(asked.to)
        if asked.model is not None:
            named = [model for model in models.models if model.name == asked.model]
            if not named:
                names = ", ".join(model.name for model in models.models)
                raise RequestError("bad-request", f"no model of this name is served here: expected {names}")
            return named[0]
        return models.route(asked.text, source, target).model if target else models.models[0]

    def glass_of(self, model: ServedModel) -> Glass:
        """Opened at the first look at it."""
        bundle = model.translator.bundle
        if not isinstance(bundle.config, TransformerConfig):
            family = bundle.model.get("family")
            raise RequestError(
                "bad-request", f"{model.name} is of the family {family}: the glass shows encoder-decoder Transformers"
            )
        with self.opening:
            if model.name not in self.glasses:
                try:
                    self.glasses[model.name] = Glass(bundle, model.translator.tokenizer, read_glass_model(bundle))
                except AttendoError as error:  # it names a path of ours
                    logger.error("the glass of %s cannot be opened: %s", model.name, error)
                    raise RequestError("internal", f"the weights of {model.name} cannot be read") from error
            return self.glasses[model.name]

    def key_of(self, asked: LookRequest, model: ServedModel, kind: str = "look") -> str:
        """The same for the same request, as long as the process lives."""
        said = [kind, str(model.translator.bundle.key), model.name, asked.text, asked.to, asked.from_, asked.beam]
        text = json.dumps([*said, asked.target, asked.hands.to_dict()], sort_keys=True)
        return hashlib.blake2b(text.encode(), key=self.secret, digest_size=16).hexdigest()

    # --- places and turns

    @asynccontextmanager
    async def place(self, client: str) -> AsyncIterator[None]:
        """One of those that wait or are computed, or an error at once that says when to come again."""
        limits, wait = self.service.limits, max(1, math.ceil(self.seconds * self.under_way.total()))
        if self.under_way[client] >= limits.glass_of_a_client:
            raise RequestError("too-many", "too many looks at once from one client", retry_after=wait)
        if self.under_way.total() >= limits.glass_waiting:
            raise RequestError("busy", "too many looks are waiting already", retry_after=wait)
        self.under_way[client] += 1
        try:
            yield
        finally:
            self.under_way[client] -= 1
            if not self.under_way[client]:
                del self.under_way[client]

    async def turn(self, ticket: Ticket, gone: Gone) -> None:
        """Waits for it; who leaves meanwhile leaves the line, too."""
        taken = asyncio.ensure_future(self.turns.acquire())
        try:
            await self.service.first_of(taken, ticket, gone)
        except BaseException:
            if not taken.cancel():
                self.turns.release()
            raise
