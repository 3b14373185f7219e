"""One file, explain.html: the words, the programs and the numbers, nothing that is fetched.

The policy at its head lets run the one script whose hash it names, and forbids every request.
"""

import base64
import hashlib
import json
import re
from html import escape
from pathlib import Path
from typing import Any

from attendo.errors import InputError
from attendo.explain.explain import Explanation
from attendo.explain.page_data import page_data
from attendo.explain.view import View
from attendo.files.durable import write_file
from attendo.report.formatting import visible
from attendo.report.language import Language
from attendo.report.style import STYLE

PAGE = "explain.html"
PARTS = Path(__file__).with_name("page_parts")
STYLES = ("glass", "attention", "decoding", "hands", "page")
START = "page"  # the module that draws the page
IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile("^export ", re.MULTILINE)
LONGEST_TITLE = 100
MOST_TOKENS = 150  # of a side: a page of that has 15 MB, and maps of attention that a browser still shows at once


def write_page(folder: Path, found: Explanation, view: View, language: Language = "en") -> Path:
    path = folder / PAGE
    lengths = len(found.shown.source), len(found.shown.best.ids)
    if max(lengths) > MOST_TOKENS:
        raise InputError(
            f"the source has {lengths[0]} tokens and the translation {lengths[1]}: a page shows at most {MOST_TOKENS} "
            "of each, the terminal (without --out) more"
        )
    write_file(path, page_html(page_data(found, view, language)).encode("utf-8"))
    return path


def page_html(data: dict[str, Any]) -> str:
    """The data is JSON that no script reads as code: a < in it is spelt \\u003c, so that nothing can end it."""
    script = '"use strict";\n' + bundled(START)
    style = STYLE + "".join((PARTS / f"{name}.css").read_text(encoding="utf-8") for name in STYLES)
    allowed = f"script-src '{hash_of(script)}'; style-src '{hash_of(style)}'; img-src data:"  # a picture that is saved
    policy = f"default-src 'none'; {allowed}; base-uri 'none'"
    title = visible(f"{data['text']} → {data['translation']}", LONGEST_TITLE)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return (
        f'<!DOCTYPE html>\n<html lang="{data["language"]}">\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        "<noscript>This page computes what it shows: it needs JavaScript. 本页在浏览器中计算，需要启用 JavaScript。"
        '</noscript>\n<main id="page" class="glass"></main>\n'
        f'<script type="application/json" id="data">{text}</script>\n<script>{script}</script>\n</body>\n</html>\n'
    )


def bundled(start: str) -> str:
    """A module and all that it imports, as one script: no name stands in two of them, so imports can be left out.

    Each comes after those it imports, as in a browser; where two import each other, after the one that was met first.
    """
    met: list[str] = []
    done: list[str] = []

    def visit(name: str) -> None:
        if name in met:
            return
        met.append(name)
        text = (PARTS / f"{name}.js").read_text(encoding="utf-8")
        for imported in IMPORT.findall(text):
            visit(imported)
        done.append(EXPORT.sub("", IMPORT.sub("", text)))

    visit(start)
    return "\n".join(done)


def hash_of(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
