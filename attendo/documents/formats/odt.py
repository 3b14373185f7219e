"""OpenDocument texts and presentations (.odt, .odp): paragraphs, headings, tables, notes, remarks, text boxes, headers.

What is deleted but kept for the record stays, and so do numbers of pages, dates and other fields. The language that the
styles name becomes that of the translation.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from attendo.documents.document import AroundChange, Writing
from attendo.documents.formats.element_texts import element_texts
from attendo.documents.formats.languages import EAST_ASIAN, locale_of
from attendo.documents.formats.office_document import (
    CORE,
    Found,
    OfficeDocument,
    attribute_set,
    paragraphs_of,
    segments_of,
    tree_of,
)
from attendo.documents.formats.open_runs import OPEN_PARAGRAPHS, OpenReader, looks_of
from attendo.documents.formats.run_writer import RunDialect
from attendo.documents.zip_parts import ZipParts
from attendo.errors import DataError

CONTENT, STYLES, META, MANIFEST = "content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"
DIALECT = RunDialect(text_open=lambda tag, text: tag, run_open=lambda opened: opened)


@dataclass(frozen=True, kw_only=True)
class OpenDocument(OfficeDocument):
    def dialect(self, part: str, writing: Writing) -> RunDialect:
        return DIALECT

    def around(self, writing: Writing) -> list[AroundChange]:
        return [one for part in (STYLES, CONTENT) if part in self.parts for one in self.languages(part, writing)]

    def languages(self, part: str, writing: Writing) -> Iterator[AroundChange]:
        """In the style of all text, and in styles that name the language of the source."""
        tree = tree_of(self.parts, part)
        asian = writing.to in EAST_ASIAN
        names = ("style:language-asian", "style:country-asian") if asian else ("fo:language", "fo:country")
        language, _, country = locale_of(writing.to).partition("-")
        for node in tree.root.walk():
            if node.name != "style:text-properties" or node.within(OPEN_PARAGRAPHS):
                continue  # inside of a text no program puts a style, and its bytes are those of the text
            named = tree.attributes(node)
            is_default = node.parent is not None and node.parent.name == "style:default-style"
            wanted = names[0] in named and (is_default or named[names[0]].value == writing.source)
            for name, value in zip(names, (language, country or "none"), strict=True):
                if wanted and name in named and (change := attribute_set(part, tree, node, name, value)):
                    yield AroundChange(change, part, f"{name} {value}")


def find_odt(data: bytes, name: str) -> OpenDocument:
    parts = ZipParts.read(data, name)
    if CONTENT not in parts:
        raise DataError(f"{name} has no {CONTENT}: expected an OpenDocument text")
    if MANIFEST in parts and b"encryption-data" in parts[MANIFEST]:
        raise DataError(f"{name} is locked by a password: expected a document that is free to read")
    found: list[Found] = []
    for part in (CONTENT, STYLES):
        if part in parts:
            tree = tree_of(parts, part)
            found += paragraphs_of(part, tree, OPEN_PARAGRAPHS, OpenReader(looks_of(tree)).items)
    if META in parts:
        found += element_texts(META, tree_of(parts, META), CORE)
    segments, kept = segments_of(found)
    return OpenDocument(data=data, parts=parts, segments=segments, found=kept)
