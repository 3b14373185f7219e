"""PowerPoint presentations (.pptx): the text of slides, tables, notes, charts and diagrams.

Layouts and masters stay: what stands in them is what an empty slide asks for, and no reader sees it.
"""

import re
from dataclasses import dataclass

from attendo.documents.document import Writing
from attendo.documents.formats.drawing_runs import DRAWING_PARAGRAPH, drawing_dialect, drawing_items
from attendo.documents.formats.element_texts import element_texts
from attendo.documents.formats.office_document import (
    CORE,
    Found,
    OfficeDocument,
    paragraphs_of,
    parts_by_type,
    segments_of,
    tree_of,
)
from attendo.documents.formats.run_writer import RunDialect
from attendo.documents.zip_parts import ZipParts
from attendo.errors import DataError

SLIDE = re.compile(r"presentationml\.slide\+xml$")
TEXTS = re.compile(r"presentationml\.(slide|notesSlide)\+xml$|drawingml\.(chart|diagramData|diagramDrawing)\+xml$")
COMMENTS = re.compile(r"presentationml\.comments\+xml$")
PROPERTIES = re.compile(r"core-properties\+xml$")
NUMBER = re.compile(r"(\d*)\.xml$")


@dataclass(frozen=True, kw_only=True)
class Presentation(OfficeDocument):
    def dialect(self, part: str, writing: Writing) -> RunDialect:
        return drawing_dialect(writing)


def find_pptx(data: bytes, name: str) -> Presentation:
    parts = ZipParts.read(data, name)
    types = parts_by_type(parts)
    if not any(SLIDE.search(kind) for kind in types.values()):
        raise DataError(f"{name} has no slides of a PowerPoint presentation")
    found: list[Found] = []
    for part, kind in sorted(types.items(), key=lambda pair: (not SLIDE.search(pair[1]), pair[1], *in_order(pair[0]))):
        if TEXTS.search(kind):
            found += paragraphs_of(part, tree_of(parts, part), DRAWING_PARAGRAPH, drawing_items)
        elif COMMENTS.search(kind):
            found += element_texts(part, tree_of(parts, part), {"p:text": "comment"})
        elif PROPERTIES.search(kind):
            found += element_texts(part, tree_of(parts, part), CORE)
    segments, kept = segments_of(found)
    return Presentation(data=data, parts=parts, segments=segments, found=kept)


def in_order(part: str) -> tuple[int, str]:
    """Slide 10 after slide 9."""
    number = NUMBER.search(part)
    return (int(number[1][:9]) if number and number[1] else 0, part)
