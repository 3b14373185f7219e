"""A few elements of an XML file with their bytes, where a whole tree would be too much.

for element in elements(scan_xml(data, name), frozenset({"tuv"})): …   each when it ends, its children before it
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from attendo.documents.xml_scan import XmlAttribute, XmlPart, attributes


@dataclass
class XmlElement:
    """Its tag from `start` to `inner_start`, its end tag from `inner_end` to `end`; of <a/> the two are the same."""

    name: str  # without its prefix
    start: int
    inner_start: int
    inner_end: int = 0
    end: int = 0
    single: bool = False
    part: XmlPart | None = None
    parent: "XmlElement | None" = None
    children: list["XmlElement"] = field(default_factory=list)

    def attributes(self, data: bytes) -> dict[str, XmlAttribute]:
        return attributes(data, self.part) if self.part else {}

    def child(self, name: str) -> "XmlElement | None":
        return next((child for child in self.children if child.name == name), None)

    def value(self, data: bytes, name: str) -> str:
        found = self.attributes(data).get(name)
        return found.value if found else ""


class ByteLines:
    """The numbers of lines, asked for from left to right; one that lies before is counted anew."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.line = data, 0, 1

    def __getitem__(self, position: int) -> int:
        if position < self.at:
            return self.data.count(b"\n", 0, position) + 1
        self.line += self.data.count(b"\n", self.at, position)
        self.at = position
        return self.line


def elements(parts: Sequence[XmlPart], kept: frozenset[str]) -> Iterator[XmlElement]:
    """Elements when they end. Children are those of the names in `kept`; others are not held."""
    open_now: list[XmlElement] = []
    for part in parts:
        if part.kind not in ("open", "close", "single"):
            continue
        name = part.name.rpartition(":")[2]
        if part.kind == "close":
            element = open_now.pop()
            element.inner_end, element.end = part.start, part.end
        else:
            parent = open_now[-1] if open_now else None
            element = XmlElement(name, part.start, part.end, part.end, part.end, part.kind == "single", part, parent)
            if parent is not None and name in kept:
                parent.children.append(element)
            if part.kind == "open":
                open_now.append(element)
                continue
        yield element
