"""Markdown (.md): paragraphs, headings, cells of tables, items of lists, pictures' words, a title in the front matter.

    ## The *old* bridge {#old}          "The <e0>old</e0> bridge"
    > A quote that goes                 "A quote that goes
    > over two lines.                    over two lines."

The text is never written anew from what was understood of it: each block's own lines change, and nothing else. Code,
mathematics, addresses, definitions of links, comments and raw HTML tags stay; text inside of raw HTML is found as in a
page.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from attendo.documents.document import Change, Document, DocumentSegment, Offsets, Writing, replace_spans, utf8
from attendo.documents.formats.html import RULES, LineNumbers, both, paragraphs, tags_in
from attendo.documents.formats.md_blocks import LONGEST, MdBlock, continuation, read_outline
from attendo.documents.formats.md_inline import InlineScanner
from attendo.documents.formats.md_left import LINK_TITLE, MdLeft, link_titles
from attendo.documents.formats.md_text import OURS, MdText, read_md_text
from attendo.documents.formats.yaml_scalars import BREAK, Scalar, folded, read_scalar, write_scalar
from attendo.documents.prose import is_prose
from attendo.errors import DataError
from attendo.text.normalize import WORD
from attendo.translation.markup.scan import scan

if TYPE_CHECKING:
    from attendo.documents.formats.yaml_values import YamlValues

LARGEST = 5_000_000  # characters
KEYS = "title|linktitle|subtitle|description|summary|excerpt|abstract|headline|tagline|caption"
FRONT_VALUE = re.compile(
    rf"""^["']?(?i:{KEYS})["']?[ \t]*[:=][ \t]+("(?:[^"\\\r\n]|\\.)*"|'(?:[^'\r\n]|'')*'|[^\s"'|>&*!\[{{#][^\r\n]*?)"""
    r"""[ \t]*(?:\s#[^\r\n]*)?$""",
    re.MULTILINE,
)
KEY = re.compile(KEYS, re.IGNORECASE)
SEVERAL = "it has several lines or paragraphs"
TOC = re.compile(r"\[\[?_?toc_?\]\]?|\$\{toc\}", re.IGNORECASE)


@dataclass(frozen=True)
class MdPlace:
    """Where a segment is, and what it is written back by."""

    start: int
    end: int
    kind: str
    text: MdText | None = None
    block: MdBlock | None = None
    scalar: Scalar | None = None
    in_block: bool = False  # of front matter: after > or |
    picture: tuple[int, int] | None = None  # around an alternative text


class Unwritten(NamedTuple):
    """A text that stays, and why."""

    start: int
    kind: str
    why: str


@dataclass(frozen=True)
class Markdown(Document):
    text: str = ""
    places: Sequence[MdPlace] = ()
    offsets: Offsets = field(default_factory=lambda: Offsets(""))

    can_be_bilingual = True

    def changes(self, index: int, answer: str, writing: Writing) -> list[Change]:
        place = self.places[index]
        source = self.text[place.start : place.end]
        if place.scalar:
            new = folded(write_scalar(place.scalar, both(place.scalar.spelt.text, answer, writing)), source)
        elif place.in_block:
            new = folded(both(BREAK.sub(" ", source), answer, writing), source)
        elif place.text is None:  # raw HTML
            new = both(source, answer, writing)
        elif place.block is None or place.text.one_line:
            new = both(source, place.text.written(answer), writing)
        else:
            new = self.beside(source, self.in_lines(place.text.written(answer), place.block), place.block, writing)
        return [Change(self.offsets.span(place.start, place.end), new.encode())]

    def in_lines(self, content: str, block: MdBlock) -> str:
        """With what stands before each line of the block."""
        separators = block.separators(self.text)
        first, *others = content.split("\n")
        return first + "".join(
            separators[min(at, len(separators) - 1)] + line if separators else f" {line}"
            for at, line in enumerate(others)
        )

    def beside(self, source: str, new: str, block: MdBlock, writing: Writing) -> str:
        """Both texts in one block, with a hard break between them."""
        if writing.bilingual == "none":
            return new
        newline = "\r\n" if "\r\n" in self.text else "\n"
        separator = next(iter(block.separators(self.text)), newline + continuation(self.text, block))
        first, second = (new, source) if writing.bilingual == "under" else (source, new)
        return f"{first}\\{separator}{second}"

    def problem(self, index: int, answer: str) -> str:
        if self.segments[index].rules and tags_in(answer) != tags_in(self.segments[index].text):
            return "emphasis, a link or code did not come back once"
        if "\n" in answer and "\n" not in self.segments[index].text:
            return "a line break would end it"
        return ""

    def written(self, changes: Iterable[Change]) -> bytes:
        """Alternative texts of pictures inside of a paragraph that is written anew are written in its new text."""
        pictures = {self.offsets.span(place.start, place.end): place for place in self.places if place.picture}
        whole: list[Change] = []
        for change in sorted(changes, key=lambda one: (one.span.start, -one.span.end)):
            outer = whole[-1] if whole and change.span.end <= whole[-1].span.end else None
            place = pictures.get(change.span)
            if outer is None or place is None or place.picture is None or change.span == outer.span:
                whole.append(change)
                continue
            start, end = place.picture
            before, after = self.text[start : place.start].encode(), self.text[place.end : end].encode()
            picture = self.text[start:end].encode()
            new = outer.data.replace(picture, before + change.data + after, 1)
            whole[-1] = outer._replace(data=new)
        return replace_spans(self.data, whole)


def find_md(data: bytes, name: str) -> Markdown:
    text = utf8(data, name)
    if len(text) > LARGEST:
        raise DataError(f"{name} has {len(text):,} characters: expected at most {LARGEST:,} of Markdown")
    outline = read_outline(text)
    found = [
        *front_matter(text, outline.front),
        *(one for block in outline.blocks for one in places_of(text, block, outline.references)),
    ]
    unwritten = [one for one in found if isinstance(one, Unwritten)]
    places = [one for one in found if isinstance(one, MdPlace)]
    places.sort(key=lambda place: (place.start, -place.end))
    offsets, lines = Offsets(text), LineNumbers(text)
    pictures = [place for place in places if place.picture]
    starts = [place.start for place in pictures]
    segments = []
    for place in places:
        first, last = bisect_left(starts, place.start), bisect_left(starts, place.end)
        inside = [] if place.picture else pictures[first:last]
        edges = [place.start, *(edge for one in inside for edge in (one.start, one.end)), place.end]
        said = said_at(place, text)
        segments.append(
            DocumentSegment(
                text=said,
                spans=tuple(offsets.span(*pair) for pair in zip(edges[::2], edges[1::2], strict=True)),
                kind=place.kind,
                place=f"line {lines[place.start]}",
                rules=None if place.scalar or place.in_block else RULES,
                kept=too_strange(place, text),
            )
        )
    lines = LineNumbers(text)
    left = [*outline.left, *(MdLeft(lines[at], kind, why) for at, kind, why in sorted(unwritten))]
    segments += [DocumentSegment("", (), kind, f"line {line}", kept=why) for line, kind, why in sorted(left)]
    return Markdown(data=data, segments=segments, text=text, places=places, offsets=offsets)


def said_at(place: MdPlace, text: str) -> str:
    """What the translator gets."""
    if place.scalar:
        return place.scalar.spelt.text
    raw = text[place.start : place.end]
    return BREAK.sub(" ", raw) if place.in_block else place.text.text if place.text else raw


def too_strange(place: MdPlace, text: str) -> str:
    if place.end - place.start > LONGEST:
        return f"{place.end - place.start:,} characters: expected at most {LONGEST:,} in one paragraph"
    if place.text and OURS.search(place.text.content):
        return "it has tags that look like ours"
    return ""


def front_matter(text: str, span: tuple[int, int]) -> Iterator[MdPlace | Unwritten]:
    """Values that readers see: a title, a description. Other keys are for programs."""
    values = yaml_of(text[slice(*span)]) if "---" in text[: span[0]] else None
    if values is None:  # TOML, or what only looks like YAML: line by line
        for found in FRONT_VALUE.finditer(text, *span):
            scalar = read_scalar(found[1])
            if scalar and is_prose(scalar.spelt.text):
                yield MdPlace(*found.span(1), "title", scalar=scalar)
        return
    for one in values.texts:
        if len(one.string.path) != 1 or not KEY.fullmatch(one.string.path[0]):
            continue
        if len(one.pieces) != 1:
            yield Unwritten(span[0] + one.string.start, "title", one.why_left or SEVERAL)
        else:
            start, end = (span[0] + edge for edge in one.pieces[0])
            yield MdPlace(start, end, "title", scalar=one.scalar, in_block=one.scalar is None)


def yaml_of(text: str) -> "YamlValues | None":
    try:
        from attendo.documents.formats.yaml_values import find_yaml

        return find_yaml(text.encode(), "front matter")
    except (ModuleNotFoundError, DataError):
        return None


def places_of(text: str, block: MdBlock, references: frozenset[str]) -> Iterator[MdPlace | Unwritten]:
    if block.kind == "html":
        inside = text[block.start : block.end]
        for one in paragraphs(inside, scan(inside, RULES)):
            yield MdPlace(block.start + one.start, block.start + one.end, "html")
        return
    content = block.content(text)
    if len(content) > LONGEST:
        yield MdPlace(block.start, block.end, block.kind, MdText("", (), references), block)
        return
    said = read_md_text(content, references, dict(block.kinds), one_line=block.one_line)
    if says_a_word(said) and not TOC.fullmatch(content.strip()):
        yield MdPlace(block.start, block.end, block.kind, said, block)
    for at in link_titles(content, said.parts):
        yield Unwritten(block.position(at), "attribute", LINK_TITLE)
    for part in said.parts:
        inner = content[part.inner[0] : part.inner[1]]
        if part.kind == "image" and is_prose(inner) and "\n" not in inner:
            words = read_alternative(inner, references)
            start, end = block.position(part.inner[0]), block.position(part.inner[1])
            picture = block.position(part.start), block.position(part.end)
            yield MdPlace(start, end, "attribute", words, picture=picture)


def read_alternative(inner: str, references: frozenset[str]) -> MdText:
    """The words of a picture, whose emphasis nobody sees."""
    return MdText(inner, InlineScanner(inner, references, emphasis=False).scan(), references, one_line=True)


def says_a_word(said: MdText) -> bool:
    return any(part.kind == "text" and WORD.search(said.content[part.start : part.end]) for part in said.parts)
