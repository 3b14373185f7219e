"""A paragraph of an office document: runs of text, what stands among them, and the text that a translator gets.

    <w:r><w:t>Press </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>St</w:t></w:r><w:r …same…><w:t>art</w:t></w:r>
    Press <g id="1">Start</g>

Programs part a sentence into many runs, for reasons that no reader sees. Neighbours that look the same are one text;
the look of most letters needs no tag, others are <g>. Links and the like are <g>, too, and hold what they hold. Of what
is no text, <p/> stands beside a word (a picture, a footnote's mark), <x/> for a word (a formula), <br/> ends a line,
<sp/> is a space, and <tab/> parts what is beside it.

What stands in the file is kept piece by piece, so that run_writer.py can write it again, in another order if need be.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from attendo.translation.markup.rules import OF_LINES, MarkupRules

RULES = MarkupRules(
    xml=True,
    borders=frozenset({"tab"}),
    inline=frozenset({"g"}),
    untouched=frozenset(),
    points=OF_LINES | {"p", "sp"},
    joints=frozenset({"sp"}),
)
NEW_PAGE = "new page"  # the mark of what begins one
AtomKind = Literal["p", "x", "br", "sp", "tab"]


@dataclass(eq=False, slots=True)
class TextRun:
    """What stands around texts of one look. `before` and `tail` mean nothing, but stand in the file."""

    open: bytes
    close: bytes
    look: str  # the same for all that look the same
    before: bytes = b""
    tail: bytes = b""
    start: int = 0  # in the file, without `before`
    end: int = 0


@dataclass(eq=False, slots=True)
class RunText:
    """Letters that can be translated, as they are written in XML."""

    run: TextRun
    open: bytes
    text: str
    close: bytes
    lead: bytes = b""  # as `before` of a run


@dataclass(eq=False, slots=True)
class RunAtom:
    """What moves as one."""

    kind: AtomKind
    raw: bytes
    run: TextRun | None = None
    lead: bytes = b""
    ordered: bool = False  # it never changes places with others of which that is said: a field's beginning and its end
    nested: tuple[int, int] | None = None  # where it stands: it holds paragraphs of its own, and must stay there
    mark: str = ""  # what a format wants to know of it: where a field begins, where a bookmark ends


@dataclass(eq=False, slots=True)
class RunBox:
    """What holds text, and goes with it: a link."""

    open: bytes
    close: bytes
    items: "list[RunItem]" = field(default_factory=list)
    before: bytes = b""
    tail: bytes = b""
    copied: bool = True  # a second time, in the other language, too; else only what it holds


RunItem = RunText | RunAtom | RunBox


@dataclass(eq=False, slots=True)
class SameLook:
    """A stretch of text with a look of its own. It has no bytes but those of its runs."""


@dataclass(frozen=True)
class CodedRuns:
    """The text of a paragraph, and what its tags stand for."""

    text: str
    things: Sequence[RunAtom | RunBox | SameLook]  # by the number of their tag
    chunks: dict[int, list[list[RunText]]]  # text by text, those of a thing; -1: of the paragraph itself
    words: str  # what is said, without tags


def says(text: RunText) -> bool:
    return not text.text.isspace()


class Coder:
    def __init__(self) -> None:
        self.things: list[RunAtom | RunBox | SameLook] = []
        self.chunks: dict[int, list[list[RunText]]] = {}
        self.out: list[str] = []
        self.words: list[str] = []
        self.last: int | None = None  # whose text was written last, with nothing after it

    def add_text(self, owner: int, text: RunText) -> None:
        chunks = self.chunks.setdefault(owner, [])
        if self.last != owner or not chunks:
            chunks.append([])
        chunks[-1].append(text)
        self.out.append(text.text)
        self.words.append(text.text)
        self.last = owner

    def add_tag(self, tag: str) -> None:
        self.out.append(tag)
        self.last = None

    def new(self, thing: RunAtom | RunBox | SameLook) -> int:
        self.things.append(thing)
        return len(self.things) - 1

    def level(self, items: Sequence[RunItem], owner: int) -> None:
        """What a paragraph or a box holds."""
        most = base_look(items)
        at = 0
        while at < len(items):
            item = items[at]
            end = stretch(items, at, most)
            if end > at:
                number = self.new(SameLook())
                self.add_tag(f'<g id="{number}">')
                for one in items[at:end]:
                    self.one(one, number)
                self.add_tag("</g>")
                at = end
            else:
                self.one(item, owner)
                at += 1

    def one(self, item: RunItem, owner: int) -> None:
        if isinstance(item, RunText):
            self.add_text(owner, item)
        elif isinstance(item, RunAtom):
            self.add_tag(f'<{item.kind} id="{self.new(item)}"/>')
            self.words.append(" ")
        else:
            number = self.new(item)
            self.add_tag(f'<g id="{number}">')
            self.level(item.items, number)
            self.add_tag("</g>")


def base_look(items: Sequence[RunItem]) -> str:
    """That of most letters."""
    count: Counter[str] = Counter()
    for item in items:
        if isinstance(item, RunText):
            count[item.run.look] += len(item.text) if says(item) else 0
    return count.most_common(1)[0][0] if count else ""


def stretch(items: Sequence[RunItem], at: int, base: str) -> int:
    """Where a stretch of one look ends that begins here; here, if none does. Blanks have the look of what is around
    them, and a picture or link between two words of one look is in the middle of it."""
    first = items[at]
    if not isinstance(first, RunText) or first.run.look == base or not says(first):
        return at
    end = at + 1
    for index in range(at + 1, len(items)):
        item = items[index]
        if isinstance(item, RunText) and says(item):
            if item.run.look != first.run.look:
                break
            end = index + 1
        elif isinstance(item, RunAtom) and item.kind in ("tab", "br"):
            break
    return end


def coded(items: Sequence[RunItem]) -> CodedRuns:
    coder = Coder()
    coder.level(items, -1)
    return CodedRuns("".join(coder.out), coder.things, coder.chunks, "".join(coder.words))
