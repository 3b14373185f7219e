"""Subtitles: sentences gathered over cues, and dealt back to them.

    cue 7   I went to Berlin
    cue 8   with my old friend.       ->    "I went to Berlin<next-cue/>with my old friend."

A cue alone is half a sentence, and the model would make up the other half. So cues that go on are one segment, with
points where a cue or a line begins; the points come back where the alignment puts them. What is no word, such as ♪,
is a point, too; what is said of a whole cue, {\\an8} or <v Mary> before its text, is no part of the segment.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from attendo.documents.document import AroundChange, ByteSpan, Change, Document, DocumentSegment, Offsets, Writing
from attendo.documents.formats.dealing import dealt, fitted, with_edges
from attendo.text.normalize import WORD
from attendo.translation.markup.rules import BORDERS, POINTS, MarkupRules

LONGEST_GAP = 1_000  # milliseconds between two cues of one sentence
MOST_CUES = 6  # of one segment
MOST_CHARACTERS = 500
NEXT_CUE, NEXT_LINE, NEW_LINE, KEEP = "<next-cue/>", "<next-line/>", "<new-line/>", "<keep-sign n="
RULES = MarkupRules(
    points=POINTS | {"next-cue", "next-line", "keep-sign"},
    joints=frozenset({"next-cue", "next-line"}),
    borders=BORDERS | {"new-line"},
)
ENDED = re.compile(r"""[.!?。！？…♪♫\])）】:：;；]["'”’»」』]*\s*(<[^<>]*>\s*|\{[^{}]*\}\s*)*$""")
SPEAKS = re.compile(r"\s*(<[^<>]*>\s*|\{[^{}]*\}\s*)*([-–—‐]\s*\S|>>)")
SPEAKER = re.compile(r"<v[ .\t][^<>]*>")
OF_THE_CUE = re.compile(r"(?:\{\\[^{}\r\n]*\}|<v[ .\t][^<>\r\n]*>)+"), re.compile(r"</v>\Z")
# What the model does not see: {\an8}, <00:00:01.000>, music, a dash before what somebody says.
SIGNS = re.compile(r"\{\\[^{}\n]*\}|<\d[\d:.]*>|[♪♫♬]+|(?m:^[-–—]\s?(?=[^\s-]))")
KEPT = re.compile(r'<keep-sign n="(\d+)"/>')
OURS = re.compile(r"<(?:next-cue|next-line|new-line|keep-sign)\b")
BREAK = re.compile(r"\r\n|\n|\r")
POINT_OF_LINE = re.compile(f"{NEXT_LINE}|{NEW_LINE}")


class Cue(NamedTuple):
    """Text between two times. Positions are those of characters in the file."""

    number: int  # as people count
    begins: int  # milliseconds
    ends: int
    start: int
    end: int  # without the line break after it
    speaker: str = ""  # the tag that names one


class Coded(NamedTuple):
    """The texts of some cues as the translator gets them, and what was taken out."""

    text: str
    signs: tuple[str, ...]


