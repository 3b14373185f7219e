"""A form with a file in it, read as it comes: the file stays in memory and has at most so many bytes.

What a client calls its file is a name and nothing else: it goes into messages and into the name of the result, and no
path is made of it. A name that looks like a path is refused.
"""

import re
import unicodedata
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from attendo.files.tables import short_repr
from attendo.server.bodies import MULTIPART_TYPE, SHOWN, as_list, too_large
from attendo.server.job import RequestError

MOST_FIELDS = 50
LARGEST_FIELD = 100_000  # bytes
AROUND = 200_000  # bytes of a form besides its file
LONGEST_NAME = 200  # characters
DRIVE = re.compile("[A-Za-z]:")
TURNS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # letters shown in another order than they have


class UploadedFile(NamedTuple):
    name: str
    data: bytes


Upload = tuple[Mapping[str, Any], UploadedFile]  # the fields of a form, and its file


async def read_upload(chunks: AsyncIterator[bytes], headers: Mapping[str, str], most: int) -> Upload:
    """`most` bytes may be in the file."""
    from starlette.datastructures import Headers, UploadFile
    from starlette.formparsers import MultiPartException, MultiPartParser

    content_type = headers.get("content-type", "")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise RequestError("media-type", "the body is compressed: expected it as it is, without Content-Encoding")
    if content_type.partition(";")[0].strip().lower() != MULTIPART_TYPE:
        raise RequestError("media-type", f"the body is {content_type[:SHOWN]!r}: expected {MULTIPART_TYPE} with a file")
    declared = headers.get("content-length", "")
    if declared.isascii() and declared.isdecimal() and int(declared[:20]) > most + AROUND:
        raise too_large(most)

    async def counted() -> AsyncGenerator[bytes, None]:
        size = 0
        async for chunk in chunks:
            size += len(chunk)
            if size > most + AROUND:
                raise too_large(most)
            yield chunk

    parser = MultiPartParser(
        Headers({"content-type": content_type}),
        counted(),
        max_files=1,
        max_fields=MOST_FIELDS,
        max_part_size=LARGEST_FIELD,
    )
    parser.spool_max_size = 2 * (most + AROUND)  # nothing of it goes to a disk
    try:
        form = await parser.parse()
    except (MultiPartException, ValueError, LookupError) as error:
        raise RequestError("bad-request", f"the form cannot be read: {str(error)[:200]}") from None
    table: dict[str, Any] = {}
    file = None
    for key, value in form.multi_items():
        if not isinstance(value, UploadFile):
            table[key] = [*as_list(table[key]), value] if key in table else value
        elif key == "file":
            file = UploadedFile(value.filename or "", await value.read())
    await form.close()
    if file is None:
        raise RequestError("bad-request", "file is missing: expected a file")
    if len(file.data) > most:
        raise too_large(most)
    return table, file


def file_name(said: Any) -> str:
    """The name of a client's file, or an error if it is a path or cannot be shown."""
    expected = f"expected a name of up to {LONGEST_NAME} characters, without folders"
    if not isinstance(said, str) or not said.strip(" ."):
        raise RequestError("bad-request", f"the file has no name: {expected}")
    bad = any(unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") for sign in said[: LONGEST_NAME + 1])
    path = "/" in said or "\\" in said or DRIVE.match(said)
    if bad or path or len(said) > LONGEST_NAME or TURNS.search(said):
        raise RequestError("bad-request", f"the file is called {short_repr(said)}: {expected}")
    return said


def disposition(name: str) -> str:
    """The header that saves a file under this name and shows nothing of it, whatever letters it has."""
    plain = re.sub(r"[^\w.() -]", "_", name, flags=re.ASCII)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
