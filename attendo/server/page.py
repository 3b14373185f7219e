"""The page at /: a fixed table of files, read once; no path of a request ever becomes the name of a file."""

from collections.abc import Callable, Coroutine
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import Request, Response

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
        return Response(content(file.path), media_type=file.media_type, headers={"cache-control": "no-cache"})

    return handle


@cache
def content(path: Path) -> bytes:
    return path.read_bytes()
