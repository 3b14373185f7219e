"""Books (.epub): chapters, the table of contents, the title and the description.

    META-INF/container.xml  ->  OPS/book.opf  ->  OPS/one.xhtml, OPS/nav.xhtml: pages (html.py)
                                                  OPS/toc.ncx, and the book.opf itself: plain texts

A book that is locked is refused. Fonts are often scrambled in books that are free, which says nothing of their text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit
from xml.parsers import expat

from attendo.documents.document import AroundChange, ByteSpan, Change, DocumentSegment, Writing, replace_spans
from attendo.documents.formats.element_texts import ElementText, element_texts
from attendo.documents.formats.html import Page, find_page
from attendo.documents.formats.office_document import tree_of
from attendo.documents.xml_tree import XmlTree
from attendo.documents.zip_document import ZipDocument
from attendo.documents.zip_parts import ZipParts
from attendo.errors import DataError

CONTAINER, ENCRYPTION, RIGHTS = "META-INF/container.xml", "META-INF/encryption.xml", "META-INF/rights.xml"
SCRAMBLED_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
PAGE, CONTENTS = "application/xhtml+xml", "application/x-dtbncx+xml"
OF_BOOK = {"dc:title": "title", "dc:description": "description"}
OF_CONTENTS = {"ncx:text": "title"}
NAMED = re.compile(r"&[A-Za-z]\w*;")


@dataclass(frozen=True)
class InChapter:
    """A segment of a page, by its number there."""

    page: Page
    index: int


@dataclass(frozen=True, kw_only=True)
class Book(ZipDocument):
    found: Sequence[InChapter | ElementText]  # one for each segment
    pages: Sequence[Page]
    navigation: str  # the page with the table of contents
    languages: Sequence[ByteSpan]  # where the book names its language

    can_be_bilingual = True

    def changes(self, index: int, answer: str, writing: Writing) -> list[Change]:
        one = self.found[index]
        if isinstance(one, ElementText):
            return [one.change(answer, writing)]
        if one.page.part == self.navigation:  # of which an entry may be a link and nothing else
            writing = replace(writing, bilingual="none")
        return one.page.changes(one.index, answer, writing)

    def problem(self, index: int, answer: str) -> str:
        one = self.found[index]
        if isinstance(one, ElementText):
            return one.problem(answer)
        if is_whole(one.page.segments[one.index].text) and not is_whole(answer):
            return "it has signs that would break the file"
        return one.page.problem(one.index, answer)

    def around(self, writing: Writing) -> list[AroundChange]:
        if writing.bilingual != "none":
            return []
        said = [
            AroundChange(Change(span, writing.to.encode()), span.part, f"dc:language {writing.to}")
            for span in self.languages
        ]
        for page in self.pages:
            said += [one._replace(place=f"{one.place} of {page.part}") for one in page.around(writing)]
        return said

    def written(self, changes: Iterable[Change]) -> bytes:
        by_part: dict[str, list[Change]] = {}
        for change in changes:
            by_part.setdefault(change.span.part, []).append(change)
        pages = {page.part: page for page in self.pages}
        return self.parts.written(
            {
                part: pages[part].written(those) if part in pages else replace_spans(self.parts[part], those)
                for part, those in by_part.items()
            }
        )


def is_whole(text: str) -> bool:
    """Whether it can stand in XML."""
    try:
        expat.ParserCreate().Parse(f"<x>{NAMED.sub('', text)}</x>", True)
    except (expat.ExpatError, UnicodeError):
        return False
    return True


def find_epub(data: bytes, name: str) -> Book:
    parts = ZipParts.read(data, name)
    refuse_locked(parts)
    package = package_of(parts)
    book = tree_of(parts, package)
    found: list[InChapter | ElementText] = list(element_texts(package, book, OF_BOOK))
    pages: list[Page] = []
    navigation = ""
    for part, kind, properties in items_of(book, package, parts):
        navigation = part if "nav" in properties.split() else navigation
        if kind == PAGE:
            page = find_page(parts[part], f"{name}: {part}", part)
            pages.append(page)
            found += [InChapter(page, index) for index in range(len(page.segments))]
        elif kind == CONTENTS:
            found += element_texts(part, tree_of(parts, part), OF_CONTENTS)
    found = [one for one in found if isinstance(one, InChapter) or one.says_something]
    return Book(
        data=data, parts=parts, segments=[segment_of(one) for one in found], found=found, pages=pages,
        navigation=navigation,
        languages=[one.span for one in element_texts(package, book, {"dc:language": "language"})],
    )  # fmt: skip


def segment_of(one: InChapter | ElementText) -> DocumentSegment:
    if isinstance(one, ElementText):
        return one.segment()
    segment = one.page.segments[one.index]
    return replace(segment, place=f"{segment.place} of {one.page.part}")


def refuse_locked(parts: ZipParts) -> None:
    """DRM: what is locked cannot be read, and may not be."""
    locked = RIGHTS in parts
    if ENCRYPTION in parts:
        tree = tree_of(parts, ENCRYPTION)
        for node in tree.root.walk():
            if node.name.endswith(":EncryptionMethod") and node.parent and node.parent.name.endswith(":EncryptedData"):
                locked = locked or tree.value(node, "Algorithm") not in SCRAMBLED_FONTS
    if locked:
        raise DataError(f"{parts.name} is locked by its seller (DRM): expected a book that is free to read")


def package_of(parts: ZipParts) -> str:
    if CONTAINER not in parts:
        raise DataError(f"{parts.name} has no {CONTAINER}: expected an EPUB book")
    tree = tree_of(parts, CONTAINER)
    for node in tree.root.walk():
        if node.name == "container:rootfile":
            path = tree.value(node, "full-path")
            if path in parts:
                return path
    raise DataError(f"{parts.name} names no list of its contents (.opf) that is there: expected an EPUB book")


def items_of(book: XmlTree, package: str, parts: ZipParts) -> Iterator[tuple[str, str, str]]:
    """The parts that the book says it has, each once, their kinds and their properties."""
    names, seen = set(parts), set()
    for node in book.root.walk():
        if node.name == "opf:item":
            address = urlsplit(book.value(node, "href").partition("#")[0])
            part = normpath(join(dirname(package), unquote(address.path)))
            if not address.scheme and part in names and part not in seen:
                seen.add(part)
                yield part, book.value(node, "media-type"), book.value(node, "properties")
