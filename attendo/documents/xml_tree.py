"""XML as a tree whose nodes know their bytes, with names that mean the same whatever prefix a program chose.

    <x:p xmlns:x="http://…/wordprocessingml/2006/main">    ->    XmlNode("w:p", start, inner, outer, end, …)

A file may call the namespace of Word `w`, `ns0` or nothing at all. The names here have the usual prefix of a namespace
that is known, and the address itself of one that is not, so nothing is taken for what it is not.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from weakref import ref

from attendo.documents.xml_scan import XmlAttribute, XmlPart, attributes, scan_xml

OFFICE = "http://schemas.openxmlformats.org/"
STRICT = "http://purl.oclc.org/ooxml/"
OPEN_DOCUMENT = "urn:oasis:names:tc:opendocument:xmlns:"
USUAL = {
    **{f"{base}wordprocessingml/{year}main": "w" for base, year in ((OFFICE, "2006/"), (STRICT, ""))},
    **{f"{base}drawingml/{year}main": "a" for base, year in ((OFFICE, "2006/"), (STRICT, ""))},
    **{f"{base}presentationml/{year}main": "p" for base, year in ((OFFICE, "2006/"), (STRICT, ""))},
    **{f"{base}officeDocument/{year}math": "m" for base, year in ((OFFICE, "2006/"), (STRICT, ""))},
    f"{OFFICE}markup-compatibility/2006": "mc",
    f"{OFFICE}package/2006/content-types": "types",
    f"{OFFICE}package/2006/metadata/core-properties": "cp",
    "http://purl.org/dc/elements/1.1/": "dc",
    **{
        f"{OPEN_DOCUMENT}{name}:1.0": prefix
        for name, prefix in (
            ("office", "office"), ("text", "text"), ("style", "style"), ("table", "table"), ("drawing", "draw"),
            ("meta", "meta"), ("xsl-fo-compatible", "fo"), ("presentation", "presentation"), ("svg-compatible", "svg"),
        )
    },
    "urn:oasis:names:tc:opendocument:xmlns:container": "container",
    "http://www.idpf.org/2007/opf": "opf",
    "http://www.daisy.org/z3986/2005/ncx/": "ncx",
    "http://www.w3.org/1999/xhtml": "xhtml",
    "http://www.w3.org/XML/1998/namespace": "xml",
}  # fmt: skip


@dataclass(slots=True, eq=False, weakref_slot=True)
class XmlNode:
    """An element, or what else stands in one. Its bytes: start <tag> inner … outer </tag> end.

    It holds what is in it, but not what it is in: so a tree is gone as soon as nobody has its root, and memory does
    not wait for Python to search for rings.
    """

    name: str  # w:p; of what is no element: text, data (CDATA) or aside (comments), with a # before it
    start: int
    inner: int
    outer: int
    end: int
    held_by: "ref[XmlNode] | None" = None
    children: "list[XmlNode]" = field(default_factory=list)

    @property
    def parent(self) -> "XmlNode | None":
        return self.held_by() if self.held_by else None

    @property
    def elements(self) -> "Iterator[XmlNode]":
        return (child for child in self.children if not child.name.startswith("#"))

    def child(self, name: str) -> "XmlNode | None":
        return next((child for child in self.children if child.name == name), None)

    def walk(self) -> "Iterator[XmlNode]":
        """This node and all in it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def within(self, names: frozenset[str]) -> bool:
        """Whether an element of these names holds it."""
        node = self.parent
        while node and node.name not in names:
            node = node.parent
        return node is not None


@dataclass(frozen=True)
class XmlTree:
    data: bytes
    root: XmlNode  # #document, which holds the element of the document
    prefixes: Mapping[str, str]  # what the file calls them, and what they are called here

    def attributes(self, node: XmlNode) -> dict[str, XmlAttribute]:
        """By their usual names."""
        tag = XmlPart("open", "", node.start, node.inner)
        return {usual(name, self.prefixes, default=""): one for name, one in attributes(self.data, tag).items()}

    def value(self, node: XmlNode, name: str) -> str:
        found = self.attributes(node).get(name)
        return found.value if found else ""

    def raw(self, start: int, end: int) -> bytes:
        return self.data[start:end]


def usual(name: str, prefixes: Mapping[str, str], default: str | None = None) -> str:
    """A name of the file as it is called here; a name without a prefix is of the `default` namespace."""
    prefix, colon, local = name.rpartition(":")
    known = prefixes.get(prefix, prefix) if colon else prefixes.get("", "") if default is None else default
    return f"{known}:{local}" if known else local


def grow_tree(data: bytes, name: str) -> XmlTree:
    """Of a part that is well-formed and harmless (xml_scan.py); else an error that names it."""
    parts = scan_xml(data, name)
    prefixes = {"xml": "xml"}
    for part in parts:
        if part.kind in ("open", "single") and b"xmlns" in data[part.start : part.end]:
            for key, one in attributes(data, part).items():
                if key == "xmlns" or key.startswith("xmlns:"):
                    prefixes.setdefault(key[6:], USUAL.get(one.value, one.value))
    names: dict[str, str] = {}
    root = XmlNode("#document", 0, 0, len(data), len(data))
    inside = [root]
    for part in parts:
        if part.kind == "close":
            closed = inside.pop()
            closed.outer, closed.end = part.start, part.end
            continue
        if part.kind in ("open", "single"):
            called = names.get(part.name) or names.setdefault(part.name, usual(part.name, prefixes))
        else:
            called = f"#{part.kind}"
        node = XmlNode(called, part.start, part.end, part.end, part.end, ref(inside[-1]))
        inside[-1].children.append(node)
        if part.kind == "open":
            inside.append(node)
    return XmlTree(data, root, prefixes)
