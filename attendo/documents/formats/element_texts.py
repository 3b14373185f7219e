"""Elements of XML that hold a text and nothing else: the title of a document, the line of a table of contents.

<dc:title>Tea &amp; time</dc:title>     ->     "Tea &amp; time", as it is written

A description of a book is often HTML, written as text: &lt;p&gt;A novel.&lt;/p&gt;. Then its tags are tags.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from attendo.documents.document import ByteSpan, Change, DocumentSegment, Writing
from attendo.documents.formats.run_writer import ENTITY, NO_XML
from attendo.documents.formats.runs import RULES
from attendo.documents.xml_scan import decoded_xml, encoded_xml
from attendo.documents.xml_tree import XmlTree
from attendo.text.normalize import WORD
from attendo.translation.markup.rules import MarkupRules

HTML = MarkupRules.html()
HAS_TAGS = re.compile(r"<[a-z]+[^<>]*>", re.IGNORECASE)


@dataclass(frozen=True)
class ElementText:
    span: ByteSpan
    raw: str  # as it is written
    kind: str = "title"

    @property
    def is_html(self) -> bool:
        text = decoded_xml(self.raw)
        return HAS_TAGS.search(text) is not None and encoded_xml(text) == self.raw

    @property
    def says_something(self) -> bool:
        return WORD.search(decoded_xml(self.raw)) is not None

    def segment(self) -> DocumentSegment:
        text, rules = (decoded_xml(self.raw), HTML) if self.is_html else (self.raw, RULES)
        return DocumentSegment(text, (self.span,), self.kind, f"{self.kind} in {self.span.part}", rules)

    def change(self, answer: str, writing: Writing) -> Change:
        new = encoded_xml(answer) if self.is_html else answer
        if writing.bilingual != "none":
            new = f"{new} / {self.raw}" if writing.bilingual == "under" else f"{self.raw} / {new}"
        return Change(self.span, new.encode())

    def problem(self, answer: str) -> str:
        rest = "" if self.is_html else ENTITY.sub("", answer)
        return "it has signs that would break the file" if re.search("[<&]", rest) or NO_XML.search(answer) else ""


def element_texts(part: str, tree: XmlTree, names: Mapping[str, str]) -> Iterator[ElementText]:
    """Elements of these names, with their kind, that hold text alone."""
    for node in tree.root.walk():
        if node.name in names and node.children and all(child.name == "#text" for child in node.children):
            raw = tree.raw(node.inner, node.outer).decode()
            start = node.inner + len(raw[: len(raw) - len(raw.lstrip())].encode())
            end = start + len(raw.strip().encode())
            yield ElementText(ByteSpan(part, start, end), raw.strip(), names[node.name])
