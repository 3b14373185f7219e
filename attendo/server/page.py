"""The page at /: a fixed table of files, read once; no path of a request ever becomes the name of a file."""

from collections.abc import Callable, Coroutine
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import Request, Response

FOLDER = Path(__file__).parent / "page"


class PageFile(NamedTuple):
    name: str
    media_type: str


SCRIPT = "text/javascript; charset=utf-8"
PAGE = {
    "/": PageFile("connect.html", "text/html; charset=utf-8"),
    "/page/connect.css": PageFile("connect.css", "text/css; charset=utf-8"),
    "/page/icon.svg": PageFile("icon.svg", "image/svg+xml"),
    "/page/clients.json": PageFile("clients.json", "application/json"),
    **{
        f"/page/{name}.js": PageFile(f"{name}.js", SCRIPT)
        for name in (
            "theme", "connect", "words", "settings", "elements", "asking", "languages", "alignment", "marks", "box",
            "differences", "clients", "listing",
        )
    },
}  # fmt: skip


def page_handler(file: PageFile) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    async def handle(request: Request) -> Response:
        return Response(content(file.name), media_type=file.media_type, headers={"cache-control": "no-cache"})

    return handle


@cache
def content(name: str) -> bytes:
    return (FOLDER / name).read_bytes()
