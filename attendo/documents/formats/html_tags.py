"""The tags of a page that say something beside its text: words in attributes, and the language they are in.

    <img src="a.png" alt="A cat">                          ->  "A cat"
    <meta name="description" content="All about cats">     ->  "All about cats"
    <html lang="en">                                       ->  the language, which is another one afterwards

A reader of a file does see them, in a tooltip, in place of a picture, in a list of search results; so they are
translated here, while a sentence that a program sends to the server keeps its attributes as they are.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from attendo.documents.prose import is_prose
from attendo.translation.markup.passages import end_of, pairs
from attendo.translation.markup.rules import UNTRANSLATED, MarkupRules, names
from attendo.translation.markup.scan import MarkupPart

ATTRIBUTE = re.compile(r"""(?<=[\s"'/])([^\s"'<>/=]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+)""")
TRANSLATED = frozenset({"title", "alt", "placeholder", "aria-label", "aria-description", "summary", "label"})
ONLY_IN = {"summary": {"table"}, "label": {"track", "optgroup", "option"}}
META = names(
    "description keywords og:title og:description og:image:alt twitter:title twitter:description twitter:image:alt"
    " dc.title dc.description"
)
BUTTONS = frozenset({"submit", "button", "reset"})
LANGUAGE = frozenset({"lang", "xml:lang"})


class Value(NamedTuple):
    """What an attribute says, without its quotes. Positions are those of characters in the text."""

    attribute: str
    start: int
    end: int
    quote: str  # empty: it has none


class PageTag(NamedTuple):
    """A tag with something to change."""

    name: str
    start: int
    end: int
    words: tuple[Value, ...]
    language: tuple[Value, ...]


def tags_of(parts: Sequence[MarkupPart], rules: MarkupRules) -> Iterator[PageTag]:
    """All that say something, but for those inside of what is left untouched. An element's own tag is not inside it."""
    partners = pairs(parts)
    position = 0
    skip_to = -1
    for at, part in enumerate(parts):
        start, position = position, position + len(part.text)
        if at < skip_to or part.kind not in ("open", "single"):
            continue
        if part.kind == "open" and rules.is_untouched(part.name, part.text):
            skip_to = end_of(parts, at, partners, rules) + 1
        values = {value.attribute: value for value in values_of(part.text, start)}
        if UNTRANSLATED.search(part.text):
            continue
        written = {name: part.text[value.start - start : value.end - start] for name, value in values.items()}
        words = tuple(
            value
            for name, value in values.items()
            if says_something(part.name, name, written) and is_prose(written[name])
        )
        language = tuple(value for name, value in values.items() if says_language(part.name, name, written))
        if words or language or part.name == "html":
            yield PageTag(part.name, start, position, words, language)


def values_of(tag: str, start: int) -> Iterator[Value]:
    """Of a tag that begins at `start`; of an attribute that comes twice, the first counts, as in a browser."""
    seen = set()
    for found in ATTRIBUTE.finditer(tag):
        name, raw = found[1].lower(), found[2]
        if name in seen:
            continue
        seen.add(name)
        quote = raw[0] if raw[0] in "\"'" else ""
        yield Value(name, start + found.start(2) + len(quote), start + found.end(2) - len(quote), quote)


def says_something(tag: str, attribute: str, written: Mapping[str, str]) -> bool:
    if tag == "meta":
        return attribute == "content" and (written.get("name") or written.get("property") or "").lower() in META
    if attribute == "value":
        return tag == "input" and written.get("type", "").lower() in BUTTONS
    return attribute in TRANSLATED and tag in ONLY_IN.get(attribute, {tag})


def says_language(tag: str, attribute: str, written: Mapping[str, str]) -> bool:
    if tag == "meta":
        return attribute == "content" and written.get("http-equiv", "").lower() == "content-language"
    return attribute in LANGUAGE


def same_language(written: str, language: str) -> bool:
    """en-US is English."""
    return written.strip().lower().replace("_", "-").split("-")[0] == language.lower().split("-")[0]
