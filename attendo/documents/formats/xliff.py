"""Translators' exchange files (.xlf, .xliff; 1.2, 2.0, 2.1): what has no target gets one, and its state says so.

    <trans-unit id="1"><source>Good day</source></trans-unit>
    <trans-unit id="1"><source>Good day</source><target state="needs-review-translation">Guten Tag</target></trans-unit>

A target that says something is never touched, nor are notes and proposals (alt-trans). The state is the one by which
each version tells a translator that nobody has looked at a translation: needs-review-translation in 1.2; in 2.x
a segment that is translated, which comes before reviewed and final.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attendo.documents.document import AroundChange, ByteSpan, Change, Document, DocumentSegment, Writing
from attendo.documents.formats.tmx import same
from attendo.documents.formats.xml_elements import ByteLines, XmlElement, elements
from attendo.documents.formats.xml_inline import NOT_READ, RULES, InlineXml, read_inline
from attendo.documents.xml_scan import XmlAttribute, encoded_xml, scan_xml
from attendo.errors import DataError

STATE = ' state="needs-review-translation"'
HELD = frozenset({"source", "seg-source", "target"})
UNITS = frozenset({"trans-unit", "segment"})


class XliffUnit(NamedTuple):
    """Where a target goes: in place of an empty one, or after the source."""

    inside: InlineXml
    start: int
    end: int  # the same, where there is no target
    space: bytes  # before a new element
    prefix: bytes  # of the names of elements: xlf:target
    target_tag: bytes  # an empty target's own tag, with its attributes
    state: tuple[int, int, bytes] | None  # of a segment of 2.x


class LanguagePlace(NamedTuple):
    """Where a file names its target language."""

    at: int  # where an attribute can be put in
    attribute: str
    found: XmlAttribute | None
    line: int


@dataclass(frozen=True)
class Xliff(Document):
    units: Sequence[XliffUnit] = ()  # one for each segment
    languages: Sequence[LanguagePlace] = ()
    has_targets: bool = False
    name: str = ""

    def aimed(self, writing: Writing) -> "Xliff":
        for place in self.languages:
            if self.has_targets and place.found and place.found.value and not same(place.found.value, writing.to):
                raise DataError(
                    f"{self.name} holds translations into {place.found.value[:40]!r}, and is to be translated into "
                    f"{writing.to!r}: expected one language in a file"
                )
        return self

    def changes(self, index: int, answer: str, writing: Writing) -> list[Change]:
        if not answer:
            return []
        unit = self.units[index]
        name = unit.prefix + b"target"
        if unit.target_tag:
            opening = unit.target_tag
        elif unit.state:
            opening = b"<" + name + b">"
        else:
            opening = b"<" + name + STATE.encode() + b">"
        new = unit.space + opening + unit.inside.written(answer).encode() + b"</" + name + b">"
        changes = [Change(ByteSpan("", unit.start, unit.end), new)]
        if unit.state and unit.state[2]:
            start, end, state = unit.state
            changes.append(Change(ByteSpan("", start, end), state))
        return changes

    def problem(self, index: int, answer: str) -> str:
        return self.units[index].inside.problem(answer)

    def around(self, writing: Writing) -> list[AroundChange]:
        found = []
        for place in self.languages:
            if place.found and same(place.found.value, writing.to):
                continue
            value = encoded_xml(writing.to, quotes=True)
            if place.found:
                change = Change(ByteSpan("", place.found.start, place.found.end), value.encode())
            else:
                change = Change(ByteSpan("", place.at, place.at), f' {place.attribute}="{value}"'.encode())
            found.append(AroundChange(change, f"line {place.line}", f"{place.attribute}: {writing.to}"))
        return found


def find_xliff(data: bytes, name: str) -> Xliff:
    parts = scan_xml(data, name)
    root = next((part for part in parts if part.kind in ("open", "single")), None)
    if root is None or root.name.rpartition(":")[2] != "xliff":
        raise DataError(f"{name} begins with <{root.name[:40] if root else ''}>: expected <xliff>")
    units: list[XliffUnit] = []
    segments: list[DocumentSegment] = []
    languages: list[LanguagePlace] = []
    has_targets = False
    lines = ByteLines(data)
    for element in elements(parts, HELD):
        if element.name in UNITS:
            target = element.child("target")
            has_targets = has_targets or (target is not None and says_something(data, target))
            if found := read_unit(data, element):
                unit, kept = found
                segments.append(
                    DocumentSegment(
                        text=unit.inside.text,
                        spans=(ByteSpan("", unit.start, unit.end),),
                        kind="unit",
                        place=f"line {lines[element.start]}",
                        rules=RULES,
                        kept=kept,
                        standing="",
                    )
                )
                units.append(unit)
            element.children.clear()
        elif element.name == "file":
            languages.append(language_place(data, element, "target-language"))
        elif element.name == "xliff" and not element.value(data, "version").startswith("1"):
            languages = [language_place(data, element, "trgLang")]
    return Xliff(
        data=data, segments=segments, units=units, languages=languages, has_targets=has_targets, name=name
    )  # fmt: skip


def language_place(data: bytes, element: XmlElement, attribute: str) -> LanguagePlace:
    opening = data[element.start : element.inner_start]
    at = element.start + len(opening.rstrip(b"/>").rstrip())
    line = data.count(b"\n", 0, element.start) + 1
    return LanguagePlace(at, attribute, element.attributes(data).get(attribute), line)


def says_something(data: bytes, target: XmlElement) -> bool:
    return bool(data[target.inner_start : target.inner_end].strip())


def read_unit(data: bytes, element: XmlElement) -> tuple[XliffUnit, str] | None:
    """None where there is nothing to translate."""
    source, target = element.child("source"), element.child("target")
    if source is None:
        return None
    inside = read_inline(data[source.inner_start : source.inner_end].decode())
    if inside is not None and not inside.has_words:
        return None
    kept = "it has a translation" if target and says_something(data, target) else reason_to_keep(data, element)
    if inside is None:
        inside, kept = InlineXml((), ()), kept or NOT_READ
    prefix = data[source.start + 1 : source.inner_start].split(b"source")[0]
    after = element.child("seg-source") or source
    before = data[data.rfind(b">", 0, source.start) + 1 : source.start]
    state = state_of(data, element) if element.name == "segment" else None
    if target is None:
        space = b"" if before.strip() else before
        return XliffUnit(inside, after.end, after.end, space, prefix, b"", state), kept
    opening = data[target.start : target.inner_start].rstrip(b"/>").rstrip()
    if element.name == "trans-unit" and "state" not in target.attributes(data):
        opening += STATE.encode()
    return XliffUnit(inside, target.start, target.end, b"", prefix, opening + b">", state), kept


def reason_to_keep(data: bytes, element: XmlElement) -> str:
    """Of a unit whose target is empty."""
    nearest: XmlElement | None = element
    while nearest is not None:
        said = nearest.value(data, "translate")
        if said:
            return "it says that it is not to be translated" if said == "no" else ""
        nearest = nearest.parent
    if element.value(data, "approved") == "yes" or element.value(data, "state") == "final":
        return "it is approved as it is"
    return ""


def state_of(data: bytes, element: XmlElement) -> tuple[int, int, bytes]:
    """Where a segment of 2.x says its state, and what it is afterwards; nothing where it says more already."""
    found = element.attributes(data).get("state")
    if found is None:
        at = element.start + len(data[element.start : element.inner_start].rstrip(b"/>").rstrip())
        return at, at, b' state="translated"'
    return found.start, found.end, b"translated" if found.value == "initial" else b""
