"""Documents over HTTP, in three dialects.

    POST /translate_file             LibreTranslate: answered when it is translated, with an address to fetch it from
    GET  /download_file/{name}
    POST /v2/document                DeepL: answered at once, with an id and a key to ask by
    POST /v2/document/{id}           how far it is
    POST /v2/document/{id}/result
    POST /api/document               our own: the same with GET, and the report
    GET  /api/document/{id}          and /result, /report

A translation is handed out once. The address that LibreTranslate's clients get needs no other key: they fetch it
without one, and nobody can guess it.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from attendo.server.bodies import read_form
from attendo.server.dialects import deepl, libretranslate, own, reading
from attendo.server.document_desk import ID_LENGTH, KEY_LENGTH, DocumentDesk, ServedDocument
from attendo.server.document_job import DocumentRequest, FinishedDocument, ending_of_result
from attendo.server.exchange import Exchange, Handler, Json, Table, departure, outcome_of
from attendo.server.job import Dialect, RequestError
from attendo.server.service import as_request_error
from attendo.server.uploads import UploadedFile, disposition, file_name, read_upload

PRIVATE = {"cache-control": "no-store"}  # what somebody wrote
HOST = re.compile(r"[\w.:\[\]-]{1,300}", re.ASCII)
ReadRequest = Callable[[Table, UploadedFile], DocumentRequest]


@dataclass(frozen=True)
class DocumentRoutes(Exchange):
    desk: DocumentDesk

    def table(self) -> list[tuple[str, str, Handler]]:
        return [
            ("POST", "/translate_file", self.taking(libretranslate, read_libretranslate, self.address)),
            ("GET", "/download_file/{name}", self.told(libretranslate, self.download)),
            ("POST", "/v2/document", self.taking(deepl, read_deepl, self.handle)),
            ("POST", "/v2/document/{id}", self.told(deepl, self.deepl_state)),
            ("POST", "/v2/document/{id}/result", self.told(deepl, self.deepl_result)),
            ("POST", "/api/document", self.taking(own, read_own, self.state)),
            ("GET", "/api/document/{id}", self.told(own, self.own_state)),
            ("GET", "/api/document/{id}/result", self.told(own, self.own_result)),
            ("GET", "/api/document/{id}/report", self.told(own, self.own_report)),
        ]

    # --- taking in

    def taking(
        self,
        dialect: Dialect,
        read: ReadRequest,
        tell: Callable[[Request, ServedDocument], Awaitable[dict[str, Any]]],
    ) -> Handler:
        """A route that takes a file, and what it tells of it. It is counted like any request to translate."""

        async def handle(request: Request) -> Response:
            with self.counted() as count:
                try:
                    document = await self.take(request, read)
                    body = await tell(request, document)
                    count.ended(dialect.NAME, "ok")
                    return Json(body, headers=PRIVATE)
                except Exception as error:
                    refusal = as_request_error(error)
                    count.ended(dialect.NAME, outcome_of(refusal))
                    return self.refused(dialect, refusal)

        return handle

    async def take(self, request: Request, read: ReadRequest) -> ServedDocument:
        """What is wrong with a file is told only to who has a key; a key in a form that cannot be read is none."""
        document, known = None, False
        try:
            document = self.desk.place(self.sender(request), declared_length(request))
            table, file = await read_upload(request.stream(), request.headers, self.service.limits.document_bytes)
            table = {**read_form(request.scope["query_string"]), **table}
            client, known = self.client_of(request, table), True
            self.desk.belongs_to(document, client)
            await self.desk.submit(document, read(table, file))
            return document
        except BaseException as error:
            if document:
                self.desk.drop(document)
            if isinstance(error, ClientDisconnect):
                raise RequestError("cancelled", "the client has left") from None
            if isinstance(error, RequestError) and not known:
                self.client_of(request)
            raise

    def sender(self, request: Request) -> str:
        """Who sends, as far as that is known before the form is read, in which the key may be."""
        query = request.scope["query_string"].decode("latin-1")
        known = self.access.client(request.headers, query) if self.access.keys else None
        return known or (request.client.host if request.client else "?")

    async def address(self, request: Request, document: ServedDocument) -> dict[str, Any]:
        """Of the translation, when it is there."""
        found = await self.desk.finished(document, departure(request))
        host, name = request.headers.get("host", ""), f"{document.id}{document.key}{ending_of_result(found.name)}"
        base = f"{request.url.scheme}://{host}" if HOST.fullmatch(host) else ""
        return {"translatedFileUrl": f"{base}/download_file/{name}"}

    async def handle(self, request: Request, document: ServedDocument) -> dict[str, Any]:
        return {"document_id": document.id, "document_key": document.key}

    async def state(self, request: Request, document: ServedDocument) -> dict[str, Any]:
        return {
            "id": document.id,
            "status": document.state,
            "characters": document.characters,
            "translated": document.translated,
            "seconds_remaining": document.seconds_left,
            "fetched": document.fetched,
            "error": document.refusal.text if document.refusal else None,
        }

    # --- telling and handing out

    async def download(self, request: Request) -> Response:
        """Whoever knows the name may have it; a wrong ending is a wrong name."""
        name = request.path_params["name"]
        document = self.desk.find(name[:ID_LENGTH], key=name[ID_LENGTH : ID_LENGTH + KEY_LENGTH])
        if document.result and name[ID_LENGTH + KEY_LENGTH :] != ending_of_result(document.result.name):
            raise RequestError("gone", "there is no such document here, or no more")
        return self.handed_out(request, document)

    async def of_deepl(self, request: Request) -> ServedDocument:
        table, _ = await self.read(request)
        key = reading.checked("document_key", table.get("document_key"), "the key of a document", KEY_LENGTH)
        return self.desk.find(request.path_params["id"], key=key)

    async def deepl_state(self, request: Request) -> Response:
        document = await self.of_deepl(request)
        await self.desk.settled(document)
        body: dict[str, Any] = {"document_id": document.id, "status": document.state}
        if document.state == "done":
            body["billed_characters"] = document.characters
        elif document.refusal:
            body |= {"status": "error", "error_message": document.refusal.text}
        elif document.seconds_left is not None:
            body["seconds_remaining"] = document.seconds_left
        return Json(body, headers=PRIVATE)

    async def deepl_result(self, request: Request) -> Response:
        return self.handed_out(request, await self.of_deepl(request))

    def of_client(self, request: Request) -> ServedDocument:
        """With keys it is the same client's; without, whoever knows the id may ask."""
        client = self.client_of(request)
        return self.desk.find(request.path_params["id"], client=client if self.access.keys else None)

    async def own_state(self, request: Request) -> Response:
        return Json(await self.state(request, self.of_client(request)), headers=PRIVATE)

    async def own_result(self, request: Request) -> Response:
        return self.handed_out(request, self.of_client(request))

    async def own_report(self, request: Request) -> Response:
        document = self.of_client(request)
        report = document.result.report if document.result else self.desk.fetch(document, keep=True).report
        return Response(report, media_type="application/json", headers=PRIVATE)

    def handed_out(self, request: Request, document: ServedDocument) -> Response:
        found: FinishedDocument = self.desk.fetch(document, keep=request.method == "HEAD")
        headers = {**PRIVATE, "content-disposition": disposition(found.name), "content-type": found.media_type}
        return Response(found.data, headers=headers)


def declared_length(request: Request) -> int | None:
    said = request.headers.get("content-length", "")
    return int(said[:20]) if said.isascii() and said.isdecimal() else None


def read_libretranslate(table: Table, file: UploadedFile) -> DocumentRequest:
    named = file._replace(name=file_name(file.name))
    return DocumentRequest(named, reading.target(table, "target"), reading.source(table, "source"))


def read_deepl(table: Table, file: UploadedFile) -> DocumentRequest:
    deepl.check_glossary(table)
    if table.get("output_format"):
        raise RequestError("bad-request", "output_format: this server writes the format that it reads")
    named = file._replace(name=file_name(table.get("filename") or file.name))
    return DocumentRequest(named, reading.target(table, "target_lang"), reading.source(table, "source_lang"))


def read_own(table: Table, file: UploadedFile) -> DocumentRequest:
    named = file._replace(name=file_name(file.name))
    return DocumentRequest(named, reading.target(table, "to"), reading.source(table, "from"))
