"""Pages (.html, .htm, .xhtml, and the chapters of a book): paragraphs with their inline tags, and words in attributes.

    <p>Read the <a href="x.html" title="all of it">manual</a>.</p>

    "Read the <a …>manual</a>."   a paragraph: between two tags that end a sentence (translation/markup/passages.py)
    "all of it"                   an attribute of a tag that stands inside of it

An attribute may lie inside a paragraph, so two segments may want the same bytes: then the paragraph is written, and the
tags in it are those with the new attributes. What is no text for readers stays: scripts, styles, comments, code, what
says translate="no".
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from attendo.documents.document import (
    AroundChange,
    Change,
    Document,
    DocumentSegment,
    Offsets,
    Writing,
    replace_spans,
    utf8,
)
from attendo.documents.formats.html_tags import PageTag, Value, same_language, tags_of
from attendo.errors import DataError
from attendo.text.normalize import WORD
from attendo.translation.markup.collect import NUMBERED, collect
from attendo.translation.markup.passages import runs, without_tokens
from attendo.translation.markup.rules import MarkupRules
from attendo.translation.markup.scan import MarkupPart, scan

RULES = MarkupRules.html()
CHARSET = re.compile(
    r"""<meta\s[^<>]*?charset\s*=\s*["']?\s*([\w.:-]+)|\A\ufeff?<\?xml\s[^<>]*?encoding\s*=\s*["']([\w.:-]+)""",
    re.IGNORECASE,
)
HEAD = 10_000  # characters in which a page says its encoding
UTF8_NAMES = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
MOST_TAGS = 2_000  # in one paragraph
MOST_TAGS_OF_PAGE = 1_000_000
LARGEST = 50_000_000  # characters of a page
LONGEST = 100_000  # characters of one paragraph
PLAIN_PARENTS = frozenset({"title", "option", "textarea"})  # no tag can stand in them
IDENTITY = re.compile(r"""\s(?:xml:)?id\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+)""", re.IGNORECASE)
PARENT = re.compile(r"<([a-zA-Z]+)[^<>]*>\s*\Z")
NEEDS_QUOTES = re.compile(r"""[\s"'=<>`]""")


@dataclass(frozen=True)
class PagePlace:
    """Where a segment is, in characters, and what it is of the page."""

    start: int
    end: int
    value: Value | None = None  # of an attribute
    plain: bool = False  # no tag can stand beside it


