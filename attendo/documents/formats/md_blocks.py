"""Where the paragraphs, headings and cells of a Markdown text are, character by character.

markdown-it-py says which lines a block has; where in these lines its text begins, after "> ", "- " or "## ", is looked
up here. What it does not know, such as front matter, footnotes and :::, is blanked in a copy of the same length, which
is what it gets to read; positions are those of the text itself.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from attendo.documents.formats.md_inline import label_of
from attendo.documents.formats.md_left import MdLeft, left_in_blocks

END_OF_LINE = re.compile(r"\r\n|\n|\r")
FRONT = re.compile(r"\A\ufeff?(---|\+\+\+)[ \t]*(?:\r\n|\n)((?s:.*?)(?:\r\n|\n))?\1[ \t]*(?=[\r\n]|\Z)")
BLANKED = re.compile(r"^[ \t>]*(?::::|!!!|\?\?\?)[^\r\n]*|^[ \t]*\$\$[ \t]*$(?s:.*?)^[ \t]*\$\$[ \t]*$", re.MULTILINE)
FOOTNOTE = re.compile(r"^[ ]{0,3}(\[\^[^\]\s]{1,100}\]:)", re.MULTILINE)
DEFINITION = re.compile(r"[ ]{0,3}\[(\^?[^\[\]\r\n]{1,999})\]:[ \t]*(?=\S)")
NOT_END = re.compile(r"[^\r\n]")
# What stands at the beginning of a text and is no part of it: a footnote's name, a box to tick, > [!NOTE].
LEADING = re.compile(r"\[\^[^\]\s]{1,100}\]:[ \t]*|\[[ xX]\][ \t]+|\[![A-Za-z]+\][-+]?[^\n]*(?:\n|\Z)")
TRAILING = re.compile(r"[ \t]*\{[#.:][^{}\n]*\}[ \t]*\Z")  # {#name} of a heading
MARKER = re.compile(r"[-+*]|\d{1,9}[.)]")
LOST = "its text was not found again in its lines"
LONGEST = 20_000  # characters of one paragraph
COUNTED = {"em_open": "em", "strong_open": "strong", "s_open": "s", "image": "image"}


@dataclass(frozen=True)
class MdBlock:
    """A paragraph, a heading, a cell. `slices` are its lines without what stands before them."""

    kind: str  # paragraph, heading, cell, html
    slices: Sequence[tuple[int, int]]
    line: int
    kinds: Mapping[str, int]  # of emphasis and pictures, as markdown-it counts them
    one_line: bool = False  # a cell, or a heading after #: no line of it can begin a list

    @property
    def start(self) -> int:
        return self.slices[0][0]

    @property
    def end(self) -> int:
        return self.slices[-1][1]

    def content(self, text: str) -> str:
        return "\n".join(text[start:end] for start, end in self.slices)

    def separators(self, text: str) -> list[str]:
        """What stands between its lines: the line break, and "> " or spaces."""
        return [text[one[1] : other[0]] for one, other in zip(self.slices, self.slices[1:], strict=False)]

    def position(self, offset: int) -> int:
        """In the text, of an offset in the content."""
        for start, end in self.slices:
            if offset <= end - start:
                return start + offset
            offset -= end - start + 1
        raise RuntimeError("an offset outside of its block")


@dataclass(frozen=True)
class MdOutline:
    blocks: Sequence[MdBlock]
    references: frozenset[str]
    front: tuple[int, int]  # the inside of the front matter
    left: Sequence[MdLeft]  # what is not translated, and why


def read_outline(text: str) -> MdOutline:
    copy, front = masked(text)
    ends = [found.span() for found in END_OF_LINE.finditer(text)]
    lines = list(zip([0, *(end for _, end in ends)], [*(start for start, _ in ends), len(text)], strict=True))
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.core.ruler.disable("inline")
    env: dict[str, Any] = {}
    tokens = parser.parse(copy, env)
    labels = [*env.get("references", {}), *(found[1] for found in re.finditer(f"(?m:^){DEFINITION.pattern}", text))]
    references = frozenset(label_of(label) for label in labels if not label.startswith("^"))
    finder = BlockFinder(text, copy, lines, parser, env)
    blocks = list(finder.blocks(tokens))
    left = [MdLeft(line, "paragraph", LOST) for line in finder.lost]
    left += left_in_blocks([text[start:end] for start, end in lines], tokens, env)
    return MdOutline(blocks, references, front, left)


def masked(text: str) -> tuple[str, tuple[int, int]]:
    """A copy in which what markdown-it would misread is blank; and where the inside of the front matter is."""

    def blank(found: re.Match[str]) -> str:
        return NOT_END.sub(" ", found.group())

    front = FRONT.match(text)
    span = front.span(2) if front and front[2] else (0, 0)
    copy = FRONT.sub(blank, text)
    copy = BLANKED.sub(blank, copy)
    copy = FOOTNOTE.sub(lambda found: found[0].replace(found[1], "x" * len(found[1])), copy)
    return copy, span


@dataclass
class BlockFinder:
    text: str
    copy: str
    lines: Sequence[tuple[int, int]]
    parser: MarkdownIt
    env: dict[str, Any]

    def __post_init__(self) -> None:
        self.lost: list[int] = []

    def blocks(self, tokens: Sequence[Token]) -> Iterator[MdBlock]:
        row, cursor = -1, 0
        for at, token in enumerate(tokens):
            if token.type == "html_block" and token.map and token.level == 0:
                first, last = token.map
                yield MdBlock("html", [(self.lines[first][0], self.lines[last - 1][1])], first + 1, {})
            if token.type != "inline" or not token.map or not token.content.strip():
                continue
            kind = {"heading_open": "heading", "td_open": "cell", "th_open": "cell"}.get(
                tokens[at - 1].type, "paragraph"
            )
            first = token.map[0]
            one_line = kind == "cell" or (kind == "heading" and tokens[at - 1].markup.startswith("#"))
            if kind == "cell":
                cursor = cursor if first == row else self.lines[first][0]
                row = first
                slices = self.cell(token.content, first, cursor)
                cursor = slices[-1][1] if slices else cursor
            else:
                slices = self.located(token.content, first, heading=kind == "heading")
            if not slices:
                self.lost.append(first + 1)
            for group in self.groups(slices):
                if whole := self.without_marks(group, kind):
                    content = token.content if group == slices else self.content(group)
                    yield MdBlock(kind, whole, first + 1, self.kinds(content), one_line)

    def content(self, slices: Sequence[tuple[int, int]]) -> str:
        return "\n".join(self.copy[start:end] for start, end in slices)

    def groups(self, slices: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
        """A footnote may follow another without a blank line, and so may the definition of a link."""
        group: list[tuple[int, int]] = []
        for start, end in slices:
            found = DEFINITION.match(self.text, start, end)
            if found and group:
                yield group
                group = []
            if not found or found[1].startswith("^"):
                group.append((start, end))
        if group:
            yield group

    def kinds(self, content: str) -> dict[str, int]:
        found = dict.fromkeys(COUNTED.values(), 0)
        if len(content) > LONGEST:
            return found
        self.parser.core.ruler.enable("inline")
        children = self.parser.parseInline(content, self.env)[0].children or []
        for child in children:
            if child.type in COUNTED:
                found[COUNTED[child.type]] += 1
        return found

    def cell(self, content: str, row: int, cursor: int) -> list[tuple[int, int]]:
        for form in (content, content.replace("|", "\\|")):
            at = self.copy.find(form, cursor, self.lines[row][1])
            if at >= 0:
                return [(at, at + len(form))]
        return []

    def located(self, content: str, first: int, *, heading: bool) -> list[tuple[int, int]]:
        """Each line of the content at the end of its line in the text; of a heading, signs may come after it."""
        found = []
        parts = content.split("\n")
        for at, part in enumerate(parts):
            core = part.strip(" \t")
            if first + at >= len(self.lines) or not core:
                return []
            start, end = self.lines[first + at]
            stripped = start + len(self.copy[start:end].rstrip(" \t"))
            place = stripped - len(core)
            if place < start or not self.copy.startswith(core, place):
                marker = re.compile(r"#{1,6}[ \t]").search(self.copy, start, end)
                place = self.copy.find(core, marker.end() if heading and marker else start, end)
                if place < 0:
                    return []
                stripped = place + len(core)
            found.append((place, stripped if at + 1 == len(parts) else end))
        return found

    def without_marks(self, slices: list[tuple[int, int]], kind: str) -> list[tuple[int, int]]:
        while slices:
            start, end = slices[0]
            line = self.text[start:end] + ("\n" if len(slices) > 1 else "")
            found = LEADING.match(line)
            if not found:
                break
            rest = start + len(found.group())
            slices = slices[1:] if rest >= end else [(rest, end), *slices[1:]]
        if slices and kind == "heading" and (found := TRAILING.search(self.text[slices[-1][0] : slices[-1][1]])):
            start = slices[-1][0]
            slices = [*slices[:-1], (start, start + found.start())] if found.start() else slices[:-1]
        return slices


def continuation(text: str, block: MdBlock) -> str:
    """What begins a further line of a block: its quote signs, and spaces for the markers of lists."""
    line = max(text.rfind("\n", 0, block.start), text.rfind("\r", 0, block.start)) + 1
    before = text[line : block.start]
    return re.sub(r"[^>\s]", " ", MARKER.sub(lambda found: " " * len(found.group()), before))
