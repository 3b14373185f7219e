"""What all pages have in common: a file that holds everything it shows and runs nothing.

No script, no address, and a policy that would stop both; every text of strangers is escaped and made visible.
"""

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

from attendo import __version__
from attendo.files.durable import write_file
from attendo.report.style import STYLE
from attendo.report.visible_text import visible

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def write_html(path: Path, title: str, parts: Iterable[str], style: str = "") -> None:
    """A page of these parts, the empty ones left out; `style` is added to that of all pages."""
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{shown(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n"
        + "".join(f"{part}\n" for part in parts if part)
        + f'<footer class="note">Written by attendo {escape(__version__)}.</footer>\n</body>\n</html>\n'
    )
    write_file(path, page.encode("utf-8"))


def shown(text: str) -> str:
    return escape(visible(text))


def shown_lines(text: str) -> str:
    return "\n".join(shown(line) for line in text.strip("\n").split("\n"))


def facts(summary: Mapping[str, str]) -> str:
    cards = "".join(f"<div><dt>{shown(name)}</dt><dd>{shown(text)}</dd></div>" for name, text in summary.items())
    return f'<dl class="facts">{cards}</dl>' if cards else ""


def captioned(name: str, heading: tuple[str, str], caption: tuple[str, str], content: str) -> str:
    """A section with its heading and what is to be said of it, in English and in Chinese."""
    return (
        f'<section id="{escape(name)}">\n<h2>{heading[0]}<span class="zh" lang="zh">{heading[1]}</span></h2>\n'
        f'<p class="caption">{escape(caption[0])}</p>\n<p class="caption" lang="zh">{escape(caption[1])}</p>\n'
        f"{content}\n</section>"
    )
