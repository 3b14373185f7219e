"""Word documents (.docx): the paragraphs of the text, headers, footers, notes, comments, text boxes and charts.

What is deleted, hidden in a field or kept by a control stays. The language that the document names becomes that of the
translation, and for Chinese a font is named where none is. The title in the properties is translated, too: Word shows
it wherever a title page asks for it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from attendo.documents.document import AroundChange, ByteSpan, Change, Writing
from attendo.documents.formats.drawing_runs import (
    DRAWING_PARAGRAPH,
    drawing_dialect,
    drawing_items,
    drawing_line_beside,
)
from attendo.documents.formats.element_texts import element_texts
from attendo.documents.formats.languages import EAST_ASIAN, in_locale, locale_of
from attendo.documents.formats.office_document import (
    CORE,
    Found,
    OfficeDocument,
    attribute_set,
    paragraphs_of,
    parts_by_type,
    segments_of,
    tree_of,
)
from attendo.documents.formats.run_writer import RunDialect, RunParagraph
from attendo.documents.formats.word_runs import SPACED, word_items
from attendo.documents.zip_parts import ZipParts
from attendo.errors import DataError

MAIN = re.compile(r"(wordprocessingml|ms-word)\.(document|template)\.(macroEnabled(Template)?\.)?main\+xml$")
TEXTS = re.compile(r"wordprocessingml\.(header|footer|footnotes|endnotes|comments)\+xml$")
WORD_PARAGRAPH = frozenset({"w:p"})
DRAWINGS = re.compile(r"drawingml\.(chart|diagramData)\+xml$|ms-office\.drawingml\.diagramDrawing\+xml$")
STYLES = re.compile(r"wordprocessingml\.(styles|settings)\+xml$")
PROPERTIES = re.compile(r"core-properties\+xml$")
LANGUAGE = re.compile(rb"<(?:\w+:)?lang\b[^>]*>")
IN_A_LIST = re.compile(rb"<(?:\w+:)?(numPr|sectPr)\b|<(?:\w+:)?pStyle\b[^>]*val=\"List")
IDENTITY = re.compile(rb"\s\w+:(paraId|textId|rsid\w*)=\"[^\"]*\"")
EDGE = re.compile(r"^\s|\s$")
CHINESE_FONT = "SimSun"


@dataclass(frozen=True, kw_only=True)
class WordDocument(OfficeDocument):
    drawings: frozenset[str]  # parts whose paragraphs are those of drawings
    styles: Sequence[str]

    can_be_bilingual = True

    def dialect(self, part: str, writing: Writing) -> RunDialect:
        if part in self.drawings:
            return drawing_dialect(writing)
        return RunDialect(spaced, lambda opened: LANGUAGE.sub(lambda tag: in_language(tag[0], writing), opened))

    def beside(self, paragraph: RunParagraph, answer: str, writing: Writing) -> Sequence[Change]:
        """A second paragraph with the same properties; in a list, or where a section ends, a line more of the first."""
        data = self.unpacked(paragraph.part)
        if paragraph.part in self.drawings:
            return [drawing_line_beside(data, paragraph, answer, writing)]
        before, after = data[paragraph.first : paragraph.start], data[paragraph.end : paragraph.last]
        copy = paragraph.copy(answer, self.dialect(paragraph.part, writing))
        first = writing.bilingual == "under"  # the source is
        if IN_A_LIST.search(before):
            w = re.match(rb"<((?:\w+:)?)", before)
            line = b"<%br><%bbr/></%br>".replace(b"%b", w[1] if w else b"")
            at, new = (paragraph.start, copy + line) if first else (paragraph.end, line + copy)
        else:
            new = IDENTITY.sub(b"", before) + copy + after
            at = paragraph.first if first else paragraph.last
        return [Change(ByteSpan(paragraph.part, at, at), new)]

    def around(self, writing: Writing) -> list[AroundChange]:
        return [one for part in self.styles for one in self.language_of(part, writing)]

    def language_of(self, part: str, writing: Writing) -> Iterator[AroundChange]:
        """What the styles and settings of a document say of the language of its text."""
        tree = tree_of(self.parts, part)
        asian = writing.to in EAST_ASIAN
        for node in tree.root.walk():
            wanted = []
            default = node.parent and node.parent.parent and node.parent.parent.name == "w:rPrDefault"
            if (node.name == "w:lang" and default) or (node.name == "w:themeFontLang" and asian):
                wanted.append(("w:eastAsia" if asian else "w:val", locale_of(writing.to)))
            elif node.name == "w:rFonts" and default and writing.to == "zh":
                named = tree.attributes(node)
                wanted += [] if {"w:eastAsia", "w:eastAsiaTheme"} & set(named) else [("w:eastAsia", CHINESE_FONT)]
            for name, value in wanted:
                if change := attribute_set(part, tree, node, name, value):
                    yield AroundChange(change, part, f"{name} {value}")


def spaced(tag: bytes, text: str) -> bytes:
    """With the attribute by which Word keeps white space at the edges of a text."""
    if not EDGE.search(text) or SPACED.search(tag):
        return tag
    inside, end, rest = tag.partition(b">")
    return inside + b' xml:space="preserve"' + end + rest


def in_language(tag: bytes, writing: Writing) -> bytes:
    """<w:lang w:val="en-US" w:eastAsia="zh-CN"/>: one for each kind of script."""
    name = b"eastAsia" if writing.to in EAST_ASIAN else b"val"
    return re.sub(
        rb"(:%b=[\"'])([^\"']*)" % name, lambda found: found[1] + in_locale(found[2], writing), tag
    )  # fmt: skip


def find_docx(data: bytes, name: str) -> WordDocument:
    parts = ZipParts.read(data, name)
    types = parts_by_type(parts)
    texts = [part for part, kind in types.items() if MAIN.search(kind)]
    if not texts:
        raise DataError(f"{name} has no text of a Word document")
    texts += [part for part, kind in types.items() if TEXTS.search(kind)]
    drawings = [part for part, kind in types.items() if DRAWINGS.search(kind)]
    found: list[Found] = []
    for part in texts:
        found += paragraphs_of(part, tree_of(parts, part), WORD_PARAGRAPH, word_items)
    for part in drawings:
        found += paragraphs_of(part, tree_of(parts, part), DRAWING_PARAGRAPH, drawing_items)
    for part in (part for part, kind in types.items() if PROPERTIES.search(kind)):
        found += element_texts(part, tree_of(parts, part), CORE)
    segments, kept = segments_of(found)
    return WordDocument(
        data=data, parts=parts, segments=segments, found=kept, drawings=frozenset(drawings),
        styles=[part for part, kind in types.items() if STYLES.search(kind)],
    )  # fmt: skip