@dataclass(frozen=True)
class Subtitles(Document):
    text: str = ""
    groups: Sequence[Sequence[Cue]] = ()  # one for each segment
    offsets: Offsets = field(default_factory=lambda: Offsets(""))
    language: ByteSpan | None = None  # where the header names it

    can_be_bilingual = True

    @cached_property
    def line_break(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def cue_text(self, cue: Cue) -> str:
        return self.text[cue.start : cue.end]

    def changes(self, index: int, answer: str, writing: Writing) -> list[Change]:
        cues = self.groups[index]
        before = [self.cue_text(cue) for cue in cues]
        signs = coded(before).signs
        pieces = dealt(answer.split(NEXT_CUE), before, POINT_OF_LINE)
        found = []
        for cue, source, piece in zip(cues, before, pieces, strict=True):
            said = KEPT.sub(lambda sign: signs[int(sign[1])], piece)
            lines = lines_of(said, BREAK.split(source))
            breaks = [*BREAK.findall(source), self.line_break]
            new = lines[0] + "".join(breaks[min(at, len(breaks) - 1)] + line for at, line in enumerate(lines[1:]))
            if writing.bilingual != "none":
                new = (breaks[-1]).join((source, new) if writing.bilingual == "over" else (new, source))
            found.append(Change(self.offsets.span(cue.start, cue.end), new.encode()))
        return found

    def around(self, writing: Writing) -> list[AroundChange]:
        if self.language is None:
            return []
        return [AroundChange(Change(self.language, writing.to.encode()), "header", f"Language: {writing.to}")]

    def problem(self, index: int, answer: str) -> str:
        text = self.segments[index].text
        for point in (NEXT_CUE, NEXT_LINE, NEW_LINE):
            if text.count(point) != answer.count(point):
                return "the borders of its cues did not come back"
        if sorted(KEPT.findall(text)) != sorted(KEPT.findall(answer)):
            return "a sign such as {\\an8} did not come back once"
        if "-->" in answer and "-->" not in text:
            return "an arrow --> would end the cue"
        if BREAK.search(answer):
            return "a line break would end the cue"
        return ""


def coded(texts: Sequence[str]) -> Coded:
    """What the translator gets of some cues."""
    signs: list[str] = []

    def hidden(found: re.Match[str]) -> str:
        signs.append(found.group())
        return f'{KEEP}"{len(signs) - 1}"/>'

    parts = []
    for text in texts:
        lines = BREAK.split(text)
        points = [NEXT_LINE if goes_on(line, following) else NEW_LINE for line, following in pairwise(lines)]
        shown = [SIGNS.sub(hidden, line) for line in lines]
        parts.append(shown[0] + "".join(point + line for point, line in zip(points, shown[1:], strict=True)))
    return Coded(NEXT_CUE.join(parts), tuple(signs))


def lines_of(piece: str, sources: Sequence[str]) -> list[str]:
    """Of one cue. What two people say is not parted anew."""
    lines = POINT_OF_LINE.split(piece)
    if NEW_LINE in piece and len(lines) == len(sources):
        return [with_edges(line, source) for line, source in zip(lines, sources, strict=True)]
    return fitted(lines, sources)


def goes_on(text: str, following: str) -> bool:
    """Whether a sentence is not at its end, and what follows can be the rest of it."""
    if ENDED.search(text) or SPEAKS.match(following) or SPEAKER.search(following):
        return False
    return bool(text.strip() and following.strip())


def cue_of(number: int, times: tuple[int, int], text: str, start: int, end: int) -> Cue:
    """Without what is said of the cue as a whole, which stays before and after its text."""
    before, after = OF_THE_CUE[0].match(text, start, end), OF_THE_CUE[1].search(text, start, end)
    speaker = SPEAKER.search(before.group()) if before else None
    end = after.start() if after else end
    start = min(before.end(), end) if before else start
    return Cue(number, *times, start, end, speaker.group() if speaker else "")


def gathered(cues: Sequence[Cue], text: str) -> Iterator[list[Cue]]:
    """Cues that say something, those of one sentence together."""
    group: list[Cue] = []
    for cue in cues:
        said = text[cue.start : cue.end]
        if group and not belongs(group, cue, text):
            yield group
            group = []
        if WORD.search(without_tags(said)) and not OURS.search(said):
            group.append(cue)
        elif group:
            yield group
            group = []
    if group:
        yield group


def belongs(group: Sequence[Cue], cue: Cue, text: str) -> bool:
    last = group[-1]
    near = 0 <= cue.begins - last.ends < LONGEST_GAP  # cues that overlap are said by two people, or shown in two places
    before, said = text[last.start : last.end], text[cue.start : cue.end]
    length = cue.end - group[0].start
    return (
        near
        and len(group) < MOST_CUES
        and length < MOST_CHARACTERS
        and goes_on(before, said)
        and last.speaker == cue.speaker
    )


def without_tags(text: str) -> str:
    return re.sub(r"<[^<>]*>|\{\\[^{}]*\}", " ", text)


def as_subtitles(data: bytes, text: str, cues: Sequence[Cue], rules: MarkupRules = RULES) -> Subtitles:
    offsets = Offsets(text)
    groups = list(gathered(cues, text))
    segments = [
        DocumentSegment(
            text=coded([text[cue.start : cue.end] for cue in group]).text,
            spans=tuple(offsets.span(cue.start, cue.end) for cue in group),
            kind="cue",
            place=place_of(group),
            rules=rules,
        )
        for group in groups
    ]
    return Subtitles(data=data, segments=segments, text=text, groups=groups, offsets=offsets)


def place_of(group: Sequence[Cue]) -> str:
    first, last = group[0].number, group[-1].number
    return f"cue {first}" if first == last else f"cues {first}-{last}"
