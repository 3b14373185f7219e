"""XML as its parts with their bytes, once it is known to be whole and harmless.

    scan_xml(b'<p a="1">Hi <b>you</b></p>')
    open p 0-9 · text 9-12 · open b 12-15 · text 15-18 · close b 18-22 · close p 22-26

No parser says where all of its parts begin and end, and a document must keep its bytes. So expat, which is strict, says
whether the XML is well-formed, has no entities of its own and is not too deep; then a regular expression that need not
be strict any more finds the parts.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import escape

from attendo.errors import DataError

DEEPEST = 200
LARGEST = 100_000_000  # bytes
MOST_TAGS = 3_000_000  # a part takes some 150 bytes of memory, whatever it was packed to
XmlKind = Literal["open", "close", "single", "text", "data", "aside"]
PART = re.compile(
    rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<!DOCTYPE(?:[^>\"']|\"[^\"]*\"|'[^']*')*>"
    rb"|<(?P<slash>/?)(?P<name>[^\s/<>]+)(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>",
    re.DOTALL,
)
ATTRIBUTE = re.compile(rb"\s([^\s=/<>]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos));")
NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class XmlPart(NamedTuple):
    """aside: comments, instructions, the doctype. data: <![CDATA[…]]>."""

    kind: XmlKind
    name: str  # of a tag, with its prefix: w:p
    start: int
    end: int


class XmlAttribute(NamedTuple):
    """A value, as a person reads it, and its bytes between the quotes."""

    value: str
    start: int
    end: int


def scan_xml(data: bytes, name: str) -> list[XmlPart]:
    """All parts in order; joined they are the data. What is not whole or not harmless is an error that names `name`."""
    check_xml(data, name)
    return list(parts_of(data))


def parts_of(data: bytes) -> Iterator[XmlPart]:
    at = 0
    for found in PART.finditer(data):
        if found.start() > at:
            yield XmlPart("text", "", at, found.start())
        at = found.end()
        tag, whole = found["name"], found.group()
        if tag is None:
            yield XmlPart("data" if whole.startswith(b"<![") else "aside", "", found.start(), at)
        else:
            kind: XmlKind = "close" if found["slash"] else "single" if whole.endswith(b"/>") else "open"
            yield XmlPart(kind, tag.decode(), found.start(), at)
    if at < len(data):
        yield XmlPart("text", "", at, len(data))


def check_xml(data: bytes, name: str) -> None:
    """Well-formed UTF-8 without a DTD of its own, not too large and not too deep."""
    if len(data) > LARGEST:
        raise DataError(f"{name} has more than {LARGEST:,} bytes: expected a smaller document")
    if (tags := data.count(b"<")) > MOST_TAGS:
        raise DataError(f"{name} has {tags:,} tags: expected at most {MOST_TAGS:,}")
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0<", b"<\0")):
        raise DataError(f"{name} is UTF-16: expected UTF-8")
    declared = re.match(rb"(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']*)[\"']", data)
    if declared and declared[1].lower() not in (b"utf-8", b"utf8", b"us-ascii", b"ascii"):
        raise DataError(f"{name} is in {declared[1].decode('ascii', 'replace')[:40]!r}: expected UTF-8")
    parser = expat.ParserCreate("utf-8")
    depth = 0

    def begins(*_: object) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise DataError(f"{name} has elements {depth} deep, expected at most {DEEPEST}")

    def ends(*_: object) -> None:
        nonlocal depth
        depth -= 1

    def doctype(_name: str, _system: object, _public: object, has_internal_subset: bool) -> None:
        if has_internal_subset:
            raise DataError(f"{name} defines entities or elements of its own (a DTD): such XML is not read")

    parser.StartElementHandler, parser.EndElementHandler = begins, ends
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        why = expat.errors.messages.get(error.code, "it is not well-formed")
        raise DataError(f"{name}, line {error.lineno} is no XML: {why}") from error


def attributes(data: bytes, part: XmlPart) -> dict[str, XmlAttribute]:
    """Of a tag, by their names with prefixes."""
    found: dict[str, XmlAttribute] = {}
    for one in ATTRIBUTE.finditer(data, part.start, part.end):
        group = 2 if one[2] is not None else 3
        found[one[1].decode()] = XmlAttribute(decoded_xml(one[group].decode()), one.start(group), one.end(group))
    return found


def decoded_xml(text: str) -> str:
    """With its entities read.

    >>> decoded_xml("a &lt; b &#65;")
    'a < b A'
    """

    def read(found: re.Match[str]) -> str:
        decimal, hexadecimal, named = found.groups()
        code = int(decimal) if decimal else int(hexadecimal, 16) if hexadecimal else ord(NAMED[named])
        return chr(code) if code < 0x110000 else found.group()

    return ENTITY.sub(read, text)


def encoded_xml(text: str, *, quotes: bool = False) -> str:
    """As the text of an element, or with `quotes` as the value of an attribute."""
    return escape(text, {'"': "&quot;", "'": "&apos;"} if quotes else {})
