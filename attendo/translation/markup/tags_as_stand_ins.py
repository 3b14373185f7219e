"""Tags that the model gets to see: each is a small tag of ours, which the translator hides behind a stand-in.

    one <b>two</b>  ->  one <xt1>two</xt1>  ->  eins <xt1>zwei</xt1>  ->  eins <b>zwei</b>

For engines that cannot say which word was made from which, and for a sentence whose tags found no place otherwise.
"""

import re
from itertools import pairwise

from attendo.translation.markup.collect import Passage
from attendo.translation.markup.place import Spot
from attendo.translation.markup.tree import Branch, partners

TAGGED = "t"


def with_tags(passage: Passage) -> str:
    """The plain text with a tag for each mark."""
    parts: list[str] = []
    end = 0
    closes = {close: opens for opens, close in partners(passage.marks).items()}
    opens = set(closes.values())
    for number, mark in enumerate(passage.marks):
        parts.append(passage.text[end : mark.at])
        name = f"{passage.token}{TAGGED}"
        if number in closes:
            parts.append(f"</{name}{closes[number]}>")
        else:
            parts.append(f"<{name}{number}>" if number in opens else f"<{name}{number}/>")
        end = mark.at
    return "".join([*parts, passage.text[end:]])


def without_tags(passage: Passage, answer: str) -> tuple[str, dict[str, list[int]]]:
    """The answer's plain text, and where each tag stood in it."""
    pattern = re.compile(rf"</?{passage.token}{TAGGED}\d+/?>")
    parts: list[str] = []
    found: dict[str, list[int]] = {}
    at = length = 0
    spaced = False  # whether what came last is a space
    while match := pattern.search(answer, at):
        text = answer[at : match.start()]
        parts.append(text)
        length += len(text)
        spaced = text.endswith(" ") if text else spaced
        found.setdefault(match.group(), []).append(length)
        at = match.end()
        if spaced and answer.startswith(" ", at):  # a tag between two spaces leaves one
            at += 1
    return "".join([*parts, answer[at:]]), found


def spots_by_tags(passage: Passage, root: Branch, length: int, found: dict[str, list[int]]) -> dict[int, Spot] | None:
    """Where each branch of a tree goes; None if a tag is lost or doubled, or what nested does not nest any more."""
    spots = {root.index: Spot(0, length)}
    waiting = [root]
    name = f"{passage.token}{TAGGED}"
    while waiting:
        branch = waiting.pop()
        here = spots[branch.index]
        taken: list[tuple[int, int]] = []
        for child in branch.children:
            tags = [f"<{name}{child.index}>", f"</{name}{child.index}>"]
            places = [found.get(tag, []) for tag in (tags if child.close else [f"<{name}{child.index}/>"])]
            if any(len(place) != 1 for place in places):
                return None
            start, end = places[0][0], places[-1][0]
            if not here.start <= start <= end <= here.end or (start == end and child.start < child.end):
                return None
            spots[child.index] = Spot(start, end)
            taken.append((start, end))
            if child.children:
                waiting.append(child)
        taken.sort()
        if any(first[1] > second[0] for first, second in pairwise(taken)):
            return None
    return spots
