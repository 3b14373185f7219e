"""What a paragraph of a drawing (a:p) holds: the text of slides, tables, charts and diagrams of all Office programs.

<a:p><a:r><a:rPr lang="en-US" b="1"/><a:t>Hello</a:t></a:r><a:br/><a:fld type="slidenum">…</a:fld></a:p>
"""

import re
from collections.abc import Iterator, Sequence

from attendo.documents.document import ByteSpan, Change, Writing
from attendo.documents.formats.languages import in_locale
from attendo.documents.formats.run_writer import RunDialect, RunParagraph
from attendo.documents.formats.runs import AtomKind, RunAtom, RunItem, RunText, TextRun
from attendo.documents.xml_tree import XmlNode, XmlTree

DRAWING_PARAGRAPH = frozenset({"a:p"})
UNSEEN = re.compile(rb"\s(lang|altLang|dirty|err|smtClean|noProof|bmk|smtId|kumimoji)=(\"[^\"]*\"|'[^']*')")
LANGUAGE = re.compile(rb"(<(?:\w+:)?rPr\b[^>]*?\slang=[\"'])([^\"']*)")
NO_PROPERTIES = re.compile(rb"^<(?:\w+:)?rPr\s*(/>|></(?:\w+:)?rPr>)$")
TABS = re.compile(r"(\t+)")
KINDS: dict[str, AtomKind] = {"a:br": "br", "a:fld": "x", "mc:AlternateContent": "x"}


def drawing_items(tree: XmlTree, paragraph: XmlNode, content: Sequence[XmlNode]) -> list[RunItem]:
    items: list[RunItem] = []
    glue = b""
    for node in content:
        raw = tree.raw(node.start, node.end)
        if node.name in ("#text", "#aside"):
            glue += raw
            continue
        run = run_of(tree, node) if node.name == "a:r" else None
        if run:
            run.before = glue
            items += texts_and_tabs(tree.raw(run.start, run.end).decode(), run)
        else:
            items.append(RunAtom(KINDS.get(node.name, "p"), raw, lead=glue))
        glue = b""
    return [*items, RunAtom("p", glue)] if glue else items


def run_of(tree: XmlTree, node: XmlNode) -> TextRun | None:
    """A run that is as all are: properties, then a text, which is all that is not around it."""
    text, properties = node.child("a:t"), node.child("a:rPr")
    known = ("a:rPr", "a:t", "#text")
    if text is None or [child for child in node.children if child.name not in known] or text.inner == text.outer:
        return None
    if [child for child in text.children if child.name != "#text"] or (properties and properties.start > text.start):
        return None
    look = UNSEEN.sub(b"", tree.raw(properties.start, properties.end)) if properties else b""
    look = NO_PROPERTIES.sub(b"", look)
    around = tree.raw(node.start, text.inner), tree.raw(text.outer, node.end)
    return TextRun(*around, look.decode(), start=text.inner, end=text.outer)


def texts_and_tabs(text: str, run: TextRun) -> Iterator[RunItem]:
    for piece in TABS.split(text):
        if piece.startswith("\t"):
            yield RunAtom("tab", piece.encode(), run)
        elif piece:
            yield RunText(run, b"", piece, b"")


def drawing_dialect(writing: Writing) -> RunDialect:
    """Of the attribute lang: the language of the text, whatever its script."""

    def opened(run: bytes) -> bytes:
        return LANGUAGE.sub(lambda found: found[1] + in_locale(found[2], writing), run)

    return RunDialect(text_open=lambda tag, text: tag, run_open=opened)


def drawing_line_beside(data: bytes, paragraph: RunParagraph, answer: str, writing: Writing) -> Change:
    """A line more, in the other language."""
    prefix = re.match(rb"<(\w+:)?", data[paragraph.first : paragraph.first + 50])
    line = b"<%sbr/>" % ((prefix[1] if prefix else b"") or b"")
    copy = paragraph.copy(answer, drawing_dialect(writing))
    first = writing.bilingual == "under"  # the source is
    at = paragraph.start if first else paragraph.end
    return Change(ByteSpan(paragraph.part, at, at), copy + line if first else line + copy)
