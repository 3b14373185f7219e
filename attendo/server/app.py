"""The routes: which path speaks which dialect, and the few that tell of the server itself.

POST /translate   LibreTranslate, DeepLX or MTranServer, told by their keys
a body -> key, dialect.read -> Service.translate -> dialect.write; whatever goes wrong -> dialect.refuse
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from attendo import __version__
from attendo.server.access import Access
from attendo.server.detection import detect
from attendo.server.dialects import deepl, deeplx, google, hcfy, immersive, kiss, libretranslate, mtran, own
from attendo.server.dialects.tell import dialect_of
from attendo.server.document_desk import DocumentDesk
from attendo.server.document_job import known_endings
from attendo.server.document_routes import DocumentRoutes
from attendo.server.doors import Doors
from attendo.server.exchange import Count, Exchange, Handler, Json, Table, departure, outcome_of
from attendo.server.glass_routes import GlassRoutes
from attendo.server.job import Dialect, RequestError
from attendo.server.languages import deepl_languages, libretranslate_languages
from attendo.server.looking import Looking
from attendo.server.page import PAGE, page_handler
from attendo.server.rich_answer import rich_answer, rich_answers
from attendo.server.schemas import check_described, openapi_schema
from attendo.server.service import Service, as_request_error
from attendo.server.translate_job import Translated

Part = str | Translated  # of a stream: a sentence, or in the end the whole


SPEC_TITLE = "attendo (LibreTranslate-compatible)"


def build_app(service: Service, access: Access, *, spec_title: str | None = None) -> Doors:
    """The whole server as an ASGI application."""
    glass = GlassRoutes(service, access, Looking(service))
    documents = DocumentRoutes(service, access, DocumentDesk(service))

    @cache
    def openapi() -> dict[str, Any]:
        return openapi_schema(table, with_keys=bool(access.keys))

    routes = Routes(service, access, spec_title or SPEC_TITLE, openapi)
    table = [*routes.table(), *glass.table(), *documents.table()]
    check_described(table)
    app = Starlette(
        # With GET a route answers HEAD, too.
        routes=[
            *(Route(path, handler, methods=[method]) for method, path, handler in table),
            *(Route(path, page_handler(file), methods=["GET"]) for path, file in PAGE.items()),
        ],
        exception_handlers={HTTPException: not_here},  # type: ignore[dict-item]
    )
    app.router.redirect_slashes = False  # it would name the address that the client used; a proxy may have changed it
    return Doors(app, access)


async def not_here(request: Request, error: HTTPException) -> Response:
    headers = {**(error.headers or {})}
    if error.status_code == 405:  # the methods of one route; a path may have several
        headers["Allow"] = ", ".join(methods_at(request.scope["path"], request.app.routes))
    return Json({"error": error.detail}, error.status_code, headers=headers)


def methods_at(path: str, routes: Iterable[BaseRoute]) -> list[str]:
    there = [route for route in routes if isinstance(route, Route) and route.path_regex.match(path)]
    return sorted({method for route in there for method in route.methods or ()})


@dataclass(frozen=True)
class Routes(Exchange):
    spec_title: str
    openapi: Callable[[], dict[str, Any]]

    def table(self) -> list[tuple[str, str, Handler]]:
        """Every route but those of the page, of the glass and for documents."""
        return [
            ("POST", "/translate", self.translate),
            ("POST", "/translate/batch", self.speaking(mtran, list_route=True)),
            ("POST", "/detect", self.told(libretranslate, self.detect)),
            ("GET", "/languages", self.languages),
            ("GET", "/frontend/settings", self.settings),
            ("POST", "/suggest", self.suggest),
            ("GET", "/spec", self.spec),
            ("POST", "/v2/translate", self.speaking(deepl)),
            ("GET", "/v2/languages", self.of_deepl(self.deepl_languages)),
            ("POST", "/v2/languages", self.of_deepl(self.deepl_languages)),
            ("GET", "/v2/usage", self.of_deepl(self.deepl_usage)),
            ("POST", "/v2/usage", self.of_deepl(self.deepl_usage)),
            ("GET", "/v2/glossary-language-pairs", self.of_deepl(lambda table: {"supported_languages": []})),
            ("GET", "/v2/glossaries", self.of_deepl(lambda table: {"glossaries": []})),
            ("POST", "/deeplx", self.speaking(deeplx)),
            ("POST", "/imme", self.speaking(immersive)),
            ("POST", "/kiss", self.speaking(kiss)),
            ("POST", "/hcfy", self.speaking(hcfy)),
            ("GET", "/translate_a/single", self.speaking(google)),
            ("GET", "/google/translate_a/single", self.speaking(google)),
            ("POST", "/language/translate/v2", self.speaking(google, list_route=True)),
            ("POST", "/google/language/translate/v2", self.speaking(google, list_route=True)),
            ("POST", "/api/translate", self.speaking(own, rich=True)),
            ("POST", "/api/translate/stream", self.stream),
            ("GET", "/api/info", self.for_clients(self.info)),
            ("GET", "/openapi.json", self.for_clients(lambda _: Json(self.openapi()))),
            ("GET", "/metrics", self.for_clients(self.metrics)),
            ("GET", "/live", self.live),
            ("GET", "/ready", self.is_ready),
            ("GET", "/health", self.is_ready),
        ]

    # --- translating

    async def translate(self, request: Request) -> Response:
        """Three dialects on one path."""
        return await self.exchange(request, None)

    def speaking(self, dialect: Dialect, *, list_route: bool = False, rich: bool = False) -> Handler:
        """A path for one dialect alone."""

        async def handle(request: Request) -> Response:
            return await self.exchange(request, dialect, list_route=list_route, rich=rich)

        return handle

    async def exchange(
        self, request: Request, dialect: Dialect | None, *, list_route: bool = False, rich: bool = False
    ) -> Response:
        """From what the client said to what it is told, and counted. Without a dialect, the body's keys tell which."""
        speaker = dialect or libretranslate
        with self.counted() as count:
            try:
                table, client = await self.read(request)
                speaker = dialect or dialect_of(table)
                job = speaker.read(table, list_route=list_route)
                found = await self.service.translate(job, client, departure(request), richly=rich)
                body = rich_answers(found) if rich else speaker.write(job, [one.answer for one in found])
                count.ended(speaker.NAME, "ok")
                return Json(body)
            except Exception as error:
                refusal = as_request_error(error)
                count.ended(speaker.NAME, outcome_of(refusal))
                return self.refused(speaker, refusal)

    async def stream(self, request: Request) -> Response:
        """Server-sent events: a sentence each, and in the end all that is known of the whole."""
        with self.counted() as count:
            try:
                table, client = await self.read(request)
                parts = self.service.stream(own.read(table), client, departure(request))
                first = await anext(parts)  # what is wrong with a request is told by its status
            except Exception as error:
                refusal = as_request_error(error)
                count.ended(own.NAME, outcome_of(refusal))
                return self.refused(own, refusal)
            count.goes_on = True
        return StreamingResponse(
            events(first, parts, count), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    # --- LibreTranslate, besides translating

    async def detect(self, request: Request) -> Response:
        table, _ = await self.read(request)
        text, most = table.get("q"), self.service.limits.characters
        if not isinstance(text, str):
            raise RequestError("bad-request", "q is missing, or a list: expected one text")
        if len(text) > most:
            raise RequestError("too-large", f"{len(text):,} characters: the request exceeds text limit ({most:,})")
        found = detect(text, self.service.models.sources)
        return Json([libretranslate.detection(code, confidence) for code, confidence in found])

    async def languages(self, request: Request) -> Response:
        return Json(libretranslate_languages(self.service.models.directions))

    async def settings(self, request: Request) -> Response:
        limits = self.service.limits
        return Json(
            {
                "charLimit": limits.characters,
                "frontendTimeout": 500,
                "apiKeys": bool(self.access.keys),
                "keyRequired": bool(self.access.keys),
                "suggestions": False,
                "filesTranslation": True,
                "supportedFilesFormat": list(known_endings()),
                "language": {
                    "source": {"code": "auto", "name": "Auto Detect"},
                    "target": {"code": "en", "name": "English"},
                },
            }
        )

    async def suggest(self, request: Request) -> Response:
        return Json({"error": "Suggestions are disabled on this server."}, 403)

    async def spec(self, request: Request) -> Response:
        """LibreTranslate's own name is theirs to give: who needs a client that asks for it, says so (--spec-title)."""
        return Json({"swagger": "2.0", "info": {"title": self.spec_title, "version": __version__}})

    # --- DeepL, besides translating

    def of_deepl(self, tell_of: Callable[[Table], Any]) -> Handler:
        async def tell(request: Request) -> Response:
            table, _ = await self.read(request)
            return Json(tell_of(table))

        return self.told(deepl, tell)

    def deepl_languages(self, table: Table) -> Any:
        is_target = table.get("type") == "target"
        return deepl_languages(self.service.models.directions, "target" if is_target else "source")

    def deepl_usage(self, table: Table) -> Any:
        return {"character_count": 0, "character_limit": 1_000_000_000_000}

    # --- the server itself

    def info(self, request: Request) -> Response:
        """What there is and what is allowed."""
        models = self.service.models.models
        return Json(
            {
                "version": __version__,
                "models": [
                    {"name": model.name, "directions": ["-".join(one) for one in model.translator.bundle.directions]}
                    for model in models
                ],
                "languages": libretranslate_languages(self.service.models.directions),
                "files": list(known_endings()),
                "limits": self.service.limits.to_dict(),
            }
        )

    def metrics(self, request: Request) -> Response:
        self.service.metrics.waiting.set(sum(model.queue.size for model in self.service.models.models))
        return Response(self.service.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def live(self, request: Request) -> Response:
        return Json({"status": "ok"})

    async def is_ready(self, request: Request) -> Response:
        if self.service.is_ready:
            return Json({"status": "ok"})
        return Json({"status": "ending" if self.service.draining else "starting"}, 503, headers={"retry-after": "2"})


async def events(
    first: str | Translated, parts: AsyncGenerator[str | Translated, None], count: Count
) -> AsyncIterator[bytes]:
    number = 0
    try:
        yield part_event(number, first)
        async for part in parts:
            number += 1
            yield part_event(number, part)
        count.ended(own.NAME, "ok")
    except Exception as error:
        refusal = as_request_error(error)
        count.ended(own.NAME, outcome_of(refusal))
        yield event(number + 1, "error", {"error": refusal.text})
    finally:
        await parts.aclose()
        count.close()


def part_event(number: int, part: Part) -> bytes:
    if isinstance(part, str):
        return event(number, "sentence", {"text": part})
    return event(number, "end", rich_answer(part))


def event(number: int, kind: str, data: Any) -> bytes:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    return f"id: {number}\nevent: {kind}\ndata: {text}\n\n".encode()
