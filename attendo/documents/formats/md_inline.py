"""The inside of a paragraph of Markdown: where emphasis, links, code and pictures begin and end.

    "See *the [docs](a.md)* and `x`."

    text "See " · open "*" · text "the " · open "[" · text "docs" · close "](a.md)" · close "*" · …

Libraries for Markdown do not say where in a line a thing is, and what is written anew from what they understood is
another file. So the signs are paired here, by the rules of CommonMark for brackets and for runs of * and _.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

# word: stands for a word, such as code. point: stands somewhere, such as a picture. line: a hard break.
InlineKind = Literal["text", "escape", "entity", "open", "close", "word", "point", "image", "line", "html"]
MOST_DELIMITERS = 1_000  # in one paragraph; more are no emphasis of anybody

TOKEN = re.compile(
    r"""
      (?P<hard>(?:[ ]{2,}|\\)\n[ \t]*)
    | (?P<escape>\\[!-/:-@\[-`{-~])
    | (?P<ticks>`+)
    | (?P<auto><[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>|<[\w.+-]{1,100}@[\w.-]{1,100}>)
    | (?P<html></?[A-Za-z][A-Za-z0-9-]*(?:\s+[\w:.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*/?>|<!--.*?-->)
    | (?P<entity>&(?:\#[0-9]{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)
    | (?P<note>\[\^[^\]\s\[]{1,100}\])
    | (?P<math>\$\$[^$]{1,2000}\$\$|\$(?![\s$])[^$\n]{0,500}[^$\s\\]\$(?!\d))
    | (?P<url>(?:https?://|www\.)[^\s<>\[\]()*"'`]+(?:\([^\s<>()]*\)[^\s<>\[\]()*"'`]*)*)
    | (?P<liquid>\{\{[^{}\n]*\}\}|\{%[^{}\n]*%\})
    | (?P<emoji>(?<![\w:]):[a-z][a-z0-9_+-]{1,40}:(?![\w:]))
    | (?P<bracket>!?\[|\])
    | (?P<run>\*+|_+|(?<!~)~~(?!~))
    """,
    re.VERBOSE | re.DOTALL,
)
# After the text of a link: (a.md "a title"), with one level of brackets in the address.
TARGET = re.compile(
    r"""\(\s*(?:<[^<>\n]*>|(?:[^\s()<\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)"""
    r"""(?:\s+(?P<title>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?\s*\)""",
    re.DOTALL,
)
LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999})\]", re.DOTALL)


class Inline(NamedTuple):
    kind: InlineKind
    start: int
    end: int
    pair: int = -1  # of open and close: what belongs together
    inner: tuple[int, int] = (0, 0)  # of an image: its alternative text


@dataclass(slots=True)
class Run:
    """Some * or _ beside each other, of which some may be left as text."""

    sign: str
    start: int
    end: int
    opens: bool
    closes: bool
    length: int  # at first


@dataclass(slots=True)
class Opener:
    """A [ that may begin a link."""

    start: int
    end: int
    image: bool
    runs: int  # how many runs there were before
    found: int  # how many parts
    active: bool = True


@dataclass(slots=True)
class InlineScanner:
    text: str
    references: Set[str]  # labels that are defined somewhere, as `label_of` makes them
    emphasis: bool = True  # without it, the signs of emphasis are points
    parts: list[Inline] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    openers: list[Opener] = field(default_factory=list)
    pairs: int = 0
    delimiters: int = 0

    def scan(self) -> list[Inline]:
        """All parts in order; joined they are the text."""
        ticks: dict[int, list[int]] = {}
        for run in re.finditer("`+", self.text):
            ticks.setdefault(len(run.group()), []).append(run.start())
        at = 0
        while found := TOKEN.search(self.text, at):
            start, at = found.span()
            match found.lastgroup:
                case "ticks":
                    closing = ticks.get(at - start, [])  # none, where a backslash has taken one of them
                    following = bisect_right(closing, start)
                    if following < len(closing):
                        end = closing[following] + at - start
                        self.parts.append(Inline("word", start, end))
                        at = end
                case "bracket":
                    at = self.bracket(start, at)
                case "run":
                    self.run(start, at)
                case "url":
                    at = start + len(found.group().rstrip(".,:;!?…"))
                    self.parts.append(Inline("word", start, at))
                case "auto" | "math" | "liquid" | "emoji":
                    self.parts.append(Inline("word", start, at))
                case "note":
                    self.parts.append(Inline("point", start, at))
                case "hard":
                    self.parts.append(Inline("line", start, at))
                case kind:
                    self.parts.append(Inline(kind, start, at))  # type: ignore[arg-type]
        self.pair_runs(0)
        return list(self.with_text())

    def with_text(self) -> Iterator[Inline]:
        at = 0
        for part in sorted(self.parts, key=lambda part: part.start):
            if part.start > at:
                yield Inline("text", at, part.start)
            yield part
            at = part.end
        if at < len(self.text):
            yield Inline("text", at, len(self.text))

    def bracket(self, start: int, end: int) -> int:
        if self.text[start:end] != "]":
            self.openers.append(Opener(start, end, self.text[start] == "!", len(self.runs), len(self.parts)))
            return end
        if not self.openers:
            return end
        opener = self.openers.pop()
        closes = self.link_end(opener, start) if opener.active else 0
        if not closes:
            return end
        if opener.image:
            del self.parts[opener.found :], self.runs[opener.runs :]
            self.parts.append(Inline("image", opener.start, closes, inner=(opener.end, start)))
            return closes
        self.pair_runs(opener.runs)
        self.add_pair((opener.start, opener.end), (start, closes))
        for other in self.openers:  # no link in a link
            other.active = other.active and other.image
        return closes

    def link_end(self, opener: Opener, at: int) -> int:
        """Where a link ends whose text ends at `at`; 0 if it is none."""
        if target := TARGET.match(self.text, at + 1):
            return target.end()
        label = LABEL.match(self.text, at + 1)
        if label and label[1].strip():
            return label.end() if label_of(label[1]) in self.references else 0
        if label_of(self.text[opener.end : at]) not in self.references:
            return 0
        return label.end() if label else at + 1

    def add_pair(self, opens: tuple[int, int], closes: tuple[int, int]) -> None:
        self.parts += [Inline("open", *opens, self.pairs), Inline("close", *closes, self.pairs)]
        self.pairs += 1

    def run(self, start: int, end: int) -> None:
        self.delimiters += 1
        if not self.emphasis or self.delimiters > MOST_DELIMITERS:
            self.parts.append(Inline("point", start, end))
            return
        sign = self.text[start]
        before, after = self.text[start - 1 : start] or " ", self.text[end : end + 1] or " "
        left = not after.isspace() and (not is_punctuation(after) or before.isspace() or is_punctuation(before))
        right = not before.isspace() and (not is_punctuation(before) or after.isspace() or is_punctuation(after))
        inside = sign == "_"  # of a word, where _ means nothing
        opens = left and (not inside or not right or is_punctuation(before))
        closes = right and (not inside or not left or is_punctuation(after))
        self.runs.append(Run(sign, start, end, opens, closes, end - start))

    def pair_runs(self, bottom: int) -> None:
        """The runs from `bottom` on: each that closes takes the nearest that opens."""
        waiting: list[Run] = []
        for run in self.runs[bottom:]:
            while run.closes and run.end > run.start:
                at = next((at for at in reversed(range(len(waiting))) if fits(waiting[at], run)), None)
                if at is None:
                    break
                opener = waiting[at]
                del waiting[at + 1 :]
                width = 2 if min(opener.end - opener.start, run.end - run.start) >= 2 else 1
                self.add_pair((opener.end - width, opener.end), (run.start, run.start + width))
                opener.end -= width
                run.start += width
                if opener.end == opener.start:
                    waiting.pop()
            if run.opens and run.end > run.start:
                waiting.append(run)
        del self.runs[bottom:]


def fits(opener: Run, closer: Run) -> bool:
    if opener.sign != closer.sign:
        return False
    if not (opener.closes or closer.opens):
        return True
    both = opener.length + closer.length
    return both % 3 != 0 or (opener.length % 3 == 0 and closer.length % 3 == 0)


def is_punctuation(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS"


def label_of(text: str) -> str:
    """Two labels are the same if these are."""
    return re.sub(r"\s+", " ", text.strip()).casefold()
