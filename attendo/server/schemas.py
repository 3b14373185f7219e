"""What /openapi.json tells of each route: its body, its answer, and how it says no."""

import re
from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI
from starlette.responses import JSONResponse, Response

from attendo import __version__
from attendo.server.access import KEY_HEADERS, KEY_PARAMETERS, OPEN, SECRET_PATHS
from attendo.server.exchange import Handler

Schema = dict[str, Any]


def text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def one_or_many(description: str) -> Schema:
    return {
        "description": description,
        "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "maxItems": 1_000}],
    }


def table(required: tuple[str, ...], **properties: Schema) -> Schema:
    return {"type": "object", "required": list(required), "properties": properties}


TEXTS = {"type": "array", "items": {"type": "string"}}
SOURCE = text("Language of the text; auto: it is told from the text.", examples=["auto", "zh"])
TARGET = text("Language to translate into.", examples=["en"])
LIBRETRANSLATE = table(
    ("q", "source", "target"),
    q=one_or_many("What to translate."),
    source=SOURCE,
    target=TARGET,
    format={"type": "string", "enum": ["text", "html"]},
    alternatives={"type": "integer", "minimum": 0, "maximum": 8},
    api_key={"type": ["string", "null"]},
)
DEEPLX = table(("text", "target_lang"), text=text("What to translate."), source_lang=SOURCE, target_lang=TARGET)
MTRAN = table(("text", "to"), **{"text": text("What to translate."), "from": SOURCE, "to": TARGET})
MTRAN_LIST = table(("texts", "to"), **{"texts": TEXTS, "from": SOURCE, "to": TARGET})
DEEPL = table(
    ("text", "target_lang"),
    text=one_or_many("What to translate."),
    source_lang=SOURCE,
    target_lang=text("Language to translate into.", examples=["EN-US", "ZH"]),
    tag_handling={"type": "string", "enum": ["html", "xml"]},
)
DEEPL_LIST = {**DEEPL, "properties": {**DEEPL["properties"], "text": TEXTS}}
OWN = table(
    ("text", "to"),
    **{
        "text": one_or_many("What to translate."),
        "to": TARGET,
        "from": {"type": ["string", "null"], "description": "Language of the text; null: it is told from the text."},
        "format": {"type": "string", "enum": ["text", "html", "xml"]},
        "beam": {"type": ["integer", "null"], "minimum": 1, "maximum": 16},
        "alternatives": {"type": "integer", "minimum": 0, "maximum": 8},
        "glossary": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Term: translation."},
        "keep": {"type": "array", "items": {"type": "string"}, "description": "Terms that stay as they are."},
    },
)
HANDS = {
    "type": "object",
    "description": "What is changed of the machine.",
    "additionalProperties": False,
    "properties": {
        "heads_off": {"type": "array", "items": {"type": "array"}, "description": "[where, layer, head], from 0."},
        "feed_forward_off": {"type": "array", "items": {"type": "array"}, "description": "[where, layer], from 0."},
        "causal_mask": {"type": "boolean"},
        "positions": {"type": "string", "enum": ["on", "off", "shuffled"]},
        "seed": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
        "scale": {"type": "boolean"},
        "temperature": {"type": "number", "minimum": 0.01, "maximum": 100},
        "force": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "Step: a piece's id."},
        "erase": {"type": "array", "items": {"type": "integer", "minimum": 0}, "description": "Source positions."},
    },
}
GLASS = table(
    ("text",),
    **{
        "text": text("One sentence."),
        "to": {"type": ["string", "null"], "description": "Language to translate into."},
        "from": {"type": ["string", "null"], "description": "Language of the text; null: it is told from the text."},
        "beam": {"type": "integer", "minimum": 1, "maximum": 8},
        "hands": HANDS,
        "target": {"type": ["string", "null"], "description": "A translation, for the training pass."},
        "model": {"type": ["string", "null"], "description": "Name of a model, of those that /api/info lists."},
    },
)
FILE = {"type": "string", "format": "binary", "description": "What to translate."}
KEY_OF_DOCUMENT = table(("document_key",), document_key=text("As /v2/document gave it."))
# Bodies with a file in them.
FORMS: dict[str, Schema] = {
    "/translate_file": table(("file", "source", "target"), file=FILE, source=SOURCE, target=TARGET),
    "/v2/document": table(("file", "target_lang"), file=FILE, source_lang=SOURCE, target_lang=TARGET),
    "/api/document": table(("file", "to"), **{"file": FILE, "from": SOURCE, "to": TARGET}),
}
# By path: the tag under which it stands, a line about it, and its body.
ABOUT: dict[str, tuple[str, str, Schema | None]] = {
    "/translate": (
        "compatible", "Translate, as LibreTranslate, DeepLX or MTranServer do, or DeepL with a list.",
        {"anyOf": [LIBRETRANSLATE, DEEPLX, MTRAN, DEEPL_LIST]},
    ),
    "/translate/batch": ("compatible", "Translate several texts, as MTranServer does.", MTRAN_LIST),
    "/detect": ("compatible", "The language of a text, as LibreTranslate tells it.", table(("q",), q=text("A text."))),
    "/languages": ("compatible", "Languages, as LibreTranslate lists them.", None),
    "/frontend/settings": ("compatible", "Limits, as LibreTranslate tells them.", None),
    "/suggest": ("compatible", "Suggestions are not taken.", table((), q=text("A text."))),
    "/spec": ("compatible", "Name and version, where clients of LibreTranslate ask for them.", None),
    "/v2/translate": ("compatible", "Translate, as DeepL does.", DEEPL),
    "/v2/languages": ("compatible", "Languages, as DeepL lists them.", None),
    "/v2/usage": ("compatible", "There is no quota.", None),
    "/v2/glossary-language-pairs": ("compatible", "No glossaries are kept.", None),
    "/v2/glossaries": ("compatible", "No glossaries are kept.", None),
    "/deeplx": ("compatible", "Translate, as DeepLX does.", DEEPLX),
    "/imme": (
        "compatible", "Translate, as Immersive Translate asks.",
        table(("text_list", "target_lang"), text_list=TEXTS, source_lang=SOURCE, target_lang=TARGET),
    ),
    "/kiss": ("compatible", "Translate, as KISS Translator asks.", {"anyOf": [MTRAN, MTRAN_LIST]}),
    "/hcfy": (
        "compatible", "Translate, as 划词翻译 asks.",
        table(("text", "destination"), text=text("What to translate."), destination=TEXTS, source=SOURCE),
    ),
    "/translate_a/single": ("compatible", "Translate, as clients of Google's free service ask.", None),
    "/google/translate_a/single": ("compatible", "The same.", None),
    "/language/translate/v2": (
        "compatible", "Translate, as Google Cloud Translation does.",
        table(("q", "target"), q=one_or_many("What to translate."), source=SOURCE, target=TARGET),
    ),
    "/google/language/translate/v2": (
        "compatible", "The same.",
        table(("q", "target"), q=one_or_many("What to translate."), source=SOURCE, target=TARGET),
    ),
    "/api/translate": ("attendo", "Translate, with score, words, alignment and ledger for each text.", OWN),
    "/api/translate/stream": ("attendo", "Translate one text: an event for each sentence, and one for the whole.", OWN),
    "/api/glass": ("glass", "One sentence through the machine: pieces, steps, search; and what numbers it has.", GLASS),
    "/api/glass/code": ("glass", "The lines of attendo that compute what a page shows, by its stations.", None),
    "/api/glass/{id}/{group}": ("glass", "Tensors of a look, float32, little-endian, one after the other.", None),
    "/api/glass/{id}/column/{matrix}/{column}": ("glass", "A column of a matrix of weights, and its bias.", None),
    "/api/glass/{id}/output/{piece}": ("glass", "The row of the output matrix that makes a piece's logit.", None),
    "/api/glass/{id}/pieces": (
        "glass", "The pieces of a word that is to come at a step.",
        table(("word",), word=text("A word."), step={"type": "integer", "minimum": 1}),
    ),
    "/translate_file": ("compatible", "Translate a file, as LibreTranslate does.", None),
    "/download_file/{name}": ("compatible", "A translated file, once.", None),
    "/v2/document": ("compatible", "Translate a file, as DeepL does.", None),
    "/v2/document/{id}": ("compatible", "How far a file is.", KEY_OF_DOCUMENT),
    "/v2/document/{id}/result": ("compatible", "A translated file, once.", KEY_OF_DOCUMENT),
    "/api/document": ("attendo", "Translate a file: its id, and how far it is.", None),
    "/api/document/{id}": ("attendo", "How far a file is.", None),
    "/api/document/{id}/result": ("attendo", "A translated file, once.", None),
    "/api/document/{id}/report": ("attendo", "What became of a file: found, translated, kept, and why.", None),
    "/api/info": ("attendo", "Models, languages and limits.", None),
    "/openapi.json": ("server", "This.", None),
    "/metrics": ("server", "Counts, for Prometheus.", None),
    "/live": ("server", "The server lives.", None),
    "/ready": ("server", "The server translates.", None),
    "/health": ("server", "The server translates.", None),
}  # fmt: skip
QUERY = {
    "/translate_a/single": ("q", "tl"),
    "/google/translate_a/single": ("q", "tl"),
}
# By path: what is answered where it is not JSON.
FILE_OF_ANY_KIND, NUMBERS = "*/*", "application/octet-stream"
MEDIA_TYPES = {
    "/metrics": "text/plain",
    "/api/translate/stream": "text/event-stream",
    "/api/glass/{id}/{group}": NUMBERS,
    "/api/glass/{id}/column/{matrix}/{column}": NUMBERS,
    "/api/glass/{id}/output/{piece}": NUMBERS,
    "/download_file/{name}": FILE_OF_ANY_KIND,
    "/v2/document/{id}/result": FILE_OF_ANY_KIND,
    "/api/document/{id}/result": FILE_OF_ANY_KIND,
}
NEVER_TAKEN = "/suggest"  # it is there to say no
AT_THE_DOOR = {
    400: "The request is not as it should be.",
    403: "The key is wrong, or the page may not ask.",
    408: "The request took too long to arrive.",
    414: "The address is too long.",
    415: "Neither JSON nor a form.",
    429: "Too many requests at once.",
    431: "The head of the request is too large.",
    503: "Too busy: come again after Retry-After seconds.",
}
REFUSALS = AT_THE_DOOR | {
    401: "A key is needed.",
    404: "There is no such thing here, or no more.",
    413: "Too much text.",
    500: "A mistake of the server's.",
    504: "Not done in time.",
}
# Where a key may stand; one is enough.
KEYS: dict[str, Schema] = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "deepl": {
        "type": "apiKey", "in": "header", "name": "Authorization", "description": "DeepL-Auth-Key, a space, the key.",
    },
    **{f"header-{name}": {"type": "apiKey", "in": "header", "name": name} for name in KEY_HEADERS},
    **{f"query-{name}": {"type": "apiKey", "in": "query", "name": name} for name in KEY_PARAMETERS},
}  # fmt: skip
RouteTable = Iterable[tuple[str, str, Handler]]  # method, path and who answers


