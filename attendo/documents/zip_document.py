"""A document that is a zip file: its segments lie in parts, and only the parts that change are packed anew."""

from collections.abc import Iterable
from dataclasses import dataclass

from attendo.documents.document import Change, Document, replace_in_parts
from attendo.documents.zip_parts import ZipParts


@dataclass(frozen=True, kw_only=True)
class ZipDocument(Document):
    """Spans name a part: ByteSpan("word/document.xml", 1200, 1240)."""

    parts: ZipParts

    def written(self, changes: Iterable[Change]) -> bytes:
        return self.parts.written(replace_in_parts(self.parts, changes))
