"""A text with markup as passages, which are translated, and all between them, which stays byte for byte.

    <p>Run <code>ls</code> <b>now</b>.</p><!-- end -->   ->   "<p>"  Run … now.  "</p><!-- end -->"

What the model reads of a passage is plain: tags are taken out, entities decoded, and white space is one space, as a
browser shows it. What stands for a word and must come back is <x1/>, which the translator hides behind a stand-in.
"""

import html
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from attendo.text.normalize import WORD
from attendo.translation.markup.collect import CONTEXT, NUMBERED, Passage, collect, tokens
from attendo.translation.markup.rules import OF_LINES, UNENDED, MarkupRules
from attendo.translation.markup.scan import MarkupPart, scan

SUBTITLE = 90  # characters: two lines of a subtitle, which are one sentence
LINK = "a"
GOES_ON = re.compile(r"[,，、]\s*$|\w\s*$")


def read_passages(text: str, rules: MarkupRules) -> list[str | Passage]:
    """What stays as it is, and passages with something to say; joined, with each passage's `raw`, they are the text."""
    parts = scan(text, rules)
    token, seen = NUMBERED, html.unescape(text).lower()
    while f"<{token}" in seen or f"</{token}" in seen:
        token += NUMBERED
    kept: list[str] = []
    found: list[str | Passage] = []
    for run in runs(parts, rules):
        if isinstance(run, str):
            kept.append(run)
            continue
        passage = collect(run, rules, token)
        if WORD.search(without_tokens(passage)):
            if kept:
                found.append("".join(kept))
                kept = []
            found.append(passage)
        else:
            kept.append(passage.raw)
    return [*found, "".join(kept)] if kept else found


def without_tokens(passage: Passage) -> str:
    return tokens(passage.token).sub(" ", passage.text) if passage.placeholders else passage.text


def runs(parts: Sequence[MarkupPart], rules: MarkupRules) -> Iterator[str | list[MarkupPart]]:
    """The parts between two borders, and the borders. What is untouched has become one part of a kind of its own."""
    partners = pairs(parts)
    borders = outline(parts, partners, rules) if rules.outline else frozenset[int]()
    run: list[MarkupPart] = []
    at = 0
    while at < len(parts):
        part = parts[at]
        is_tag = part.kind in ("open", "close", "single")
        border = is_tag and (rules.ends_sentence(part.name) or at in borders)
        end = end_of(parts, at, partners, rules)
        if part.kind == "open" and end > at and rules.is_untouched(part.name, part.text):
            part = MarkupPart("data", "".join(inner.text for inner in parts[at : end + 1]), part.name)
            at = end
        if border:
            yield from sentences(run)
            run = []
            yield part.text
        else:
            run.append(part)
        at += 1
    yield from sentences(run)


def end_of(parts: Sequence[MarkupPart], at: int, partners: dict[int, int], rules: MarkupRules) -> int:
    """The last part of an element that opens at `at`. One that needs no end tag, <p>, goes on to the next border."""
    if at in partners or rules.xml or parts[at].kind != "open" or parts[at].name not in UNENDED:
        return partners.get(at, at)
    if not rules.is_untouched(parts[at].name, parts[at].text):
        return at
    while at + 1 < len(parts) and not rules.ends_sentence(parts[at + 1].name):
        at += 1
    return at


def pairs(parts: Sequence[MarkupPart]) -> dict[int, int]:
    """Each tag that opens, and the one that closes it: the next of its name that closes no later one."""
    opened: dict[str, list[int]] = {}
    found: dict[int, int] = {}
    for at, part in enumerate(parts):
        if part.kind == "open":
            opened.setdefault(part.name, []).append(at)
        elif part.kind == "close" and opened.get(part.name):
            found[opened[part.name].pop()] = at
    return found


def outline(parts: Sequence[MarkupPart], partners: dict[int, int], rules: MarkupRules) -> frozenset[int]:
    """The tags of elements beside which there is no text, only other elements."""
    closing = {end: start for start, end in partners.items()}
    levels: list[list[int]] = [[]]  # of each open element, what stands in it
    mixed = [False]  # whether there is text among it
    found: list[int] = []
    for at, part in enumerate(parts):
        if part.kind == "open" and at in partners:
            levels[-1].append(at)
            levels.append([])
            mixed.append(False)
        elif part.kind == "close" and at in closing and len(levels) > 1:
            inner = levels.pop()
            found += [] if mixed.pop() else inner
        elif part.kind in ("text", "entity", "data") and not part.text.isspace():
            mixed[-1] = True
    while levels:
        inner = levels.pop()
        found += [] if mixed.pop() else inner
    apart = [start for start in found if parts[start].name not in rules.inline]
    return frozenset(apart).union(partners[start] for start in apart)


def sentences(run: list[MarkupPart]) -> Iterator[str | list[MarkupPart]]:
    """A run parted at the ends of lines, and at the links of a menu."""
    for line in lines(run):
        if isinstance(line, str) or not is_menu(line):
            yield line
            continue
        begin = 0
        for at, part in enumerate(line):
            if part.name == LINK:
                yield line[begin:at]
                yield part.text
                begin = at + 1
        yield line[begin:]


def is_menu(run: Sequence[MarkupPart]) -> bool:
    """Several links and no word beside them: each says something of its own."""
    links = depth = 0
    for part in run:
        if part.name == LINK:
            depth += {"open": 1, "close": -1}.get(part.kind, 0)
            links += part.kind == "open"
        elif depth <= 0 and part.kind in ("text", "entity", "data") and WORD.search(part.text):
            return False
    return links > 1


def lines(run: list[MarkupPart]) -> Iterator[str | list[MarkupPart]]:
    """A run parted at its <br>, but for those inside a sentence: one whose line ends in a word or comma while the next
    begins in lower case; or the only one of a text as short as a subtitle."""
    breaks = [at for at, part in enumerate(run) if part.name in OF_LINES and part.kind != "close"]
    if not breaks:
        yield run
        return
    edges = pairwise([-1, *breaks, len(run)])
    texts = [text_of(run[first + 1 : last]) for first, last in edges]
    short = len(breaks) == 1 and sum(map(len, texts)) <= SUBTITLE
    begin = 0
    for at, before, after in zip(breaks, texts, texts[1:], strict=False):
        if GOES_ON.search(before[-CONTEXT:]) and (short or after[:1].islower()) and after:
            continue
        yield run[begin:at]
        yield run[at].text
        begin = at + 1
    yield run[begin:]


def text_of(parts: Sequence[MarkupPart]) -> str:
    return "".join(part.text for part in parts if part.kind == "text").strip()
