"""What every request passes before a route sees it, and every answer after: names, origins, preflights, headers.

An ASGI application around the other; it decides by access.py.
"""

import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from attendo.server.access import SHELLS, Access
from attendo.server.bodies import FORM_TYPE, JSON_TYPE, MULTIPART_TYPE
from attendo.server.job import RequestError

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

ALWAYS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    ),
]
HEADER_NAMES = re.compile(r"[A-Za-z0-9_-]{1,60}(?:, ?[A-Za-z0-9_-]{1,60}){0,30}")
PREFLIGHT_SECONDS = b"600"
WITH_BODY = ("POST", "PUT", "PATCH", "DELETE")


class Doors:
    def __init__(self, app: App, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        origin = headers.get("origin")
        names = [name for name, _ in scope["headers"]]
        if names.count(b"host") > 1 or names.count(b"origin") > 1:
            await refuse(send, 400, "Host or Origin twice: expected each once")
            return
        try:
            cross = self.check(scope["method"], headers)
        except RequestError as error:
            await refuse(send, 415 if error.kind == "media-type" else 403, error.text)
            return
        shared = shared_with(origin) if cross and origin else []
        if scope["method"] == "OPTIONS" and cross and "access-control-request-method" in headers:
            await answer(send, 204, shared + preflight(headers))
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *ALWAYS, *shared]
            await send(message)

        path = re.sub("/{2,}", "/", scope["path"])
        scope["path"] = path if path == "/" else path.rstrip("/")
        await self.app(scope, receive, send_with_headers)

    def check(self, method: str, headers: dict[str, str]) -> bool:
        """Whether a page that is not ours may read the answer; an error for who may not ask at all."""
        host, origin = headers.get("host", ""), headers.get("origin")
        self.access.check_host(host)
        cross = self.access.check_origin(origin, host)
        if (
            origin is None
            and headers.get("sec-fetch-site") == "cross-site"
            and headers.get("sec-fetch-mode") != "navigate"
        ):
            raise RequestError("origin", "an image or a script of another site's page may not be asked for here")
        if origin is not None and method in WITH_BODY:
            check_type(headers.get("content-type", ""), origin)
        return cross


def check_type(content_type: str, origin: str) -> None:
    """A page sends JSON, which no page can send elsewhere without asking first; an extension may send a form, too."""
    kind = content_type.partition(";")[0].strip().lower()
    allowed = (JSON_TYPE, FORM_TYPE, MULTIPART_TYPE) if origin.partition("://")[0] in SHELLS else (JSON_TYPE,)
    if kind not in allowed:
        raise RequestError("media-type", f"a page sends {kind[:60]!r}: expected {JSON_TYPE}")


def shared_with(origin: str) -> Headers:
    return [(b"access-control-allow-origin", origin.encode("latin-1")), (b"vary", b"Origin")]


def preflight(headers: dict[str, str]) -> Headers:
    wanted = headers.get("access-control-request-headers", "")
    found: Headers = [
        (b"access-control-allow-methods", b"GET, POST, OPTIONS"),
        (b"access-control-max-age", PREFLIGHT_SECONDS),
    ]
    if HEADER_NAMES.fullmatch(wanted):
        found.append((b"access-control-allow-headers", wanted.encode("latin-1")))
    if headers.get("access-control-request-private-network") == "true":
        found.append((b"access-control-allow-private-network", b"true"))
    return found


async def refuse(send: Send, status: int, text: str) -> None:
    body = json.dumps({"error": text}, ensure_ascii=False).encode()
    await answer(send, status, [(b"content-type", b"application/json"), *ALWAYS], body)


async def answer(send: Send, status: int, headers: Headers, body: bytes = b"") -> None:
    length = [(b"content-length", str(len(body)).encode())] if status != 204 else []
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *length]})
    await send({"type": "http.response.body", "body": body})