@dataclass(frozen=True)
class Page(Document):
    text: str = ""
    part: str = ""  # of a book
    places: Sequence[PagePlace] = ()  # one for each segment
    tags: Sequence[PageTag] = ()
    offsets: Offsets = field(default_factory=lambda: Offsets(""))

    can_be_bilingual = True

    def changes(self, index: int, answer: str, writing: Writing) -> list[Change]:
        place = self.places[index]
        source = self.text[place.start : place.end]
        if place.value:
            new = in_quotes(both(source, answer, writing), place.value.quote)
        elif place.plain:
            new = both(source, answer, writing)
        else:
            new = self.beside(source, answer, writing)
        return [Change(self.offsets.span(place.start, place.end, self.part), new.encode())]

    def beside(self, source: str, answer: str, writing: Writing) -> str:
        """Both texts in one element, the translation marked with its language; an id is not said twice."""
        if writing.bilingual == "none":
            return answer
        copy = "".join(IDENTITY.sub("", part.text) if is_tag(part) else part.text for part in scan(answer, RULES))
        marked = f'<span lang="{writing.to}">{copy}</span>' if is_balanced(answer) else copy
        first, second = (marked, source) if writing.bilingual == "under" else (source, marked)
        return f"{first}<br/>{second}"

    def problem(self, index: int, answer: str) -> str:
        if tags_in(answer) != tags_in(self.segments[index].text):
            return "a tag did not come back once"
        return ""

    def around(self, writing: Writing) -> list[AroundChange]:
        if writing.bilingual != "none":
            return []
        found = []
        for tag in self.tags:
            root = tag.name == "html"
            if root and not any(value.attribute == "lang" for value in tag.language):
                at = tag.start + len("<html")
                found.append(self.language_change(at, at, f' lang="{writing.to}"', writing))
            for value in tag.language:
                if root or same_language(self.text[value.start : value.end], writing.source):
                    found.append(self.language_change(value.start, value.end, writing.to, writing))
        return found

    def language_change(self, start: int, end: int, new: str, writing: Writing) -> AroundChange:
        line = self.text.count("\n", 0, start) + 1
        change = Change(self.offsets.span(start, end, self.part), new.encode())
        return AroundChange(change, f"line {line}", f'lang="{writing.to}"')

    def written(self, changes: Iterable[Change]) -> bytes:
        return replace_spans(self.data, self.without_overlaps(changes))

    def without_overlaps(self, changes: Iterable[Change]) -> list[Change]:
        """Changes inside the tags of a paragraph that is written anew, made in its new text."""
        found: list[Change] = []
        inner: list[Change] = []
        for change in sorted(changes, key=lambda one: (one.span.start, -one.span.end)):
            if found and change.span.end <= found[-1].span.end and change.span.start < found[-1].span.end:
                inner.append(change)
            else:
                found.append(change)
        if not inner:
            return found
        starts = [change.span.start for change in found]
        of_outer: dict[int, list[Change]] = {}
        for change in inner:
            of_outer.setdefault(bisect_right(starts, change.span.start) - 1, []).append(change)
        tags = [(self.offsets[tag.start], self.offsets[tag.end]) for tag in self.tags]
        for at, those in of_outer.items():
            found[at] = found[at]._replace(data=self.with_new_tags(found[at].data, those, tags))
        return found

    def with_new_tags(self, data: bytes, changes: Sequence[Change], tags: Sequence[tuple[int, int]]) -> bytes:
        """The new text of a paragraph with the tags as these changes make them."""
        of_tag: dict[tuple[int, int], list[Change]] = {}
        for change in changes:
            start, end = tags[bisect_right(tags, (change.span.start, len(self.data))) - 1]
            span = change.span._replace(start=change.span.start - start, end=change.span.end - start)
            of_tag.setdefault((start, end), []).append(change._replace(span=span))
        new: dict[str, list[str]] = {}  # of each tag as it was; several, where the same tag comes several times
        for (start, end), those in sorted(of_tag.items()):
            tag = self.data[start:end]
            written = replace_spans(tag, those).decode()
            new.setdefault(tag.decode(), []).append(written)
            if bare := IDENTITY.sub("", tag.decode()) if IDENTITY.search(tag.decode()) else "":
                new.setdefault(bare, []).append(IDENTITY.sub("", written))
        seen: Counter[str] = Counter()
        pieces = []
        for part in scan(data.decode(), RULES):
            forms = new.get(part.text, [part.text])
            pieces.append(forms[seen[part.text] % len(forms)])
            seen[part.text] += 1
        return "".join(pieces).encode()


def find_html(data: bytes, name: str) -> Page:
    return find_page(data, name)


def find_page(data: bytes, name: str, part: str = "") -> Page:
    """A file, or one part of a book."""
    text = utf8(data, name)
    check_page(text, name)
    parts = scan(text, RULES)
    tags = list(tags_of(parts, RULES))
    values = [value for tag in tags for value in tag.words]
    found = sorted(
        [*paragraphs(text, parts), *(PagePlace(value.start, value.end, value) for value in values)],
        key=lambda place: place.start,
    )
    offsets, lines = Offsets(text), LineNumbers(text)
    starts = [value.start for value in values]
    segments = []
    for place in found:
        said = text[place.start : place.end]
        inside = [] if place.value else values[bisect_left(starts, place.start) : bisect_left(starts, place.end)]
        edges = [place.start, *(edge for value in inside for edge in (value.start, value.end)), place.end]
        segments.append(
            DocumentSegment(
                text=said,
                spans=tuple(offsets.span(*pair, part) for pair in zip(edges[::2], edges[1::2], strict=True)),
                kind="attribute" if place.value else "title" if place.plain else "paragraph",
                place=f"line {lines[place.start]}" + (f", {place.value.attribute}" if place.value else ""),
                rules=RULES,
                kept=too_large(said),
            )
        )
    return Page(data=data, segments=segments, text=text, part=part, places=found, tags=tags, offsets=offsets)


