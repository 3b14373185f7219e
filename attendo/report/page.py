"""What all pages have in common: a file that holds everything it shows and runs nothing.

No script, no address, and a policy that would stop both; every text of strangers is escaped and made visible.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path

from attendo import __version__
from attendo.errors import WriteError
from attendo.files.durable import cannot_write, write_file
from attendo.files.manifest import NAME as MANIFEST
from attendo.report.formatting import visible
from attendo.report.language import Bilingual, Language, in_language
from attendo.report.style import STYLE

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def write_html(path: Path, title: str, parts: Iterable[str], style: str = "", language: Language = "en") -> None:
    """A page of these parts, the empty ones left out; `style` is added to that of all pages."""
    version = escape(__version__)
    footer = in_language(language)(f"Written by attendo {version}.", f"由 attendo {version} 生成。")
    page = (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{html_text(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n"
        + "".join(f"{part}\n" for part in parts if part)
        + f'<footer class="note">{footer}</footer>\n</body>\n</html>\n'
    )
    write_file(path, page.encode("utf-8"))


def html_text(text: str) -> str:
    """Text of strangers, visible on one line, in which nothing is markup."""
    return escape(visible(text))


def html_lines(text: str) -> str:
    return "\n".join(html_text(line) for line in text.strip("\n").split("\n"))


def html_heading(words: Bilingual, level: int = 2, language: Language = "en") -> str:
    if language == "zh":
        return f"<h{level}>{words.chinese}</h{level}>"
    return f'<h{level}>{words.english}<span class="zh" lang="zh">{words.chinese}</span></h{level}>'


def fact_cards(facts: Mapping[str, str]) -> str:
    """A small card a fact: its name above, what there is to say of it below."""
    cards = "".join(f"<div><dt>{html_text(name)}</dt><dd>{html_text(text)}</dd></div>" for name, text in facts.items())
    return f'<dl class="facts">{cards}</dl>' if cards else ""


def labelled_texts(rows: Iterable[tuple[str, str]], heading: str = "") -> str:
    """Texts below each other, so that the eye can compare them."""
    texts = "".join(f'<dt>{label}</dt><dd dir="auto">{html_text(text)}</dd>' for label, text in rows)
    return f'<dl class="sample">{heading}{texts}</dl>'


def captioned_section(
    name: str, heading: Bilingual, caption: Bilingual, content: str, language: Language = "en"
) -> str:
    """A section with its heading and an explanation; `name` is the target of links."""
    english = f'<p class="caption">{escape(caption.english)}</p>\n' if language == "en" else ""
    return (
        f'<section id="{escape(name)}">\n{html_heading(heading, language=language)}\n{english}'
        f'<p class="caption" lang="zh">{escape(caption.chinese)}</p>\n'
        f"{content}\n</section>"
    )


@contextmanager
def folder_for_pages(folder: Path) -> Iterator[None]:
    """Made before the long work, so that a folder that cannot be written is reported at once; where that work then
    fails and nothing is in the folder, it goes again, with those above that were made for it.

    A model's folder must stay as it is: with a file more than its manifest names, the model would not load.
    """
    if os.path.lexists(folder / MANIFEST):
        raise WriteError(f"{folder} is a model's folder (it has {MANIFEST}): name another folder for the pages")
    made = [one for one in (folder, *folder.parents) if not os.path.lexists(one)]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(folder, error) from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise WriteError(f"cannot write {folder}: no permission")
        yield
    except BaseException:
        for one in made:
            with suppress(OSError):  # not empty, or not there
                one.rmdir()
        raise
