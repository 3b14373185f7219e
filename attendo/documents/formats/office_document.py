"""What .docx, .pptx and .odt have in common: a zip file whose parts hold paragraphs of runs, and some plain texts.

A part's paragraphs may hold others: a text box stands in a paragraph, and a footnote of OpenDocument does. Each of them
is a segment; the outer one leaves the bytes of the inner one alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from attendo.documents.document import ByteSpan, Change, DocumentSegment, Writing
from attendo.documents.formats.element_texts import ElementText
from attendo.documents.formats.run_writer import RunDialect, RunParagraph
from attendo.documents.formats.runs import RULES, RunItem, coded
from attendo.documents.xml_scan import decoded_xml
from attendo.documents.xml_tree import XmlNode, XmlTree, grow_tree
from attendo.documents.zip_document import ZipDocument
from attendo.documents.zip_parts import ZipParts
from attendo.errors import DataError
from attendo.text.normalize import WORD

CORE = {"dc:title": "title", "dc:subject": "title", "dc:description": "description"}  # of the properties of a file
UNREAD = frozenset({"text:tracked-changes"})  # what was deleted
AT_EDGES = frozenset({"w:pPr", "a:pPr", "a:endParaRPr"})  # of a paragraph


Found = RunParagraph | ElementText
ReadItems = Callable[[XmlTree, XmlNode, Sequence[XmlNode]], list[RunItem]]  # of a paragraph, and its content


@dataclass(frozen=True, kw_only=True)
class OfficeDocument(ZipDocument):
    found: Sequence[Found]  # one for each segment
    known: dict[str, bytes] = field(default_factory=dict, repr=False)

    def dialect(self, part: str, writing: Writing) -> RunDialect:
        raise NotImplementedError

    def changes(self, index: int, answer: str, writing: Writing) -> Sequence[Change]:
        one = self.found[index]
        if isinstance(one, ElementText):
            return [one.change(answer, writing)]
        if writing.bilingual != "none":
            if answer == one.coded.text:  # a number, a name: once is enough
                return []
            return self.beside(one, answer, writing)
        return one.changes(answer, self.dialect(one.part, writing))

    def unpacked(self, part: str) -> bytes:
        """A part that is asked for again and again."""
        if part not in self.known:
            self.known[part] = self.parts[part]
        return self.known[part]

    def beside(self, paragraph: RunParagraph, answer: str, writing: Writing) -> Sequence[Change]:
        """A paragraph more, in the other language."""
        raise NotImplementedError

    def problem(self, index: int, answer: str) -> str:
        one = self.found[index]
        return one.problem(answer)


def tree_of(parts: ZipParts, part: str) -> XmlTree:
    return grow_tree(parts[part], f"{parts.name}: {part}")


def paragraphs_of(part: str, tree: XmlTree, names: frozenset[str], read: ReadItems) -> list[RunParagraph]:
    """All elements of these names, and what `read` finds in them between its properties and its end."""
    found: list[RunParagraph] = []
    around: list[RunParagraph] = []  # those that may hold the next
    for node in tree.root.walk():
        if node.name not in names or node.inner == node.outer or node.within(UNREAD):
            continue
        while around and around[-1].last <= node.start:
            around.pop()
        if around and not any(first <= node.start and node.end <= last for first, last in around[-1].kept):
            continue  # in a place of its paragraph where none is expected; it stays
        content = [child for child in node.children if child.name not in AT_EDGES]
        if not content:
            continue
        start, end = content[0].start, content[-1].end
        if any(start < child.start < end for child in node.children if child.name in AT_EDGES):
            continue  # no program writes that
        paragraph = RunParagraph(part, node.start, start, end, node.end, coded(read(tree, node, content)))
        found.append(paragraph)
        around.append(paragraph)
    return found


def segments_of(found: Sequence[Found]) -> tuple[list[DocumentSegment], list[Found]]:
    """Those that say something, and what they were made of."""
    segments: list[DocumentSegment] = []
    kept: list[Found] = []
    count: dict[str, int] = {}
    for one in found:
        if isinstance(one, ElementText):
            if one.says_something:
                segments.append(one.segment())
                kept.append(one)
            continue
        number = count[one.part] = count.get(one.part, 0) + 1
        if WORD.search(decoded_xml(one.coded.words)):
            place = f"paragraph {number} of {one.part}"
            segments.append(DocumentSegment(one.coded.text, one.spans, "paragraph", place, RULES))
            kept.append(one)
    return segments, kept


def attribute_set(part: str, tree: XmlTree, node: XmlNode, name: str, value: str) -> Change | None:
    """A value for an attribute; None where it has it. A name is written with the prefix of its element."""
    found = tree.attributes(node).get(name)
    if found:
        return None if found.value == value else Change(ByteSpan(part, found.start, found.end), value.encode())
    tag = tree.raw(node.start + 1, node.inner).split(None, 1)[0].rstrip(b"/>")
    prefix = tag.rpartition(b":")[0] + b":" if ":" in name and b":" in tag else b""
    at = node.start + 1 + len(tag)
    return Change(ByteSpan(part, at, at), b' %s%s="%s"' % (prefix, name.rpartition(":")[2].encode(), value.encode()))


def parts_by_type(parts: ZipParts) -> dict[str, str]:
    """What each part of an Office file is, by its table of contents; names that are not there are left out."""
    table = "[Content_Types].xml"
    if table not in parts:
        raise DataError(f"{parts.name} has no {table}: expected an Office document")
    tree = tree_of(parts, table)
    found: dict[str, str] = {}
    names = set(parts)
    for node in tree.root.walk():
        if node.name == "types:Override":
            values = {name: one.value for name, one in tree.attributes(node).items()}
            name = values.get("PartName", "").removeprefix("/")
            if name in names:
                found[name] = values.get("ContentType", "")
    return found