def check_page(text: str, name: str) -> None:
    declared = CHARSET.search(text[:HEAD])
    encoding = (declared[1] or declared[2]) if declared else "utf-8"
    if encoding.lower() not in UTF8_NAMES:
        raise DataError(
            f"{name} says that it is {encoding[:40]}: expected UTF-8 (iconv -t UTF-8, and correct that line)"
        )
    if len(text) > LARGEST:
        raise DataError(f"{name} has {len(text):,} characters: expected at most {LARGEST:,} of a page")
    if (tags := text.count("<")) > MOST_TAGS_OF_PAGE:
        raise DataError(f"{name} has {tags:,} tags: expected at most {MOST_TAGS_OF_PAGE:,} of a page")


def paragraphs(text: str, parts: Sequence[MarkupPart]) -> Iterator[PagePlace]:
    """Passages with words, without white space at their edges."""
    at = 0
    before = ""
    for run in runs(parts, RULES):
        raw = run if isinstance(run, str) else "".join(part.text for part in run)
        start, end = at + len(raw) - len(raw.lstrip()), at + len(raw.rstrip())
        if not isinstance(run, str) and start < end and (too_large(raw) or says_a_word(run)):
            parent = PARENT.search(before[-HEAD:])
            yield PagePlace(start, end, None, bool(parent and parent[1].lower() in PLAIN_PARENTS))
        at += len(raw)
        before = raw if raw.strip() else before


def says_a_word(run: Sequence[MarkupPart]) -> bool:
    return bool(WORD.search(without_tokens(collect(run, RULES, NUMBERED))))


class LineNumbers:
    """Of positions that are asked for from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.line = text, 0, 1

    def __getitem__(self, position: int) -> int:
        self.line += self.text.count("\n", self.at, position)
        self.at = max(self.at, position)
        return self.line


def too_large(text: str) -> str:
    """Why a paragraph is no paragraph that anybody wrote."""
    if len(text) > LONGEST:
        return f"{len(text):,} characters: expected at most {LONGEST:,} in one paragraph"
    if (tags := text.count("<")) > MOST_TAGS:
        return f"{tags:,} tags: expected at most {MOST_TAGS:,} in one paragraph"
    return ""


def both(source: str, answer: str, writing: Writing) -> str:
    """Where only one line of text can stand."""
    match writing.bilingual:
        case "under":
            return f"{answer} / {source}"
        case "over":
            return f"{source} / {answer}"
    return answer


def in_quotes(text: str, quote: str) -> str:
    """As the value of an attribute; what stood there has no quote of its own kind in it."""
    if quote:
        return text.replace(quote, "&quot;" if quote == '"' else "&#39;")
    return '"' + text.replace('"', "&quot;") + '"' if NEEDS_QUOTES.search(text) or not text else text


def is_tag(part: MarkupPart) -> bool:
    return part.kind in ("open", "close", "single")


def tags_in(text: str) -> list[str]:
    """All that is no text, in any order: a translation may move it."""
    return sorted(part.text.strip() for part in scan(text, RULES) if part.kind not in ("text", "entity"))


def is_balanced(text: str) -> bool:
    """Whether an element can be put around it."""
    opened: list[str] = []
    for part in scan(text, RULES):
        if part.kind == "open":
            opened.append(part.name)
        elif part.kind == "close" and (not opened or opened.pop() != part.name):
            return False
    return not opened
