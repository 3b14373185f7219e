"""200 sentences with tags, and for each tag what it may hold in a translation; and how an answer is judged by it.

A line of DIRECTION.tsv is a sentence and, for each of its tags in order, phrases that a right translation of what the
tag holds may have, parted by |. The wording of a model varies, so there are many. Of a tag without text, > and < say
that it must stand right before, or after, one of the words.
"""

import html
from collections import Counter
from pathlib import Path
from typing import Literal, NamedTuple

from attendo.translation.markup.rules import MarkupRules
from attendo.translation.markup.scan import MarkupPart, scan

FOLDER = Path(__file__).parent
DIRECTIONS = ("zh-en", "en-zh", "de-en", "en-de")
RULES = MarkupRules.html()

# exact: one of the phrases, no more and no less. too wide: it and more. too narrow: a part of it. lost: elsewhere,
# empty, doubled or gone; or in other words than any phrase has, which is counted against who says them.
Verdict = Literal["exact", "too wide", "too narrow", "lost"]
VERDICTS: tuple[Verdict, ...] = ("exact", "too wide", "too narrow", "lost")


class Tagged(NamedTuple):
    source: str
    target: str
    text: str
    gold: tuple[str, ...]  # one for each tag that opens, in order


def read(direction: str) -> list[Tagged]:
    source, target = direction.split("-")
    lines = (FOLDER / f"{direction}.tsv").read_text(encoding="utf-8").split("\n")[:-1]
    found = []
    for line in lines:
        text, *gold = line.split("\t")
        tags = opening(text)
        assert len(gold) == len(tags) == len(set(tags)), line
        found.append(Tagged(source, target, text, tuple(gold)))
    return found


def opening(text: str) -> list[str]:
    return [part.text for part in scan(text, RULES) if part.kind in ("open", "single")]


def judge(one: Tagged, answer: str) -> list[Verdict]:
    """Of each tag."""
    parts = scan(answer, RULES)
    return [verdict(tag, gold, parts) for tag, gold in zip(opening(one.text), one.gold, strict=True)]


def verdict(tag: str, gold: str, parts: list[MarkupPart]) -> Verdict:
    places = [index for index, part in enumerate(parts) if part.text == tag]
    if len(places) != 1:
        return "lost"
    start = places[0]
    if gold[0] in "<>":
        text = words(parts[start + 1 :] if gold[0] == ">" else parts[:start])
        stands = text.startswith if gold[0] == ">" else text.endswith
        return "exact" if stands(tuple(gold[1:].casefold().split("|"))) else "lost"
    text = words(parts[start + 1 : end_of(parts, start)])
    phrases = gold.casefold().split("|")
    if text in phrases:
        return "exact"
    if any(phrase in text for phrase in phrases):
        return "too wide"
    return "too narrow" if text and any(text in phrase for phrase in phrases) else "lost"


def words(parts: list[MarkupPart]) -> str:
    return html.unescape("".join(part.text for part in parts if part.kind in ("text", "entity"))).strip().casefold()


def end_of(parts: list[MarkupPart], start: int) -> int:
    """Where the element that opens there closes."""
    depth = 0
    for index in range(start, len(parts)):
        if parts[index].name == parts[start].name:
            depth += {"open": 1, "close": -1}.get(parts[index].kind, 0)
            if not depth:
                return index
    return len(parts)


def nests(text: str) -> bool:
    opened: list[str] = []
    for part in scan(text, RULES):
        if part.kind == "open":
            opened.append(part.name)
        elif part.kind == "close" and (not opened or opened.pop() != part.name):
            return False
    return not opened


def is_whole(one: Tagged, answer: str) -> bool:
    """All its tags, and no other, well nested."""
    tags = [Counter(part.text for part in scan(text, RULES) if part.name) for text in (one.text, answer)]
    return tags[0] == tags[1] and nests(answer)
