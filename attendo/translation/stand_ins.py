"""What must come back from a translation as it is stands in the text as {1}, {2} … while the model reads it.

    Click <b>here</b>, {name}!         the source
    Click {1} here {2}, {3}!           what the model reads
    Klicken Sie {1} hier {2}, {3}!     what it answers
    Klicken Sie <b>hier</b>, {name}!   the translation

A term of a glossary has a stand-in as well, and its translation comes back. No engine knows of any of it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from attendo.text.normalize import WORD
from attendo.text.scripts import HAN_CHARACTER, writes_han
from attendo.text.sentences import LETTER_OF_A_WORD
from attendo.text.verbatim import TAG
from attendo.translation.checks import Miss, MissKind

STAND_IN = re.compile(r"\{ ?(\d{1,3}) ?\}")
MOST = 99  # in a sentence; what comes after stays in the text
# &nbsp; is a space itself.
SPACE_ENTITY = "&(?:nbsp|ensp|emsp|thinsp|#160|#x[Aa]0);"
SPACE_FIRST, SPACE_LAST = re.compile(SPACE_ENTITY), re.compile(f"{SPACE_ENTITY}$")
# Elements of HTML that have no end.
VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr", "x"]
)


class Span(NamedTuple):
    """text[start:end] is to come back as `target`."""

    start: int
    end: int
    target: str
    kind: MissKind


class StandIn(NamedTuple):
    """What {n} stands for, and whether a space that the model may put before or after it has to go again."""

    source: str
    target: str
    kind: MissKind
    tight_before: bool = False
    tight_after: bool = False

    @property
    def miss(self) -> Miss:
        return Miss(self.kind, self.source)


StandIns = tuple[StandIn, ...]


def hide(text: str, spans: Iterable[Span], known: StandIns = ()) -> tuple[str, StandIns]:
    """The text with stand-ins, numbered after those it has already; beside a word they are set off by spaces.

    Where spans overlap the first counts, and the longer of two that begin together. Braces around one belong to it:
    the model would take {{1}} for something else.
    """
    parts: list[str] = []
    stand_ins = list(known)
    end = 0
    for span in joined(with_braces(text, apart(spans))):
        if len(stand_ins) == MOST:
            break
        stand_ins.append(stand_in_for(text, span))
        before = " " if span.start and WORD.match(text[span.start - 1]) else ""
        after = " " if WORD.match(text[span.end : span.end + 1]) else ""
        parts += (text[end : span.start], before, f"{{{len(stand_ins)}}}", after)
        end = span.end
    return "".join([*parts, text[end:]]), tuple(stand_ins)


def apart(spans: Iterable[Span]) -> list[Span]:
    """In order and without overlaps."""
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not chosen or span.start >= chosen[-1].end:
            chosen.append(span)
    return chosen


def with_braces(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Each with the braces around it, unless they are another's."""
    last = 0
    ends = [*(span.start for span in spans[1:]), len(text)]
    for span, following in zip(spans, ends, strict=False):  # of no spans there is still an end
        start, end = span.start, span.end
        while start > last and text[start - 1] in "{}":
            start -= 1
        while end < following and text[end] in "{}":
            end += 1
        if start < span.start and start > last and text[start - 1] in "$%#@":  # ${%s}
            start -= 1
        yield Span(start, end, text[start : span.start] + span.target + text[span.end : end], span.kind)
        last = end


def joined(spans: Iterable[Span]) -> Iterator[Span]:
    """Those that touch are one, such as <b>{name}</b>, but for a glossary's terms."""
    last: Span | None = None
    for span in spans:
        if last and span.start == last.end and "term" not in (span.kind, last.kind):
            kind = last.kind if last.kind == span.kind else "placeholder"
            last = Span(last.start, span.end, last.target + span.target, kind)
            continue
        if last:
            yield last
        last = span
    if last:
        yield last


def stand_in_for(text: str, span: Span) -> StandIn:
    before, after = text[: span.start][-1:], text[span.end : span.end + 1]
    in_word = LETTER_OF_A_WORD.match(before), LETTER_OF_A_WORD.match(after)
    source = text[span.start : span.end]
    tags = TAG.findall(source)
    opens = bool(tags) and is_opening(tags[-1], source)
    closes = bool(tags) and tags[0].startswith("/")
    return StandIn(
        source,
        span.target,
        span.kind,
        tight_before=bool(in_word[0]) or (not before.isspace() and (closes or bool(SPACE_FIRST.match(source)))),
        tight_after=bool(in_word[1]) or (not after.isspace() and (opens or bool(SPACE_LAST.search(source)))),
    )


