"""Where a point goes in a translation: an <img>, a comment, <br>, an empty element, a tag without a partner.

Press the<img> button  ->  Drücken Sie die<img> Taste        beside the word that it stood beside
"""

import re
from bisect import bisect_left, bisect_right

from attendo.translation.markup.made_from import MadeFrom
from attendo.translation.markup.tree import Branch

MOST_LINES = 100  # <br> inside one passage for which all places are compared
EDGE_OF_WORD = re.compile(r"\b|(?<=\s)")


class Points:
    def __init__(self, made: MadeFrom) -> None:
        self.made = made
        self.lines = 0

    def position(self, child: Branch) -> int:
        """Beside the word that it stood beside in the source; at an edge, at that edge."""
        made, at = self.made, child.start
        source = made.source
        if at <= made.begin or at >= made.end:
            return 0 if at <= made.begin else len(made.target)
        kind = child.open.kind if child.open else "point"
        if kind == "line" and made.words and self.lines < MOST_LINES:
            self.lines += 1
            return self.fewest_crossings(at)
        if at in made.edges:
            return made.edges[at]
        left = bisect_left(made.starts, at) - 1
        right = bisect_right(made.ends, at)
        after, before = made.beside(left), made.beside(right)
        if after is None and before is None:
            return self.in_proportion(at)
        touches_right = kind == "open" or (source[at - 1].isspace() and not source[at].isspace())
        if before is not None and (touches_right or after is None):
            start = made.words[before].start
            return before_space(made.target, start) if source[at].isspace() else start
        end = made.words[after].end if after is not None else 0
        return after_space(made.target, end) if source[at - 1].isspace() else end

    def fewest_crossings(self, at: int) -> int:
        """Where fewest words are parted from what stands on the same side of the source."""
        words = self.made.words
        sides = [word.sources[0][0] >= at if word.sources else None for word in words]
        crossings = best = sum(side is False for side in sides)
        position = 0
        for index, side in enumerate(sides):
            crossings += (side is True) - (side is False)
            if crossings < best or (crossings == best and side is None and position == words[index].start):
                best, position = crossings, words[index].end
        following = bisect_left(self.made.word_starts, position)
        return words[following].start if following < len(words) else position

    def in_proportion(self, at: int) -> int:
        """Where nothing is known but lengths: at the edge of a word."""
        target = self.made.target
        wish = at * len(target) // max(len(self.made.source), 1)
        edge = EDGE_OF_WORD.search(target, wish)
        return edge.start() if edge else len(target)


def before_space(text: str, at: int) -> int:
    """The same place, before white space that ends there."""
    while at and text[at - 1].isspace():
        at -= 1
    return at


def after_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
