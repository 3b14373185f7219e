"""One passage: what the model reads of a run of parts, and all that is taken out of it, with its place.

    Run <code>ls</code> <b>now</b>, &amp; wait.

    "Run <x1/> now, & wait."      with <b> at 11, </b> at 14, <x1/> for <code>ls</code>, and & spelt &amp;

Of a gap between words the first white space is the plain text's; more of it goes with the tag before it.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from attendo.translation.markup.rules import OF_LINES, MarkupRules
from attendo.translation.markup.scan import MarkupPart

SPACE = re.compile(r"\s+")
HARD = re.compile(r"[\n\r\t]")
XML_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
SPECIAL = "<>&"
CONTEXT = 8  # characters after a raw < or &, by which it is known again
NUMBERED = "x"  # the name of what the model gets to see for a placeholder


class Mark(NamedTuple):
    """A tag, or what else is no text, at an offset of the plain text."""

    kind: Literal["open", "close", "point", "line"]  # line: <br> inside a sentence
    at: int
    raw: str  # with white space after it that the plain text has no room for
    name: str = ""


class Spelling(NamedTuple):
    """How the source writes a character, and what comes after it there."""

    raw: str
    following: str


@dataclass(frozen=True, slots=True)
class Passage:
    """Text between two borders. `before`, what it was made of, `after`: joined they are the source."""

    raw: str
    before: str
    text: str
    after: str
    token: str  # the name of its placeholders
    marks: tuple[Mark, ...]
    placeholders: dict[str, str]  # what stands in the text, and what for
    spaces: dict[int, str]  # where a space of the text is something else in the source: a line break, &nbsp;
    spellings: dict[str, list[Spelling]]  # of each character that the source does not always write as it is


@dataclass(slots=True)
class Collector:
    """One passage while it is read, part by part."""

    token: str
    rules: MarkupRules
    raw: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    length: int = 0
    before: str = ""
    waiting: list[Mark | str] = field(default_factory=list)  # tags and white space since the last word
    marks: list[Mark] = field(default_factory=list)
    placeholders: dict[str, str] = field(default_factory=dict)
    spaces: dict[int, str] = field(default_factory=dict)
    written: list[tuple[int, str]] = field(default_factory=list)  # where a special character is, and how

    def word(self, text: str, raw: str) -> None:
        """Something that the model reads."""
        self.settle()
        if text != raw:
            self.written.append((self.length, raw))
        self.text.append(text)
        self.length += len(text)

    def mark(self, mark: Mark) -> None:
        self.waiting.append(mark)

    def space(self, raw: str) -> None:
        if self.waiting and isinstance(last := self.waiting[-1], str):
            self.waiting[-1] = last + raw
        else:
            self.waiting.append(raw)

    def placeholder(self, raw: str) -> None:
        self.settle()
        token = f"<{self.token}{len(self.placeholders) + 1}/>"
        self.placeholders[token] = raw
        self.text.append(token)
        self.length += len(token)

    def settle(self) -> None:
        """What waits stands before a word: the first white space of it is the plain text's, more goes with its tag."""
        spaced = self.length == 0
        for one in self.waiting:
            if isinstance(one, Mark):
                if one.kind == "line" and not spaced and self.length:
                    self.add_space("")
                    spaced = True
                self.marks.append(one._replace(at=self.length))
            elif not spaced:
                self.add_space(one)
                spaced = True
            elif self.marks:
                self.marks[-1] = self.marks[-1]._replace(raw=self.marks[-1].raw + one)
            else:
                self.before += one
        self.waiting.clear()

    def add_space(self, raw: str) -> None:
        hard = self.rules.newlines and raw.isspace() and HARD.search(raw)  # the translator keeps lines as they are
        plain = raw if hard else " "
        if plain != raw:
            self.spaces[self.length] = raw
        self.text.append(plain)
        self.length += len(plain)

    def finish(self) -> Passage:
        after = ""
        for one in self.waiting:
            if isinstance(one, Mark):
                self.marks.append(one._replace(at=self.length, raw=after + one.raw))
                after = ""
            else:
                after += one
        text = "".join(self.text)
        return Passage(
            "".join(self.raw), self.before, text, after, self.token, tuple(self.marks),
            self.placeholders, self.spaces, spellings(text, self.written, self.token),
        )  # fmt: skip


@lru_cache(maxsize=100)
def tokens(name: str) -> re.Pattern[str]:
    return re.compile(rf"<{name}\d+/>")


def spellings(text: str, written: Sequence[tuple[int, str]], token: str) -> dict[str, list[Spelling]]:
    """Of the characters that are an entity somewhere, and of those that markup needs: how each of them is written."""
    special = {text[at] for at, _ in written}.union(SPECIAL)
    as_entity = dict(written)
    found: dict[str, list[Spelling]] = {}
    pattern = re.compile("[" + re.escape("".join(sorted(special))) + "]")
    for match in pattern.finditer(tokens(token).sub(lambda one: " " * len(one.group()), text)):
        at, sign = match.start(), match.group()
        found.setdefault(sign, []).append(Spelling(as_entity.get(at, sign), text[at + 1 : at + 1 + CONTEXT]))
    return found


def collect(run: Sequence[MarkupPart], rules: MarkupRules, token: str) -> Passage:
    passage = Collector(token, rules)
    skip = -1
    for at, part in enumerate(run):
        passage.raw.append(part.text)
        if at == skip:
            continue
        following = run[at + 1] if at + 1 < len(run) else None
        empty = following and (part.kind, following.kind) == ("open", "close") and following.name == part.name
        if part.kind == "text":
            add_text(passage, part.text)
        elif part.kind == "entity":
            add_entity(passage, part.text, rules)
        elif empty and following and rules.is_placeholder(part.name):
            passage.placeholder(part.text + following.text)
            skip = at + 1
        elif part.kind == "open" or part.kind == "close":
            passage.mark(Mark(part.kind, 0, part.text, part.name))
        elif part.kind == "aside" or part.name in rules.points:
            line = part.name in OF_LINES or part.name in rules.joints
            passage.mark(Mark("line" if line else "point", 0, part.text, part.name))
        elif part.kind == "data" or rules.is_placeholder(part.name):
            passage.placeholder(part.text)
        else:  # <b/>, which is neither a point nor a word
            passage.mark(Mark("point", 0, part.text, part.name))
    return passage.finish()


def add_text(passage: Collector, text: str) -> None:
    end = 0
    for space in SPACE.finditer(text):
        if space.start() > end:
            passage.word(text[end : space.start()], text[end : space.start()])
        passage.space(space.group())
        end = space.end()
    if end < len(text):
        passage.word(text[end:], text[end:])


def add_entity(passage: Collector, raw: str, rules: MarkupRules) -> None:
    text = decoded(raw, rules)
    if text is None:
        passage.placeholder(raw)  # of a name that only the document knows
    elif text.isspace():
        passage.space(raw)
    elif text.isprintable() and len(text) == 1:
        passage.word(text, raw)
    else:
        passage.mark(Mark("point", 0, raw))  # such as &shy;


def decoded(raw: str, rules: MarkupRules) -> str | None:
    """None for a name that nobody knows."""
    if rules.xml and not raw.startswith("&#"):
        return XML_ENTITIES.get(raw)
    text = html.unescape(raw)
    return None if text == raw else text
