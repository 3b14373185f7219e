"""A paragraph of Markdown as a text with tags, and back.

    Press **Save** in `vi` \\*now\\*.   ->   Press <e0>Save</e0> in <k1/> &#x00002A;now&#x00002A;.

So the code that places tags of HTML places those of Markdown, too, and a sign that the source had to escape is escaped
in the translation as it is there. On the way back a text must not become Markdown by accident: a line that begins with
# or 1. gets a backslash, and so does a * that the source has none of.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from attendo.documents.formats.html import RULES
from attendo.documents.formats.md_inline import Inline, InlineScanner, is_punctuation, label_of
from attendo.translation.markup.scan import scan

OURS = re.compile(r"</?[ek]\d+/?>|<(?:wbr|br) n=|&#x0[0-9A-F]{4,5};")
NUMBERED = re.compile(r"</?([ek])(\d+)/?>|<(wbr|br) n=\"(\d+)\"/>")
SPECIAL = re.compile(r"[*_`\[\]~$|\\]")
BACKSLASHED, RAW = 6, 5  # digits of an entity of ours
# What begins a block, if it stands at the beginning of a line; the backslash goes before the last sign of it.
BLOCK = re.compile(
    r"[ \t]{0,3}(?:#{1,6}(?=[ \t]|\Z)|[-+*](?=[ \t]|\Z)|\d{1,9}[.)](?=[ \t]|\Z)|>|(?:=+|-+|_{3,}|\*{3,})[ \t]*\Z"
    r"|`{3}|~{3}|:{3}|\|(?=.*\|))"
)
LINE = re.compile(r"\n[ \t]*")


class MdPiece(NamedTuple):
    kind: str  # text, open, close, other
    text: str
    number: int = -1


@dataclass(frozen=True)
class MdText:
    """The inside of a paragraph; `one_line` of a heading or a cell, where no line begins."""

    content: str
    parts: Sequence[Inline]
    references: Set[str]
    one_line: bool = False

    @property
    def text(self) -> str:
        """What the translator gets."""
        return "".join(self.coded(index, part) for index, part in enumerate(self.parts))

    def coded(self, index: int, part: Inline) -> str:
        raw = self.content[part.start : part.end]
        match part.kind:
            case "text":
                return raw.replace("&", entity("&", RAW)).replace("<", entity("<", RAW))
            case "escape":
                return entity(raw[1], BACKSLASHED)
            case "open":
                return f"<e{part.pair}>"
            case "close":
                return f"</e{part.pair}>"
            case "word":
                return f"<k{index}/>"
            case "point" | "image":
                return f'<wbr n="{index}"/>'
            case "line":
                return f'<br n="{index}"/>'
        return raw

    def written(self, answer: str) -> str:
        """The Markdown of a translation; lines are parted by line breaks alone."""
        raw_signs = {sign for part in self.parts if part.kind == "text" for sign in self.content[part.start : part.end]}
        opened = {part.pair: self.content[part.start : part.end] for part in self.parts if part.kind == "open"}
        closed = {part.pair: part for part in self.parts if part.kind == "close"}
        pieces: list[MdPiece] = []
        for part in scan(answer, RULES):
            ours = NUMBERED.fullmatch(part.text)
            if ours and ours[1] == "e" and (number := int(ours[2])) in opened:
                if part.kind == "open":
                    pieces.append(MdPiece("open", opened[number], number))
                else:
                    span = closed[number]
                    pieces.append(MdPiece("close", self.content[span.start : span.end], number))
            elif ours and ours[1] != "e":
                span = self.parts[int(ours[2] or ours[4])]
                pieces.append(MdPiece("other", self.content[span.start : span.end]))
            elif part.kind == "entity" and OURS.fullmatch(part.text):
                sign = chr(int(part.text[3:-1], 16))
                pieces.append(MdPiece("other", sign if len(part.text) == RAW + 4 else f"\\{sign}"))
            elif part.kind == "text":
                escaped = SPECIAL.sub(lambda found: found[0] if found[0] in raw_signs else f"\\{found[0]}", part.text)
                pieces.append(MdPiece("text", escaped))
            else:
                pieces.append(MdPiece("other", part.text))
        text = "".join(piece.text for piece in mended(self.with_labels(pieces)))
        return text.replace("\n", " ") if self.one_line else self.without_blocks(text)

    def with_labels(self, pieces: list[MdPiece]) -> list[MdPiece]:
        """A link by its own text, [so], names what it meant: [in German][so]."""
        starts = {piece.number: at for at, piece in enumerate(pieces) if piece.kind == "open"}
        ends = {part.pair: part.start for part in self.parts if part.kind == "close"}
        begins = {part.pair: part.end for part in self.parts if part.kind == "open"}
        found = list(pieces)
        for at, piece in enumerate(pieces):
            if piece.kind != "close" or piece.text not in ("]", "][]") or piece.number not in starts:
                continue
            label = self.content[begins[piece.number] : ends[piece.number]]
            new = "".join(one.text for one in pieces[starts[piece.number] + 1 : at])
            if label_of(new) != label_of(label):
                found[at] = piece._replace(text=f"][{label}]")
        return found

    def without_blocks(self, text: str) -> str:
        """No line begins a block that did not before."""
        before = self.content.split("\n")
        lines = text.split("\n")
        for at, line in enumerate(lines):
            found = BLOCK.match(line)
            same = BLOCK.match(before[at]) if at < len(before) else None
            if found and not (same and same.group() == found.group()):
                marker = found.group().rstrip()
                lines[at] = (
                    f"{marker[:-1]}\\{line[len(marker) - 1 :]}" if marker[-1] in ".)" else escaped_at_first(line)
                )
        return "\n".join(lines)


def escaped_at_first(line: str) -> str:
    bare = line.lstrip()
    return f"{line[: len(line) - len(bare)]}\\{bare}"


def mended(pieces: list[MdPiece]) -> list[MdPiece]:
    """Emphasis that nobody would see beside the letters where it stands now gets what it needs: **重要：** 文本."""
    found = list(pieces)
    partner = {piece.number: at for at, piece in enumerate(pieces) if piece.kind == "close"}
    for at, piece in enumerate(pieces):
        if piece.kind != "open" or not set(piece.text) <= set("*_~") or piece.number not in partner:
            continue
        end = partner[piece.number]
        before, inside_first = last_sign(found[:at]), first_sign(found[at + 1 :])
        inside_last, after = last_sign(found[:end]), first_sign(found[end + 1 :])
        opening, closing = piece.text, pieces[end].text
        if "_" in opening and ((before and before.isalnum()) or (after and after.isalnum())):
            opening = closing = "*" * len(opening)
        if inside_first and is_punctuation(inside_first) and before and before.isalnum():
            opening = f" {opening}"
        if inside_last and is_punctuation(inside_last) and after and after.isalnum():
            closing = f"{closing} "
        found[at], found[end] = piece._replace(text=opening), pieces[end]._replace(text=closing)
    return found


def last_sign(pieces: Sequence[MdPiece]) -> str:
    return next((piece.text[-1] for piece in reversed(pieces) if piece.text), "")


def first_sign(pieces: Sequence[MdPiece]) -> str:
    return next((piece.text[0] for piece in pieces if piece.text), "")


def entity(sign: str, digits: int) -> str:
    return f"&#x{ord(sign):0{digits}X};"


def read_md_text(content: str, references: Set[str], kinds: dict[str, int], *, one_line: bool = False) -> MdText:
    """`kinds` counts what another reader found in it; if that is something else, emphasis is left to its signs."""
    parts = InlineScanner(content, references).scan()
    if counted(content, parts) != kinds:
        parts = InlineScanner(content, references, emphasis=False).scan()
    return MdText(content, parts, references, one_line)


def counted(content: str, parts: Sequence[Inline]) -> dict[str, int]:
    found = {"em": 0, "strong": 0, "s": 0, "image": 0}
    for part in parts:
        if part.kind == "open":
            sign = content[part.start : part.end]
            name = {"*": "em", "_": "em", "**": "strong", "__": "strong", "~~": "s"}.get(sign)
            if name:
                found[name] += 1
        elif part.kind == "image":
            found["image"] += 1
    return found
