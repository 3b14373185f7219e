"""The translation of a paragraph, written with the runs of its source.

    Press <g id="1">Start</g>   ->   Drücken Sie auf <g id="1">Start</g>

    <w:r><w:t xml:space="preserve">Drücken Sie auf </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Start</w:t></w:r>

Each text goes into the run of the text that it stands for, the first of a look into its first; runs for which there is
none are left out, and for a text too many a run is written again. Where the pieces and their lengths are those of the
source, so is every byte.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attendo.documents.document import ByteSpan, Change
from attendo.documents.formats.runs import NEW_PAGE, CodedRuns, RunAtom, RunBox, RunText, SameLook, TextRun, says

TAG = re.compile(r'<(/?)(g|p|x|br|sp|tab)(?: id="(\d+)")?(/?)>')
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);")
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
COPIED = ("x", "br", "sp", "tab")  # what a second paragraph in the other language has, too


@dataclass(frozen=True)
class RunDialect:
    """How a format writes what stands around a text. Both get the bytes of the source."""

    text_open: Callable[[bytes, str], bytes]  # of an element whose text this is
    run_open: Callable[[bytes], bytes]  # of a run whose text is in another language now


@dataclass(frozen=True)
class RunParagraph:
    """Where it stands, and what it holds: first <w:p><w:pPr/> start … end </w:p> last."""

    part: str
    first: int
    start: int  # of what may change
    end: int
    last: int
    coded: CodedRuns

    @property
    def kept(self) -> list[tuple[int, int]]:
        """Pieces with paragraphs of their own."""
        return [thing.nested for thing in self.coded.things if isinstance(thing, RunAtom) and thing.nested]

    @property
    def spans(self) -> tuple[ByteSpan, ...]:
        edges = [self.start, *(edge for piece in self.kept for edge in piece), self.end]
        return tuple(ByteSpan(self.part, *pair) for pair in zip(edges[::2], edges[1::2], strict=True))

    def changes(self, answer: str, dialect: RunDialect) -> list[Change]:
        """The bytes around what has paragraphs of its own, which is left to them."""
        gaps: list[list[bytes]] = [[]]
        for piece in Rewriter(self.coded, dialect).write(answer):
            if isinstance(piece, bytes):
                gaps[-1].append(piece)
            else:
                gaps.append([])
        return [Change(span, b"".join(gap)) for span, gap in zip(self.spans, gaps, strict=True)]

    def copy(self, answer: str, dialect: RunDialect) -> bytes:
        """The translation alone, beside which the source stays: without marks and pictures, which are there already."""
        pieces = Rewriter(self.coded, dialect, again=True).write(answer)
        return b"".join(piece for piece in pieces if isinstance(piece, bytes))

    def problem(self, answer: str) -> str:
        """Why this cannot stand there; empty if it can."""
        text = self.coded.text
        if sorted(TAG.findall(answer)) != sorted(TAG.findall(text)):
            return "its marks did not come back, each once"
        opened: list[str] = []
        for slash, name, number, _ in TAG.findall(answer):
            if name == "g" and not slash:
                opened.append(number)
            elif slash and not opened:
                return "its marks came back in a wrong order"
            elif slash:
                opened.pop()
        rest = ENTITY.sub("", TAG.sub("", answer))
        if "<" in rest or "&" in rest or "]]>" in rest or NO_XML.search(rest):
            return "it has signs that would break the file"
        return ""


class Rewriter:
    def __init__(self, source: CodedRuns, dialect: RunDialect, *, again: bool = False) -> None:
        self.source, self.dialect, self.again = source, dialect, again
        self.out: list[bytes | tuple[int, int]] = []
        self.run: TextRun | None = None  # the one that is open
        self.written: set[int] = set()  # of what comes only once
        self.next: dict[int, int] = {}  # which text of a thing comes next
        self.ordered = iter([thing for thing in source.things if isinstance(thing, RunAtom) and thing.ordered])

    def write(self, answer: str) -> list[bytes | tuple[int, int]]:
        owners = [-1]
        at = 0
        for tag in TAG.finditer(answer):
            self.text(owners[-1], answer[at : tag.start()])
            at = tag.end()
            slash, _, number, _ = tag.groups()
            if slash:
                self.leave(owners.pop())
                continue
            thing = self.source.things[int(number)]
            if isinstance(thing, RunAtom):
                self.atom(next(self.ordered) if thing.ordered else thing)
            else:
                owners.append(int(number))
                self.enter(thing)
        self.text(-1, answer[at:])
        self.close_run()
        return self.out

    def once(self, owner: object, data: bytes) -> bytes:
        """Bytes that mean nothing, and are not written again with what they stand beside."""
        if self.again or id(owner) in self.written:
            return b""
        self.written.add(id(owner))
        return data

    # --- runs

    def open_run(self, run: TextRun | None, changed: bool) -> None:
        if run is self.run:
            return
        self.close_run()
        self.run = run
        if run:
            opened = self.dialect.run_open(run.open) if changed else run.open
            self.out += [self.once(run, run.before), opened]

    def close_run(self) -> None:
        if self.run:
            self.out += [b"" if self.again else self.run.tail, self.run.close]
        self.run = None

    # --- what stands in them

    def enter(self, thing: RunBox | SameLook) -> None:
        if isinstance(thing, RunBox) and (thing.copied or not self.again):
            self.close_run()
            self.out += [self.once(thing, thing.before), thing.open]

    def leave(self, number: int) -> None:
        thing = self.source.things[number]
        if isinstance(thing, RunBox) and (thing.copied or not self.again):
            self.close_run()
            self.out += [b"" if self.again else thing.tail, thing.close]

    def atom(self, atom: RunAtom) -> None:
        if self.again and (atom.kind not in COPIED or atom.mark == NEW_PAGE):
            return
        self.open_run(atom.run, changed=False)
        self.out.append(self.once(atom, atom.lead))
        self.out.append(atom.nested or atom.raw)

    def text(self, owner: int, new: str) -> None:
        if not new:
            return
        chunks = self.source.chunks.get(owner) or [self.any_chunk()]
        index = self.next.get(owner, 0)
        self.next[owner] = index + 1
        chunk = chunks[min(index, len(chunks) - 1)]
        changed = new != "".join(piece.text for piece in chunk)
        pieces = dealt(new, chunk) if index < len(chunks) else [(main_of(chunk), new)]
        for piece, text in pieces:
            self.open_run(piece.run, changed)
            self.out += [self.once(piece, piece.lead), self.dialect.text_open(piece.open, text), text.encode()]
            self.out.append(piece.close)

    def any_chunk(self) -> list[RunText]:
        """For a text where the source has none."""
        return next(iter(self.source.chunks.values()))[0]


def main_of(chunk: Sequence[RunText]) -> RunText:
    return next((piece for piece in chunk if says(piece)), chunk[0])


def dealt(new: str, chunk: Sequence[RunText]) -> list[tuple[RunText, str]]:
    """A text as long as the source is cut where that is; any other is one piece, as are the runs for a reader."""
    if len(new) != sum(len(piece.text) for piece in chunk):
        return [(main_of(chunk), new)]
    inside = {at for found in ENTITY.finditer(new) for at in range(found.start() + 1, found.end())}
    found: list[tuple[RunText, str]] = []
    at = 0
    for piece in chunk:
        end = at + len(piece.text)
        if end in inside:
            return [(main_of(chunk), new)]
        found.append((piece, new[at:end]))
        at = end
    return found
