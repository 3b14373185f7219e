"""What routes share: a request is read, asked for its key, refused in its dialect's words, and counted."""

import json
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from attendo.server.access import Access
from attendo.server.bodies import read_body, read_form, read_table
from attendo.server.dialects import own
from attendo.server.job import Dialect, RequestError
from attendo.server.metrics import Metrics, Outcome
from attendo.server.service import Service, as_request_error

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Table = Mapping[str, Any]


class Json(JSONResponse):
    """Letters as they are, not as escapes."""

    def render(self, content: Any) -> bytes:
        return as_json(content)


def as_json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


@dataclass(frozen=True)
class Exchange:
    """One client asks, and is answered."""

    service: Service
    access: Access

    def counted(self) -> "Count":
        return Count(self.service.metrics)

    async def read(self, request: Request) -> tuple[Table, str]:
        """The query and the body, as one table, and who asks; the body counts where both say something.

        What is wrong with it is told only to who has a key, if it is not in the body.
        """
        headers, most = request.headers, self.service.limits.body_bytes
        try:
            table = read_form(request.scope["query_string"])
            body = await read_body(request.stream(), headers.get("content-length"), most)
            # DeepL's library says in a body even what it wants to GET.
            if body or not (table or request.method in ("GET", "HEAD")):
                said = await read_table(body, headers.get("content-type", ""), headers.get("content-encoding"))
                table = {**table, **said}
        except ClientDisconnect:
            raise RequestError("cancelled", "the client has left") from None
        except RequestError:
            self.client_of(request)
            raise
        return table, self.client_of(request, table)

    def client_of(self, request: Request, table: Table | None = None) -> str:
        """Who asks: by its key where there are keys, else by its address."""
        if self.access.keys:
            client = self.access.client(request.headers, request.scope["query_string"].decode("latin-1"), table)
            if client is None:
                raise RequestError("key", "Invalid API key")
            return client
        return request.client.host if request.client else "?"

    def told(self, dialect: Dialect, tell: Callable[[Request], Awaitable[Response]]) -> Handler:
        """A route that is not counted; what goes wrong is told in the dialect's words."""

        async def handle(request: Request) -> Response:
            try:
                return await tell(request)
            except Exception as error:
                return self.refused(dialect, as_request_error(error))

        return handle

    def for_clients(self, tell: Callable[[Request], Response]) -> Handler:
        """A route of our own that reads no body: for who has a key, if the server has any."""

        async def tell_client(request: Request) -> Response:
            self.client_of(request)
            return tell(request)

        return self.told(own, tell_client)

    def refused(self, dialect: Dialect, error: RequestError) -> Response:
        status, body = dialect.refuse(error)
        headers = {"retry-after": str(error.retry_after or 1)} if status in (429, 503) else None
        return Json(body, status, headers=headers)


class Count:
    """One request to translate, counted as received when it comes, and once more by how it ended; whatever happens."""

    def __init__(self, metrics: Metrics) -> None:
        self.metrics, self.started = metrics, time.perf_counter()
        self.dialect, self.outcome = own.NAME, "cancelled"  # if nothing else is said, the server has ended meanwhile
        self.goes_on = False  # it is answered part by part, and ends later

    def __enter__(self) -> "Count":
        return self

    def __exit__(self, *_: object) -> None:
        if not self.goes_on:
            self.close()

    def ended(self, dialect: str, outcome: Outcome) -> None:
        self.dialect, self.outcome = dialect, outcome

    def close(self) -> None:
        self.metrics.received.labels(self.dialect).inc()
        self.metrics.answered.labels(self.dialect, self.outcome).inc()
        self.metrics.seconds.observe(time.perf_counter() - self.started)


def outcome_of(error: RequestError) -> Outcome:
    if error.kind == "cancelled":
        return "cancelled"
    return "failed" if error.kind in ("internal", "late") else "rejected"


def departure(request: Request) -> Callable[[], Coroutine[Any, Any, None]]:
    """Waits until the client has left; the body has been read, so that is all that can come."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    return gone
