"""Inline codes of translators' files, TMX and XLIFF, as tags and placeholders, and back.

    Press <bpt i="1">&lt;b&gt;</bpt>Save<ept i="1">&lt;/b&gt;</ept> <ph/> now.   ->   Press <g0>Save</g0> <x4/> now.

What they hold is the code of another program, not text. Two that belong together are the tags of an element, if they
nest; any other stands for something that must come back once. <g>, <pc>, <hi> and <mrk> are elements already.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.parsers import expat

from attendo.text.normalize import WORD
from attendo.translation.markup.collect import NUMBERED, collect
from attendo.translation.markup.passages import pairs, without_tokens
from attendo.translation.markup.rules import MarkupRules, names
from attendo.translation.markup.scan import MarkupPart, scan

RULES = MarkupRules.of_xml(outline=False, newlines=False)
CODES = names("bpt ept ph it ut x bx ex sc ec cp sub")
OPENS, CLOSES = names("bpt bx sc"), names("ept ex ec")
# By which attribute the two halves of a pair name each other.
PAIR = re.compile(r"""\s(?:i|rid|startRef|id)\s*=\s*["']([^"']*)["']""")
BY_REFERENCE = re.compile(r"""\s(?:i|rid|startRef)\s*=\s*["']([^"']*)["']""")
PROTECTED = re.compile(r"""\s(?:mtype\s*=\s*["']protected["']|translate\s*=\s*["']no["'])""")
OURS = re.compile(r"</?[gx]\d+/?>")
DEEPEST = 100  # elements in one text
MOST_PARTS = 5_000
NOT_READ = "its inline codes are too many, or look like those that stand for them here"


@dataclass(frozen=True)
class InlineXml:
    """The inside of a <seg> or <source>; `coded` has what the translator gets of each part."""

    parts: Sequence[MarkupPart]
    coded: Sequence[str]

    @property
    def text(self) -> str:
        return "".join(self.coded)

    @property
    def has_words(self) -> bool:
        return bool(WORD.search(without_tokens(collect(scan(self.text, RULES), RULES, NUMBERED))))

    def written(self, answer: str) -> str:
        raw = {code: part.text for code, part in zip(self.coded, self.parts, strict=True) if OURS.fullmatch(code)}
        return OURS.sub(lambda found: raw.get(found.group(), found.group()), answer)

    def problem(self, answer: str) -> str:
        if tags_in(answer) != tags_in(self.text):
            return "an inline code did not come back once"
        if not is_xml(self.written(answer)):
            return "it would not be XML any more"
        return ""


def read_inline(raw: str) -> InlineXml | None:
    """None where it is too much, or has tags that look like ours."""
    parts = with_codes(scan(raw, RULES))
    if len(parts) > MOST_PARTS or OURS.search(raw):
        return None
    coded = [part.text for part in parts]
    partners = halves(parts)
    for at, part in enumerate(parts):
        if part.kind == "data" and part.name:
            coded[at] = f"<x{at}/>"
    for opens, closes in partners.items():
        coded[opens], coded[closes] = f"<g{opens}>", f"</g{opens}>"
    return InlineXml(parts, coded)


def with_codes(parts: Sequence[MarkupPart]) -> list[MarkupPart]:
    """Each code, or what is protected, with all it holds, as one part of kind data."""
    partners = pairs(parts)
    found: list[MarkupPart] = []
    at = 0
    while at < len(parts):
        part = parts[at]
        code = part.name in CODES or PROTECTED.search(part.text) is not None
        if part.kind in ("open", "single") and code:
            end = partners.get(at, at)
            found.append(MarkupPart("data", "".join(one.text for one in parts[at : end + 1]), part.name))
            at = end
        else:
            found.append(part)
        at += 1
    return found


def halves(parts: Sequence[MarkupPart]) -> dict[int, int]:
    """Codes that begin and end something, where no other tag is torn by taking them for tags."""
    found: dict[int, int] = {}
    opened: list[tuple[int, str]] = []
    for at, part in enumerate(parts):
        if part.kind == "open" or (part.kind == "data" and part.name in OPENS):
            opened.append((at, part.name))
        elif part.kind == "close" or (part.kind == "data" and part.name in CLOSES):
            if not opened:
                continue
            start, _ = opened[-1]
            if part.kind == "close":
                while opened and opened.pop()[1] != part.name:  # a code that is not ended inside of an element
                    pass
            elif parts[start].kind == "data" and are_halves(parts[start].text, part.text):
                found[start] = at
                opened.pop()
    return found


def are_halves(opens: str, closes: str) -> bool:
    first = BY_REFERENCE.search(opens) or PAIR.search(opens)
    second = BY_REFERENCE.search(closes) or PAIR.search(closes)
    return bool(first and second and first[1] == second[1])


def tags_in(text: str) -> list[str]:
    return sorted(part.text for part in scan(text, RULES) if part.kind not in ("text", "entity"))


def is_xml(text: str) -> bool:
    parser = expat.ParserCreate()
    try:
        parser.Parse(f"<a>{text}</a>", True)
    except (expat.ExpatError, ValueError, UnicodeEncodeError):
        return False
    return True
