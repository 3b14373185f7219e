"""Translation memories (.tmx): a unit that has no translation into the language gets one, beside those it has.

    <tu><tuv xml:lang="en"><seg>Good day</seg></tuv></tu>
    <tu><tuv xml:lang="en"><seg>Good day</seg></tuv><tuv xml:lang="de"><seg>Guten Tag</seg></tuv></tu>

Nothing that is there is changed. The source of a unit is in the language the file says (srclang), or where it says that
any may be (*all*), in that of the first variant.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from attendo.documents.document import ByteSpan, Change, Document, DocumentSegment, Writing
from attendo.documents.formats.xml_elements import XmlElement, elements
from attendo.documents.formats.xml_inline import NOT_READ, RULES, InlineXml, read_inline
from attendo.documents.xml_scan import encoded_xml, scan_xml
from attendo.errors import DataError
from attendo.text.scripts import base_language

HELD = frozenset({"tu", "tuv", "seg", "header"})
BLANK = re.compile(rb"\s*\Z")


class Variant(NamedTuple):
    """What a unit says in one language, and where."""

    language: str
    attribute: str  # how it names the language: xml:lang, or lang in old files
    start: int
    seg_start: int
    inside: InlineXml | None
    seg_end: int
    end: int


class MemoryUnit(NamedTuple):
    number: int
    source_language: str  # as the unit or the file says; * where any may be
    variants: Sequence[Variant]


@dataclass(frozen=True)
class MemoryDocument(Document):
    units: Sequence[MemoryUnit] = ()
    chosen: Sequence[tuple[MemoryUnit, Variant]] = ()  # one for each segment

    def aimed(self, writing: Writing) -> "MemoryDocument":
        """Units that have a translation are kept; their source is in the language that is translated from."""
        return with_segments(self.data, self.units, writing)

    def changes(self, index: int, answer: str, writing: Writing) -> list[Change]:
        unit, source = self.chosen[index]
        if not answer or source.inside is None:
            return []
        last = unit.variants[-1]
        data = self.data
        before = BLANK.search(data, data.rfind(b">", 0, last.start) + 1, last.start)
        space = data[before.start() : last.start] if before else b""
        opened = data[data.index(b">", source.start) + 1 : source.seg_start]  # what stands before <seg>
        inner = opened if not opened.strip() else b""
        outer = data[data.index(b">", source.seg_end) + 1 : source.end]
        closing = outer[: len(outer) - len(outer.lstrip())] if not outer.strip().startswith(b"<note") else b""
        language = encoded_xml(writing.to, quotes=True).encode()
        new = b'%s<tuv %s="%s">%s<seg>%s</seg>%s</tuv>' % (
            space, source.attribute.encode(), language, inner, source.inside.written(answer).encode(), closing,
        )  # fmt: skip
        return [Change(ByteSpan("", last.end, last.end), new)]

    def problem(self, index: int, answer: str) -> str:
        inside = self.chosen[index][1].inside
        return inside.problem(answer) if inside else ""


def find_tmx(data: bytes, name: str) -> MemoryDocument:
    parts = scan_xml(data, name)
    units: list[MemoryUnit] = []
    source_language = "*"
    root = ""
    for element in elements(parts, HELD):
        if element.name == "header":
            source_language = element.value(data, "srclang") or "*"
        elif element.name == "tu":
            variants = [one for child in element.children if (one := read_variant(data, child))]
            said = element.value(data, "srclang") or source_language
            if variants:
                units.append(MemoryUnit(len(units) + 1, "*" if said.startswith("*") else said, variants))
            element.children.clear()
        root = element.name
    if root != "tmx":
        raise DataError(f"{name} begins with <{root[:40]}>: expected <tmx>")
    return with_segments(data, units, None)


def read_variant(data: bytes, element: XmlElement) -> Variant | None:
    seg = element.child("seg")
    found = element.attributes(data)
    attribute = next((one for one in ("xml:lang", "lang") if one in found), "")
    if element.name != "tuv" or seg is None or not attribute:
        return None
    inside = read_inline(data[seg.inner_start : seg.inner_end].decode())
    return Variant(found[attribute].value, attribute, element.start, seg.start, inside, seg.inner_end, element.end)


def with_segments(data: bytes, units: Sequence[MemoryUnit], writing: Writing | None) -> MemoryDocument:
    segments: list[DocumentSegment] = []
    chosen: list[tuple[MemoryUnit, Variant]] = []
    for unit in units:
        source = source_of(unit, writing)
        end = unit.variants[-1].end
        if source is None or (source.inside is not None and not source.inside.has_words):
            continue
        segment = DocumentSegment(
            text=source.inside.text if source.inside else "",
            spans=(ByteSpan("", end, end),),
            kind="unit",
            place=f"unit {unit.number}",
            rules=RULES,
            kept="" if source.inside else NOT_READ,
            standing="",
        )
        if writing and any(same(one.language, writing.to) for one in unit.variants):
            segment = replace(segment, kept="it has a translation")
        segments.append(segment)
        chosen.append((unit, source))
    return MemoryDocument(data=data, segments=segments, units=units, chosen=chosen)


def source_of(unit: MemoryUnit, writing: Writing | None) -> Variant | None:
    wanted = [writing.source] if writing else []
    if unit.source_language != "*":
        wanted.append(unit.source_language)
    elif not writing:
        return unit.variants[0]
    for language in wanted:
        for variant in unit.variants:
            if same(variant.language, language):
                return variant
    return None


def same(one: str, other: str) -> bool:
    return base_language(one.replace("_", "-").lower()) == base_language(other.replace("_", "-").lower())