def check_described(routes: RouteTable) -> None:
    """When a server is built: the schema itself is written when somebody asks for it."""
    paths = {path for _, path, _ in routes}
    if differing := (paths ^ ABOUT.keys()) | ((OPEN | SECRET_PATHS) - paths):
        raise ValueError(f"routes that nothing is told of, or no routes at all: {', '.join(sorted(differing))}")


def openapi_schema(routes: RouteTable, *, with_keys: bool) -> Schema:
    """The whole of it. FastAPI writes it and does no more: our handlers read requests themselves, and need none of
    what it does for each."""
    app = FastAPI(
        title="attendo",
        version=__version__,
        description="Translates. Speaks the dialects of LibreTranslate, DeepL, DeepLX, MTranServer and others.",
    )
    for method, path, handler in routes:
        app.add_api_route(path, handler, methods=[method], **route_metadata(method, path))
    schema = app.openapi()
    if with_keys:
        schema.setdefault("components", {})["securitySchemes"] = KEYS
        schema["security"] = [{name: []} for name in KEYS]
    return schema


def route_metadata(method: str, path: str) -> dict[str, Any]:
    """What FastAPI is told of a route besides its handler."""
    tag, summary, body = ABOUT[path]
    extra: dict[str, Any] = {}
    if method == "POST" and body:
        extra["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    if path in FORMS:
        extra["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": FORMS[path]}}}
    if path in QUERY:
        extra["parameters"] = [
            {"name": name, "in": "query", "required": True, "schema": {"type": "string"}} for name in QUERY[path]
        ]
    for name in re.findall(r"{(\w+)}", path):
        parameter = {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        extra.setdefault("parameters", []).append(parameter)
    if path in OPEN | SECRET_PATHS:
        extra["security"] = []
    refusals = AT_THE_DOOR if path in OPEN or path == NEVER_TAKEN else REFUSALS
    responses: dict[int, Schema] = {status: {"description": why} for status, why in refusals.items()}
    if media_type := MEDIA_TYPES.get(path):
        content = {"schema": {"type": "string", **({} if media_type.startswith("text/") else {"format": "binary"})}}
        responses[200] = {"description": "As it was asked for.", "content": {media_type: content}}
    name = re.sub(r"\W+", "_", path).strip("_")
    return {
        "tags": [tag],
        "summary": summary,
        "operation_id": f"{method.lower()}_{name}",
        "status_code": 403 if path == NEVER_TAKEN else 200,
        "responses": responses,
        "response_class": Response if media_type else JSONResponse,
        "openapi_extra": extra or None,
        "response_model": None,
    }
