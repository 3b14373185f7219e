"""What routes share: a request is read, asked for its key, refused in its dialect's words, and counted."""

import json
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from attendo.server.access import Access
from attendo.server.bodies import read_body, read_form, read_table
from attendo.server.dialects import own
from attendo.server.job import Dialect, RequestError
from attendo.server.metrics import Metrics, Outcome
from attendo.server.service import Service

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

    async def read(self, request: Request) -> Table:
        """The query and the body, as one table; the body counts where both say something.

        What is wrong with it is told only to who has a key, if it is not in the body.
        """
        headers, most = request.headers, self.service.limits.body_bytes
        try:
            query = read_form(request.scope["query_string"])
            body = await read_body(request.stream(), headers.get("content-length"), most)
            if not body and query:  # and DeepL's library says in a body even what it wants to GET
                return query
            if not body and request.method == "GET":
                return {}
            table = await read_table(body, headers.get("content-type", ""), headers.get("content-encoding"))
        except ClientDisconnect:
            raise RequestError("cancelled", "the client has left") from None
        except RequestError:
            self.client_of(request)
            raise
        return {**query, **table}

    def client_of(self, request: Request, table: Table | None = None) -> str:
        """Who asks: by its key where there are keys, else by its address."""
        if self.access.keys:
            client = self.access.client(request.headers, request.url.query, table)
            if client is None:
                raise RequestError("key", "Invalid API key")
            return client
        return request.client.host if request.client else "?"

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
