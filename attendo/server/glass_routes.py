"""The glass over HTTP: a sentence goes through the machine once, and its numbers are fetched when they are to be seen.

    POST /api/glass                               the head: pieces, steps, search, hands; and which numbers there are
    GET  /api/glass/{id}/{group}                  the tensors of a layer, or of what goes into a stack
    GET  /api/glass/{id}/column/{matrix}/{column} the weights that one number of a product is made with, and its bias
    GET  /api/glass/{id}/output/{piece}           those of a piece's logit
    POST /api/glass/{id}/pieces                   of which pieces a word is made that is to come at a step
    GET  /api/glass/code                          the lines of our own that compute each station

Numbers are float32, little-endian. docs/glass.md has the whole wire.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from attendo.explain.code_beside import code_beside
from attendo.explain.hand_words import forced
from attendo.glass.trace import Array
from attendo.server.dialects import own, reading
from attendo.server.exchange import Exchange, Handler, Json, Table, departure, outcome_of
from attendo.server.job import RequestError
from attendo.server.look_job import read_look_request
from attendo.server.looking import Looking
from attendo.server.looks import KeptLook
from attendo.server.service import as_request_error

NAME = "glass"  # among the dialects that are counted
STACKS = ("encoder.", "decoder.")
PRIVATE = {"cache-control": "no-store"}  # a look holds what somebody wrote
MOST_DIGITS = 9
LONGEST_WORD = 100  # characters
MOST_STEPS = 10_000


@dataclass(frozen=True)
class GlassRoutes(Exchange):
    looking: Looking

    def table(self) -> list[tuple[str, str, Handler]]:
        return [
            ("POST", "/api/glass", self.look),
            ("GET", "/api/glass/code", self.for_clients(self.code)),
            ("GET", "/api/glass/{id}/{group}", self.numbers(group_of)),
            ("GET", "/api/glass/{id}/column/{matrix}/{column}", self.numbers(column_of)),
            ("GET", "/api/glass/{id}/output/{piece}", self.numbers(output_row)),
            ("POST", "/api/glass/{id}/pieces", self.told(own, self.pieces)),
        ]

    async def look(self, request: Request) -> Response:
        with self.counted() as count:
            try:
                table, client = await self.read(request)
                found = await self.looking.look(read_look_request(table), client, departure(request))
                count.ended(NAME, "ok")
                return Response(found.head, media_type="application/json", headers=PRIVATE)
            except Exception as error:
                refusal = as_request_error(error)
                count.ended(NAME, outcome_of(refusal))
                return self.refused(own, refusal)

    def code(self, request: Request) -> Response:
        return Json({station: code._asdict() for station, code in code_beside().items()})

    async def pieces(self, request: Request) -> Response:
        """A word is not kept in an address, where others might log it."""
        table, _ = await self.read(request)
        return Json({"ids": word_pieces(self.kept(request), table)})

    def kept(self, request: Request) -> KeptLook:
        found = self.looking.looks.get(request.path_params["id"], KeptLook)
        if found is None:
            raise RequestError("gone", "this look is kept no more: ask for it again")
        return found

    def numbers(self, of_look: Callable[[KeptLook, dict[str, str]], bytes]) -> Handler:
        """A route that tells some numbers of a look that is kept."""

        def tell(request: Request) -> Response:
            content = of_look(self.kept(request), request.path_params)
            return Response(content, media_type="application/octet-stream", headers=PRIVATE)

        return self.for_clients(tell)


def group_of(look: KeptLook, asked: dict[str, str]) -> bytes:
    if asked["group"] not in look.groups:
        raise RequestError("bad-request", f"no such group: expected one of {', '.join(look.groups)}")
    return look.groups[asked["group"]]


def column_of(look: KeptLook, asked: dict[str, str]) -> bytes:
    """A column of W is a row of what the folder holds, which has it transposed."""
    weights, name = look.glass.model.weights, asked["matrix"]
    if f"{name}.weight" not in weights or not name.startswith(STACKS):
        raise RequestError("bad-request", "no such matrix: expected a name such as encoder.layers.0.feed_forward.inner")
    matrix = weights[f"{name}.weight"]
    column = number("column", asked["column"], len(matrix))
    bias = weights[f"{name}.bias"][column] if f"{name}.bias" in weights else 0
    return floats(np.append(matrix[column], np.float32(bias)))


def output_row(look: KeptLook, asked: dict[str, str]) -> bytes:
    weights = look.glass.model.weights
    table = weights["output.weight" if "output.weight" in weights else "embedding.weight"]
    piece = number("piece", asked["piece"], len(table))
    bias = weights["output.bias"][piece] if "output.bias" in weights else 0
    return floats(np.append(table[piece], np.float32(bias)))


def word_pieces(look: KeptLook, table: Table) -> list[int]:
    """The ids of a word's pieces, as `attendo explain --force 3=adore` has them."""
    word = reading.checked("word", table.get("word"), "a word", LONGEST_WORD)
    if not word.strip():
        raise RequestError("bad-request", "word is empty: expected a word")
    step = reading.whole_number(table, "step", 1, MOST_STEPS) or 1
    return [piece for _, piece in forced(f"{step}={word}", look.glass.tokenizer)]


def number(what: str, text: str, count: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS and int(text) < count):
        raise RequestError("bad-request", f"no such {what}: expected a number from 0 to {count - 1:,}")
    return int(text)


def floats(array: Array) -> bytes:
    return np.ascontiguousarray(array, dtype="<f4").tobytes()