def is_opening(name: str, source: str) -> bool:
    return not (name.startswith("/") or name.lower() in VOID or source.endswith("/>"))


def lost(text: str, translation: str, stand_ins: StandIns) -> list[StandIn]:
    """Those of a text that its translation does not have exactly once; or, where tags no longer nest or hold nothing,
    or the parts of a message have changed places, all of these."""
    order = [int(number) for number in STAND_IN.findall(translation)]
    counts = Counter(order)
    wrong = [stand_in for number, stand_in in enumerate(stand_ins, start=1) if counts[number] != 1]
    if wrong:
        return wrong
    found = [stand_ins[number - 1] for number in order if 1 <= number <= len(stand_ins)]
    tags = [stand_in for stand_in in stand_ins if TAG.search(stand_in.source)]
    if tags and ((nests(tags) and not nests(found)) or touching(translation, stand_ins) - touching(text, stand_ins)):
        wrong += tags
    parts = [stand_in for stand_in in stand_ins if stand_in.kind == "message"]
    if parts != [stand_in for stand_in in found if stand_in.kind == "message"]:
        wrong += parts
    return wrong


def touching(text: str, stand_ins: StandIns) -> set[tuple[int, int]]:
    """Tags between which there is nothing, by their numbers."""
    found = [one for one in STAND_IN.finditer(text) if 1 <= int(one.group(1)) <= len(stand_ins)]
    return {
        (int(first.group(1)), int(second.group(1)))
        for first, second in pairwise(found)
        if not text[first.end() : second.start()].strip()
        and all(TAG.search(stand_ins[int(one.group(1)) - 1].source) for one in (first, second))
    }


def nests(stand_ins: Sequence[StandIn]) -> bool:
    """Whether every tag that opens is closed, the last that opened first."""
    opened: list[str] = []
    for tag in TAG.finditer("".join(stand_in.source for stand_in in stand_ins)):
        name = tag.group(1).lower()
        if name.startswith("/"):
            if not opened or opened.pop() != name[1:]:
                return False
        elif is_opening(name, tag.group()):
            opened.append(name)
    return not opened


def reveal(translation: str, stand_ins: StandIns, target_language: str) -> str:
    """The answer with what they stand for; one that is said twice, or that nobody asked for, goes."""
    return "".join(text for text, _ in revealed_parts(translation, stand_ins, target_language))


def revealed_parts(translation: str, stand_ins: StandIns, target_language: str) -> list[tuple[str, int]]:
    """The same in parts, each with the number of its stand-in; 0: it is the model's own."""
    text, *rest = STAND_IN.split(without_others(translation, len(stand_ins)))
    parts = [(text, 0)]
    for number, after in zip(rest[::2], rest[1::2], strict=True):
        stand_in = stand_ins[int(number) - 1]
        text, _ = parts[-1]
        last = text.rstrip(" ")[-1:] or (parts[-2][0][-1:] if len(parts) > 1 else "")
        # Chinese sets tags among its characters without spaces.
        close = stand_in.kind == "tag" and writes_han(target_language)
        if stand_in.tight_before or (close and HAN_CHARACTER.match(last)):
            parts[-1] = text.rstrip(" "), 0
        if stand_in.tight_after or (close and HAN_CHARACTER.match(after.lstrip(" ")[:1])):
            after = after.lstrip(" ")
        parts += ((stand_in.target, int(number)), (after, 0))
    return parts


def without_others(translation: str, count: int) -> str:
    """Of {1} to {count} the first of each, and none else."""
    waiting = set(range(1, count + 1))
    kept: list[str] = []
    end = 0
    for match in STAND_IN.finditer(translation):
        if (number := int(match.group(1))) in waiting:
            waiting.remove(number)
            continue
        before = translation[end : match.start()]
        kept.append(before.removesuffix(" ") if kept or before.strip() else before)
        end = match.end()
    rest = translation[end:]
    return "".join([*kept, rest]) if "".join(kept).strip() else "".join([*kept, rest]).lstrip(" ")
