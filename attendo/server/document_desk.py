"""Documents on their way: taken in, looked at, translated when it is their turn, kept for who fetches them, forgotten.

    place -> the bytes arrive -> submit: is it a document? -> its turn -> translate_document, in a thread -> fetched

A place is taken before the first byte is read, and counts as many bytes as may come, twice: for the file and for what
is made of it. All is in memory, nothing on a disk. A file is read twice, when it comes and when it is its turn: those
that wait are bytes, and no more are unpacked than are worked on.
"""

import asyncio
import hmac
import math
import secrets
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from attendo.server.batching import Ticket
from attendo.server.document_job import (
    DocumentRequest,
    FinishedDocument,
    check_languages,
    read_document,
    translate_document,
)
from attendo.server.job import RequestError
from attendo.server.service import Gone, Service, as_request_error, result_of_thread
from attendo.server.threads import RequestThreads, stand_back

DocumentState = Literal["arriving", "queued", "translating", "done", "error"]
ENDED = ("done", "error")
SHORT_WAIT = 1.0  # seconds that a question for a document's state waits for its end: clients ask again after five
ID_LENGTH = 32  # hexadecimal digits
KEY_LENGTH = 64


@dataclass(eq=False)
class ServedDocument:
    """All that is known of a document. Who has its id and its key may have its translation."""

    client: str
    nbytes: int  # that it takes, or may come to take
    id: str = field(default_factory=lambda: secrets.token_hex(ID_LENGTH // 2))
    key: str = field(default_factory=lambda: secrets.token_hex(KEY_LENGTH // 2))
    state: DocumentState = "arriving"
    characters: int = 0  # of its texts
    translated: int = 0  # of these
    begun: float = 0.0
    result: FinishedDocument | None = None
    fetched: bool = False
    refusal: RequestError | None = None
    asked: DocumentRequest | None = None  # until it is translated
    ticket: Ticket | None = None
    task: "asyncio.Task[None] | None" = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    timer: asyncio.TimerHandle | None = None

    @property
    def seconds_left(self) -> int | None:
        """About; None where nothing can be said yet."""
        if self.state != "translating" or not self.translated:
            return None
        passed = time.monotonic() - self.begun
        return max(1, math.ceil(passed * max(0, self.characters - self.translated) / self.translated))

    def add(self, characters: int) -> None:
        self.translated += characters


@dataclass(eq=False)
class DocumentDesk:
    """Only the thread of the event loop comes here."""

    service: Service
    threads: RequestThreads = field(default_factory=lambda: RequestThreads(stand_back))
    documents: dict[str, ServedDocument] = field(default_factory=dict)  # by their ids, in the order in which they came
    under_way: Counter[str] = field(default_factory=Counter)  # threads that translate one, by client

    def __post_init__(self) -> None:
        self.looking = asyncio.Semaphore(1)
        self.service.at_end.append(self.end)

    @property
    def nbytes(self) -> int:
        return sum(document.nbytes for document in self.documents.values())

    # --- places

    def place(self, client: str, length: int | None) -> ServedDocument:
        """For a file whose body has this length, if that is known. Where there is no room, what the same client could
        have fetched for longest is forgotten; nobody else's."""
        limits = self.service.limits
        if not self.service.is_ready:
            raise RequestError("busy", "the server is starting, or about to end", retry_after=5)
        document = ServedDocument(client, 2 * min(length or limits.document_bytes, limits.document_bytes))
        self.make_room_for(client)
        while len(self.documents) >= limits.documents or self.nbytes + document.nbytes > limits.documents_total_bytes:
            if not self.forget_oldest_of(client):
                raise RequestError("busy", "too many documents are here already", retry_after=10)
        self.documents[document.id] = document
        return document

    def make_room_for(self, client: str) -> None:
        while sum(one.client == client for one in self.documents.values()) >= self.service.limits.documents_of_a_client:
            if not self.forget_oldest_of(client):
                raise RequestError("too-many", "too many documents at once from one client", retry_after=10)

    def belongs_to(self, document: ServedDocument, client: str) -> None:
        """Once its key is known, which may stand in the form."""
        if client != document.client:
            self.make_room_for(client)
            document.client = client

    def forget_oldest_of(self, client: str) -> bool:
        oldest = next((one for one in self.documents.values() if one.client == client and one.state in ENDED), None)
        if oldest:
            self.drop(oldest)
        return oldest is not None

    def drop(self, document: ServedDocument) -> None:
        """Forgotten, wherever it is."""
        self.documents.pop(document.id, None)
        if document.timer:
            document.timer.cancel()
        if document.state == "translating" and document.ticket:
            self.service.forget(document.ticket)

    def end(self) -> None:
        """The server is to end: nobody could fetch what would be made."""
        for document in list(self.documents.values()):
            document.refusal = RequestError("busy", "the server is about to end", retry_after=5)
            document.ended.set()
            self.drop(document)

    # --- the way of a document

    async def submit(self, document: ServedDocument, asked: DocumentRequest) -> None:
        """An error at once if no document can be made of the file; else it is translated when its turn has come."""
        check_languages(asked, self.service.models)
        limits = self.service.limits
        document.nbytes = 2 * len(asked.file.data)
        async with self.looking:
            document.characters = await asyncio.shield(
                result_of_thread(lambda: read_document(asked.file, limits).characters, self.threads)
            )
        if document.id not in self.documents:
            raise document.refusal or RequestError("cancelled", "nobody waits for this document any more")
        self.service.metrics.characters.inc(document.characters)
        document.state, document.asked = "queued", asked
        self.begin_next()

    def begin_next(self) -> None:
        """Of those that wait, the first of the client that has fewest under way; none of who has enough."""
        limits = self.service.limits
        while self.under_way.total() < limits.documents_at_once:
            waiting = [
                one
                for one in self.documents.values()
                if one.state == "queued" and self.under_way[one.client] < limits.documents_at_once_of_a_client
            ]
            if not waiting:
                return
            document = min(waiting, key=lambda one: self.under_way[one.client])
            self.under_way[document.client] += 1
            now = time.monotonic()
            end_by = now + limits.document_seconds
            document.state, document.begun = "translating", now
            document.ticket = Ticket(document.client, end_by, end_by, now, patient=True)
            document.task = asyncio.create_task(self.run(document, document.ticket))

    async def run(self, document: ServedDocument, ticket: Ticket) -> None:
        """Its place among those under way is free when its thread has ended, whoever waited for it."""
        service, asked = self.service, document.asked
        assert asked  # noqa: S101 - what waits was asked for
        client = document.client

        def work() -> FinishedDocument:
            return translate_document(asked, service.models, ticket, service.limits, service.beam, document.add)

        try:
            result = await result_of_thread(work, self.threads)
            document.result, document.state, document.nbytes = result, "done", result.nbytes
            document.translated = document.characters
        except Exception as error:
            document.refusal, document.state = document.refusal or as_request_error(error), "error"
            document.nbytes = 0
        document.asked = None
        document.ended.set()
        if document.id in self.documents:
            loop = asyncio.get_running_loop()
            document.timer = loop.call_later(service.limits.document_kept_seconds, self.drop, document)
        self.under_way -= Counter([client])
        self.begin_next()

    async def finished(self, document: ServedDocument, gone: Gone) -> FinishedDocument:
        """Waits for it. Who leaves meanwhile does not want it any more."""
        leaving = asyncio.ensure_future(gone())
        ending = asyncio.ensure_future(document.ended.wait())
        try:
            await asyncio.wait({leaving, ending}, return_when=asyncio.FIRST_COMPLETED)
            if not ending.done():
                raise RequestError("cancelled", "the client has left")
        except BaseException:
            self.drop(document)
            raise
        finally:
            leaving.cancel()
            ending.cancel()
        if document.result is None:
            self.drop(document)
            raise document.refusal or RequestError("internal", "a mistake of the server's")
        return document.result

    async def settled(self, document: ServedDocument) -> None:
        """Waits a moment for the end of a document, as many are short."""
        with suppress(TimeoutError):
            await asyncio.wait_for(document.ended.wait(), SHORT_WAIT)

    # --- handing out

    def find(self, id_: str, key: str | None = None, client: str | None = None) -> ServedDocument:
        """By its id, and by its key or its client. Nobody learns which of them was wrong."""
        found = self.documents.get(id_)
        wrong_key = found and key is not None and not hmac.compare_digest(found.key.encode(), key.encode())
        if not found or wrong_key or (client is not None and client != found.client):
            raise RequestError("gone", "there is no such document here, or no more")
        return found

    def fetch(self, document: ServedDocument, *, keep: bool = False) -> FinishedDocument:
        """The translation, once: what was handed out is not kept."""
        if document.refusal:  # no error of the server's now: a library would ask again and again
            raise RequestError("gone", f"there is no translation of this document: {document.refusal.text}")
        if document.state != "done":
            raise RequestError("busy", "the document is not translated yet", retry_after=1)
        if document.result is None or document.fetched:
            raise RequestError("gone", "the document was fetched already, and is kept no more")
        found = document.result
        if not keep:
            document.fetched = True
            document.result = found._replace(data=b"")  # the report stays a while
            document.nbytes = len(found.report)
        return found
