"""A translation with its tags, in the spelling of the source.

    "5 < 6 & more"  ->  "5 &lt; 6 &amp; mehr", if the source wrote &lt; and &amp;

A character that the source writes as an entity somewhere is written as it was there, the first as the first. What the
source does not have is escaped if markup needs it. A raw < or & of the source stays raw where it can mean nothing else.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from attendo.translation.answer import AlignedWord
from attendo.translation.markup.collect import Passage
from attendo.translation.markup.place import Spot
from attendo.translation.markup.tree import Branch

ESCAPED = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
MEANS_MORE = {"<": re.compile(r"[\w/!?]"), "&": re.compile(r"[\w#]")}  # what a raw sign must not be followed by
NO_BREAK = re.compile(r"&nbsp;?|&#160;|&#[xX][aA]0;|\xa0")


@dataclass(slots=True)
class Writer:
    """The text of one passage on its way out, from left to right."""

    passage: Passage
    target: str
    spaces: dict[int, str]  # where a space of the translation is written otherwise
    tokens: dict[int, str]  # where a placeholder stands
    said: dict[str, int] = field(default_factory=dict)  # how often a special character was written
    special: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        self.special = re.compile("[" + re.escape("".join([*self.passage.spellings, *ESCAPED])) + r"]|\s")

    def text(self, start: int, end: int) -> Iterator[str]:
        at = start
        while found := self.special.search(self.target, at, end):
            place = found.start()
            yield self.target[at:place]
            if place in self.tokens:
                token = self.tokens[place]
                yield self.passage.placeholders[token]
                at = place + len(token)
                continue
            yield self.spaces[place] if place in self.spaces else self.spelt(place)
            at = place + 1
        yield self.target[at:end]

    def spelt(self, at: int) -> str:
        sign = self.target[at]
        known = self.passage.spellings.get(sign, ())
        times = self.said[sign] = self.said.get(sign, 0) + 1
        if not known:
            return ESCAPED.get(sign, sign)
        spelling = known[min(times, len(known)) - 1]
        if spelling.raw == sign and sign in MEANS_MORE:
            following = self.target[at + 1 : at + 1 + len(spelling.following)]
            if MEANS_MORE[sign].match(following) and following != spelling.following:
                return ESCAPED[sign]
        return spelling.raw


def write(root: Branch, spots: dict[int, Spot], writer: Writer) -> str:
    """The tree, each branch where it was placed: what nests in the tree nests in the text."""
    parts: list[str] = []
    at = 0
    opened: list[tuple[Branch, list[Branch]]] = [(root, in_order(root, spots))]
    while opened:
        branch, rest = opened[-1]
        if rest:
            child = rest.pop()
            spot = spots[child.index]
            start = max(at, spot.start)
            parts += writer.text(at, start)
            at = start
            parts.append(child.open.raw if child.open else "")
            if child.is_element:
                opened.append((child, in_order(child, spots)))
            continue
        end = max(at, spots[branch.index].end)
        parts += writer.text(at, end)
        at = end
        parts.append(branch.close.raw if branch.close else "")
        opened.pop()
    return "".join(parts)


def in_order(branch: Branch, spots: dict[int, Spot]) -> list[Branch]:
    """From the last to the first in the translation; of those at one place as in the source."""
    return sorted(branch.children, key=lambda child: (spots[child.index].start, child.index), reverse=True)


def spaces_of(passage: Passage, target: str, words: Sequence[AlignedWord]) -> dict[int, str]:
    """Line breaks and &nbsp; of the source: between the words that were made from those around them there."""
    if not passage.spaces:
        return {}
    found: dict[int, str] = {}
    waiting = dict(passage.spaces)
    for word, following in pairwise(words):
        if following.start != word.end + 1 or target[word.end] != " ":
            continue
        before = word.sources[0][1] if word.sources else None
        after = following.sources[0][0] - 1 if following.sources else None
        if before is not None and before == after and before in waiting:
            found[word.end] = waiting.pop(before)
        else:  # one that only binds what is on one side of it now
            for beside in (before, after):
                if beside is not None and NO_BREAK.search(waiting.get(beside, "")):
                    found[word.end] = waiting.pop(beside)
                    break
    return found
