"""Where the tags of a source go in its translation, by which words were made from which.

    我住在<b>北京</b>。  ->  I live in Beijing.        Beijing was made from 北京: I live in <b>Beijing</b>.

An element becomes one range of the translation, never two: an anchor or an id may come only once. Of all ranges it is
the one that gains most, where a word gains by how much of it was made inside the element, and loses by how much was
not. So a hole is filled if both sides are worth more than it; else the better side has the element alone, which is
right more often than a range that takes in half the sentence (benchmarks/markup).

An element keeps to its parent's range and away from its siblings' words, so what nested in the source nests here. A
point goes beside the word it stood beside. What finds no word of its own goes empty to the nearest, and is not landed.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from attendo.translation.markup.made_from import THRESHOLD, WORD_CHARACTER, MadeFrom, Range
from attendo.translation.markup.points import Points, after_space, before_space
from attendo.translation.markup.tree import Branch

WEAKEST = 0.2  # an element for which no word reaches the threshold takes the best, if it has so much
MOST_WORK = 300_000  # shares of words in elements; after that only the ends of an element are looked at
LONGEST_NAME = 60
SAYS_ITSELF = re.compile(r"\d|^[^\W\d_a-zß-ÿ]")  # a number, a name: what may stand in the translation as it is


class Spot(NamedTuple):
    """Of an element or a point in the translation."""

    start: int
    end: int
    landed: bool = True


def place(root: Branch, made: MadeFrom) -> dict[int, Spot]:
    """Of each element and point of a passage, by its index."""
    return Placer(made).place(root)


class Placer:
    def __init__(self, made: MadeFrom) -> None:
        self.made = made
        self.points = Points(made)
        self.work = 0

    def place(self, root: Branch) -> dict[int, Spot]:
        whole = Spot(0, len(self.made.target))
        spots = {root.index: whole}
        waiting = [root] if root.children else []
        while waiting:
            branch = waiting.pop()
            self.place_children(branch, spots)
            waiting.extend(child for child in branch.children if child.children)
        return spots

    def place_children(self, parent: Branch, spots: dict[int, Spot]) -> None:
        here = spots[parent.index]
        elements = [child for child in parent.children if self.has_text(child)]
        if here.start == here.end:
            for child in parent.children:
                spots[child.index] = here._replace(landed=not self.has_text(child))
            return
        for child, spot in zip(elements, self.ranges(parent, elements, here), strict=True):
            if spot:
                spots[child.index] = spot
        placed = [(spots[child.index], child.index) for child in elements if child.index in spots]
        taken = sorted((spot.start, spot.end, index) for spot, index in placed)
        starts = [start for start, _, _ in taken]
        low = here.start
        for child in parent.children:
            if child.index in spots:
                continue
            at = min(max(self.points.position(child), here.start), here.end)
            at = max(at, low) if child.is_loose else at
            before = bisect_left(starts, at) - 1
            if before >= 0 and at < taken[before][1]:  # not inside a sibling
                start, end, index = taken[before]
                at = end if child.index > index or start < low else start
            low = at if child.is_loose else low
            spots[child.index] = Spot(at, at, landed=not self.has_text(child))

    def has_text(self, child: Branch) -> bool:
        if not child.is_element or child.start == child.end:
            return False
        return child.end - child.start > 1 or not self.made.source[child.start].isspace()

    # --- elements

    def ranges(self, parent: Branch, elements: Sequence[Branch], here: Spot) -> list[Spot | None]:
        """Of siblings, each its own; None for one that has no word."""
        made = self.made
        if len(elements) == 1 and (elements[0].start, elements[0].end) == (parent.start, parent.end):
            return [here]
        first, last = made.words_in(here.start, here.end)
        shares = [self.shares(child, parent, first, last) for child in elements]
        self.work += sum(map(len, shares))
        owners: dict[int, int] = {}
        for number, inside in enumerate(shares):
            for index, share in inside.items():
                if share > THRESHOLD and first <= index < last:
                    owners.setdefault(index, number)
        found: list[Range | None] = []
        for number, inside in enumerate(shares):
            own = sorted(index for index in inside if owners.get(index) == number)
            if own and self.work >= MOST_WORK and len(elements) == 1:
                found.append((own[0], own[-1] + 1))
            else:
                found.append(self.best_range(own, inside, owners, number))
        if None in found:
            self.settle_for_less(found, shares, set(range(first, last)))
        return self.spots(parent, elements, found, here, (first, last))

    def settle_for_less(self, found: list[Range | None], shares: Sequence[dict[int, float]], free: set[int]) -> None:
        """An element without a word that is rather its own takes the one that is most so, of those that are free."""
        for taken in found:
            free.difference_update(range(*taken) if taken else ())
        for number, inside in enumerate(shares):
            weak = [(share, -index) for index, share in inside.items() if share >= WEAKEST and index in free]
            if found[number] is None and weak:
                index = -max(weak)[1]
                found[number] = index, index + 1
                free.discard(index)

    def shares(self, child: Branch, parent: Branch, first: int, last: int) -> dict[int, float]:
        """How much of each word was made inside an element; all of it, where the element covers its parent, or whole
        sentences, or where its text stands in the translation as it is."""
        made, source, target = self.made, self.made.source, self.made.target
        start, end = child.start, child.end
        if not (made.has_words(parent.start, start) or made.has_words(end, parent.end)):
            return self.all_of(child, first, last)
        if whole := self.sentences(start, end):
            return self.all_of(child, *made.words_in(*whole))
        text = source[start : min(end, start + LONGEST_NAME)].strip()
        if SAYS_ITSELF.search(text) and end - start < LONGEST_NAME and source.count(text) == 1 == target.count(text):
            at = target.index(text)
            begin, until = made.words_in(at, at + len(text))
            named = made.words[begin:until]
            if named and (named[0].start, named[-1].end) == (at, at + len(text)):
                return dict.fromkeys(range(begin, until), 1.0)
        return made.inside(start, end) if self.work < MOST_WORK else made.ends_of(start, end)

    def all_of(self, child: Branch, first: int, last: int) -> dict[int, float]:
        """Every word; signs only if they were made inside."""
        if self.work >= MOST_WORK:
            return self.made.ends_of(child.start, child.end)
        inside = self.made.inside(child.start, child.end)
        return inside | {index: 1.0 for index in range(first, last) if not self.made.is_sign[index]}

    def sentences(self, start: int, end: int) -> tuple[int, int] | None:
        """Where the translation of source[start:end] stands, if these are whole sentences."""
        pairs = self.made.pairs
        if len(pairs) < 2:
            return None
        first = bisect_right(pairs, start, key=lambda pair: pair.end)  # the white space after one is not its own
        last = bisect_left(pairs, end, key=lambda pair: pair.start) - 1
        if first > last or first >= len(pairs) or last < 0:
            return None
        has_words = self.made.has_words
        if has_words(pairs[first].start, max(start, pairs[first].start)):
            return None
        if has_words(min(end, pairs[last].end), pairs[last].end):
            return None
        return pairs[first].target_start, pairs[last].target_end

    def best_range(
        self, own: Sequence[int], inside: dict[int, float], owners: dict[int, int], number: int
    ) -> Range | None:
        """The range with the largest sum of what its words gain; a sibling's word is in none."""
        cost = self.made.cost
        best: tuple[float, int, int] | None = None
        start, score, before = 0, -1.0, -1
        for index in own:
            bridge = cost[index] - cost[before + 1]
            if bridge < score and all(owners.get(hole, number) == number for hole in range(before + 1, index)):
                score += inside[index] - THRESHOLD - bridge
            else:
                start, score = index, inside[index] - THRESHOLD
            before = index
            if best is None or score > best[0]:
                best = score, start, index + 1
        return (best[1], best[2]) if best else None

    def spots(
        self, parent: Branch, elements: Sequence[Branch], found: Sequence[Range | None], here: Spot, limits: Range
    ) -> list[Spot | None]:
        """Ranges of words as ranges of characters, with the signs and spaces at their edges as in the source."""
        made = self.made
        words, target, source = made.words, made.target, made.source
        taken = sorted(one for one in found if one)
        more: set[int] = set()  # signs that an element took besides

        def is_free(index: int, child: Branch) -> bool:
            """A sign that is no other's, and was not made from one outside the element."""
            before = bisect_right(taken, (index, len(words))) - 1
            sources = words[index].sources
            made_inside = not sources or child.start <= sources[0][0] < child.end
            return (
                made.is_sign[index] and made_inside and index not in more and (before < 0 or taken[before][1] <= index)
            )

        spots: list[Spot | None] = []
        for child, one in zip(elements, found, strict=True):
            if one is None:
                spots.append(None)
                continue
            first, last = one
            opens_with_sign = not WORD_CHARACTER.match(source, after_space(source, child.start))
            ends_with_sign = not WORD_CHARACTER.match(source, before_space(source, child.end) - 1)
            while not opens_with_sign and first < last - 1 and made.is_sign[first]:
                first += 1
            while not ends_with_sign and first < last - 1 and made.is_sign[last - 1]:
                last -= 1
            if opens_with_sign and first - 1 >= limits[0] and is_free(first - 1, child):
                first -= 1
            if ends_with_sign and last < limits[1] and is_free(last, child):
                last += 1
            more.update((first, last - 1))
            start, end = words[first].start, words[last - 1].end
            if source[child.start].isspace():
                start = max(here.start, before_space(target, start))
            if source[child.end - 1].isspace():
                end = min(here.end, after_space(target, end))
            if (child.start, child.end) == (parent.start, parent.end):
                start, end = here.start, here.end
            spots.append(Spot(start, end))
        return spots
