"""The page at /: a fixed table of files, read and compressed once; no path of a request ever becomes a file's name.

A browser that has a file asks whether it is still the same, and is told so in a line.
"""

import gzip
import hashlib
import re
from collections.abc import Callable, Coroutine
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from attendo.explain.page import PARTS

FOLDER = Path(__file__).parent / "page"


class PageFile(NamedTuple):
    path: Path
    media_type: str


MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
INDEX = "index.html"


def files_below(address: str, folder: Path) -> dict[str, PageFile]:
    """The files of a folder by their addresses, as they are when the server starts."""
    found = {path.name: PageFile(path, MEDIA_TYPES[path.suffix]) for path in sorted(folder.iterdir())}
    return {f"{address}/{name}": file for name, file in found.items()}


# What the page shares with that of `attendo explain` is served from where it stands.
PAGE = {
    **files_below("/page", FOLDER),
    **files_below("/glass", PARTS),
    "/": PageFile(FOLDER / INDEX, MEDIA_TYPES[".html"]),
}


def page_handler(file: PageFile) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    async def handle(request: Request) -> Response:
        found = content(file.path)
        headers = {"cache-control": "no-cache", "etag": found.tag, "vary": "Accept-Encoding"}
        if found.tag in re.split(r"\s*,\s*", request.headers.get("if-none-match", "").strip()):
            return Response(status_code=304, headers=headers)
        if not takes_gzip(request.headers.get("accept-encoding", "")):
            return Response(found.plain, media_type=file.media_type, headers=headers)
        headers["content-encoding"] = "gzip"
        return Response(found.compressed, media_type=file.media_type, headers=headers)

    return handle


class Content(NamedTuple):
    plain: bytes
    compressed: bytes
    tag: str  # the same for the same text, however it is sent: so it is a weak one


@cache
def content(path: Path) -> Content:
    plain = path.read_bytes()
    digest = hashlib.sha256(plain).hexdigest()[:32]
    return Content(plain, gzip.compress(plain, mtime=0), f'W/"{digest}"')


def takes_gzip(header: str) -> bool:
    """Of "br, gzip;q=0.8": whether it is named, and not with a weight of nothing."""
    named = [one.replace(" ", "").lower().partition(";q=") for one in header.split(",")]
    return any(name == "gzip" and (weight or "1").strip("0.") for name, _, weight in named)
