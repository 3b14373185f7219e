"""The body of a request as a table of values: JSON, a form, or the query itself.

Bodies are hostile until they have been read: bytes that are no UTF-8, halves of surrogate pairs, NaN, brackets a
hundred thousand deep, all of it is the client's mistake and is told as such.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any, NoReturn
from urllib.parse import parse_qs

from attendo.server.job import RequestError

MOST_FIELDS = 2_000
SHOWN = 60  # characters of a content type, in an error
JSON_TYPE, FORM_TYPE, MULTIPART_TYPE = "application/json", "application/x-www-form-urlencoded", "multipart/form-data"


async def read_body(chunks: AsyncIterator[bytes], length: str | None, most: int) -> bytes:
    """All of it, or an error as soon as it is clear that there is too much."""
    if length is not None and length.isascii() and length.isdecimal() and int(length[:20]) > most:
        raise too_large(most)
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > most:
            raise too_large(most)
    return bytes(body)


def too_large(most: int) -> RequestError:
    return RequestError("too-large", f"the body is too large: expected at most {most:,} bytes")


async def read_table(body: bytes, content_type: str, encoding: str | None = None) -> Mapping[str, Any]:
    """What a client said, by its keys. Some send JSON as text/plain, some without any type: it is JSON then, too."""
    if encoding and encoding.lower() != "identity":
        raise RequestError("media-type", "the body is compressed: expected it as it is, without Content-Encoding")
    kind = content_type.partition(";")[0].strip().lower()
    if kind == FORM_TYPE:
        return read_form(body)
    if kind == MULTIPART_TYPE:
        return await read_multipart(body, content_type)
    if kind in (JSON_TYPE, "text/json", "text/plain", "") or kind.endswith("+json"):
        return read_json(body)
    raise RequestError("media-type", f"the body is {content_type[:SHOWN]!r}: expected {JSON_TYPE}, or a form")


def read_json(body: bytes) -> Mapping[str, Any]:
    if not body.strip():
        raise RequestError("bad-request", "the body is empty: expected an object with keys, as JSON, or a form")
    try:
        table = json.loads(body.decode("utf-8-sig"), parse_constant=no_number)
        check_text(table)
    except UnicodeDecodeError:
        raise RequestError("bad-request", "the body is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        what = "brackets too deep" if isinstance(error, RecursionError) else str(error)[:200]
        raise RequestError("bad-request", f"the body is not JSON: {what}") from None
    if not isinstance(table, dict):
        raise RequestError("bad-request", "the body is JSON, but no object: expected one with keys and values")
    return table


def no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def check_text(value: Any) -> None:
    """Half a surrogate pair is no character, and nothing can be sent back that has one."""
    if isinstance(value, str):
        if not value.isascii():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise ValueError("half a surrogate pair in a text") from None
    elif isinstance(value, dict):
        for key, inner in value.items():
            check_text(key)
            check_text(inner)
    elif isinstance(value, list):
        for inner in value:
            check_text(inner)


def read_form(body: bytes) -> Mapping[str, Any]:
    """A key that came more than once has a list of values."""
    try:
        text = body.decode("utf-8")
        found = parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError:  # bytes that are no UTF-8, or too many fields
        what = f"more than {MOST_FIELDS:,} fields" if body.count(b"&") >= MOST_FIELDS else "bytes that are not UTF-8"
        raise RequestError("bad-request", f"the form, or the query, has {what}") from None
    return {key: values[0] if len(values) == 1 else values for key, values in found.items()}


async def read_multipart(body: bytes, content_type: str) -> Mapping[str, Any]:
    from starlette.datastructures import Headers, UploadFile
    from starlette.formparsers import MultiPartException, MultiPartParser

    async def once() -> AsyncGenerator[bytes, None]:
        yield body

    try:
        parser = MultiPartParser(
            Headers({"content-type": content_type}),
            once(),
            max_files=0,
            max_fields=MOST_FIELDS,
            max_part_size=len(body),
        )
        form = await parser.parse()
    except (MultiPartException, ValueError, KeyError, LookupError) as error:
        raise RequestError("bad-request", f"the form cannot be read: {str(error)[:200]}") from None
    table: dict[str, Any] = {}
    for key, value in form.multi_items():
        if isinstance(value, UploadFile):
            continue
        table[key] = [*as_list(table[key]), value] if key in table else value
    return table


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
