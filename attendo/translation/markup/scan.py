"""A text with markup as its parts: tags, comments, entities and what is between. Joined they are the text, always.

    "a &lt; <b>b</b>"  ->  text "a "  entity "&lt;"  text " "  open "<b>"  text "b"  close "</b>"

No parser of HTML keeps all bytes, so this one only looks for where things begin and end. What is no tag is text: the <
of "1 < 2", "<3", "<b" at the end. An open comment or script goes on to the end, as in a browser.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from attendo.translation.markup.rules import RAW, MarkupRules

# single: <br>, <x id="3"/>. aside: comments, declarations, instructions, the inside of a script. data: <![CDATA[…]]>
MarkupKind = Literal["text", "entity", "open", "close", "single", "aside", "data"]

# A < outside quotes ends no tag but begins one, so a stray < takes nothing with it. Quotes count after = alone: it's.
TAG = re.compile(
    r"""<(/?)([^\W\d][^\s/<>="']*+)((?:[^<>=]++|=\s*+(?:"[^"]*+"|'[^']*+')|=)*+)>""",
)
SHORT_TAG = re.compile(r"<(/?)([^\W\d][^\s/<>=\"']*+)([^<>]*+)>")
QUOTED = re.compile(r"""<[^<>]*=\s*["']""")
MOST_FAILURES = 100  # of quotes that may be open to the end of the text: then a tag ends at its first >
DOCTYPE = re.compile(r"<!DOCTYPE\b[^\[<>]*(?:\[[^\]]*\]\s*)?>", re.IGNORECASE)
ENTITY = re.compile(
    r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});"
    r"|&(?:amp|lt|gt|quot|nbsp|copy|reg)(?![A-Za-z0-9=;])"  # as people wrote them in old pages
)
XML_ENTITY = re.compile(r"&(?:[A-Za-z_][\w.-]{0,63}|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});")
SIGN = re.compile(r"<(?=[^\W\d]|[/!?])|&(?=[A-Za-z_#])")  # where something may begin


class MarkupPart(NamedTuple):
    kind: MarkupKind
    text: str
    name: str = ""  # of a tag


def scan(text: str, rules: MarkupRules) -> list[MarkupPart]:
    """In linear time, whatever the text is."""
    return list(with_text(text, Scanner(text, rules)))


def with_text(text: str, found: "Scanner") -> Iterator[MarkupPart]:
    """The parts that are markup, and the text between them."""
    end = 0
    for start, part in found.parts():
        if start > end:
            yield MarkupPart("text", text[end:start])
        yield part
        end = start + len(part.text)
    if end < len(text):
        yield MarkupPart("text", text[end:])


class Scanner:
    def __init__(self, text: str, rules: MarkupRules) -> None:
        self.text, self.rules = text, rules
        self.entity = XML_ENTITY if rules.xml else ENTITY
        self.failures = 0
        self.absent: set[str] = set()  # what was looked for and does not come any more

    def parts(self) -> Iterator[tuple[int, MarkupPart]]:
        """Where each begins."""
        at = 0
        while sign := SIGN.search(self.text, at):
            start = sign.start()
            part = self.part_at(start)
            at = start + 1
            if part is None:
                continue
            yield start, part
            at = start + len(part.text)
            if part.kind == "open" and not self.rules.xml and part.name in RAW:
                end = self.end_of_raw(at, part.name)
                if end > at:
                    yield at, MarkupPart("aside", self.text[at:end])
                at = end

    def part_at(self, start: int) -> MarkupPart | None:
        """None where it is a sign of the text."""
        text = self.text
        if text[start] == "&":
            entity = self.entity.match(text, start)
            return MarkupPart("entity", entity.group()) if entity else None
        match text[start + 1 : start + 2]:
            case "!":
                return self.declaration(start)
            case "?":
                end = self.find("?>" if self.rules.xml else ">", start)
                return MarkupPart("aside", text[start:end]) if end else None
            case _:
                return self.tag(start)

    def tag(self, start: int) -> MarkupPart | None:
        found = TAG.match(self.text, start) if self.failures < MOST_FAILURES else None
        if found is None:
            self.failures += QUOTED.match(self.text, start) is not None
            found = SHORT_TAG.match(self.text, start)
        if found is None:
            return None
        slash, written, rest = found.groups()
        name = self.rules.name(written)
        if slash:
            return MarkupPart("close", found.group(), name)
        single = rest.endswith("/") or self.rules.is_void(name)
        return MarkupPart("single" if single else "open", found.group(), name)

    def declaration(self, start: int) -> MarkupPart | None:
        text = self.text
        if text.startswith("<!--", start):
            empty = next((form for form in ("<!-->", "<!--->") if text.startswith(form, start)), None)
            end = start + len(empty) if empty else self.find("-->", start) or len(text)
            return MarkupPart("aside", text[start:end])
        if text.startswith("<![CDATA[", start):
            return MarkupPart("data", text[start : self.find("]]>", start) or len(text)])
        doctype = DOCTYPE.match(text, start) if "doctype" not in self.absent else None
        if doctype:
            return MarkupPart("aside", doctype.group())
        self.absent.add("doctype")  # one is enough for a text; to look again and again is not linear
        end = self.find(">", start)
        begins = text[start + 2 : start + 3]  # <!ENTITY …>, or <![if !IE]>, which old pages have
        declares = begins.isalpha() or (begins == "[" and not self.rules.xml)
        return MarkupPart("aside", text[start:end]) if end and declares else None

    def find(self, what: str, start: int) -> int:
        """The end of the first after `start`; 0 if there is none."""
        if what in self.absent:
            return 0
        at = self.text.find(what, start)
        if at < 0:
            self.absent.add(what)
            return 0
        return at + len(what)

    def end_of_raw(self, start: int, name: str) -> int:
        close = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self.text, start)
        return close.start() if close else len(self.text)
