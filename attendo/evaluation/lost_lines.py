"""Where a file has lost lines: where its lines fit the other file's better if they are moved.

Before the place line n is like line n of the other file, and behind it like line n + k: the place where the sum of both
is largest is the one. Likeness is that of letters, so both files must be in one language, as a translation and its
reference are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

BETTER_THAN_CHANCE = 1.5  # times as like as lines that have nothing to do with each other
BETTER_THAN_STRAIGHT = 2.0
FEWEST = 20  # lines behind a place from which on lines are shifted
MOST = 100_000  # lines that are compared


@dataclass(frozen=True)
class Fit:
    """Two files, the longer one without some lines in a row."""

    place: int  # of the first of these lines, from 0
    likeness: float  # of all lines that are left, the mean
    straight: float  # of the lines behind the place, if they are not moved: the sum
    moved: float  # and if they are


def where_lines_were_lost(one: Sequence[str], other: Sequence[str], name: str, other_name: str) -> str:
    """Of two files of unequal length, the end of a sentence on where lines are missing; empty if nobody can tell."""
    if len(one) > len(other):
        one, other, name, other_name = other, one, other_name, name
    lost = len(other) - len(one)
    if lost > len(one) or len(one) > MOST:
        return ""
    fit = best_fit(one, other)
    if fit.likeness <= BETTER_THAN_CHANCE * chance(one, other):
        return ""
    lines = f"line {fit.place + 1:,}" if lost == 1 else f"lines {fit.place + 1:,}-{fit.place + lost:,}"
    return f"; they fit best if {name} has lost what belongs to {lines} of {other_name}, or near there"


def where_lines_are_shifted(hypotheses: Sequence[str], references: Sequence[str]) -> list[str]:
    """Of two files of equal length: a line lost in the middle, and another added at the end."""
    if len(hypotheses) > MOST:
        return []
    by_chance = chance(hypotheses, references)
    for one, other, side in ((hypotheses, references, "hypotheses"), (references, hypotheses, "references")):
        fit = best_fit(one[:-1], other)
        behind = len(one) - 1 - fit.place
        if behind >= FEWEST and fit.moved > max(
            BETTER_THAN_STRAIGHT * fit.straight, BETTER_THAN_CHANCE * behind * by_chance
        ):
            return [
                f"from about line {fit.place + 1:,} on the lines fit better if the {side} are moved down by one: "
                f"has a line been lost there?"
            ]
    return []


def best_fit(one: Sequence[str], other: Sequence[str]) -> Fit:
    """`other` has more lines."""
    lost = len(other) - len(one)
    before = list(accumulate((overlap(*pair) for pair in zip(one, other, strict=False)), initial=0.0))
    behind = list(accumulate((overlap(*pair) for pair in zip(one, other[lost:], strict=True)), initial=0.0))
    fits = [straight + behind[-1] - moved for straight, moved in zip(before, behind, strict=True)]
    place = max(range(len(fits)), key=fits.__getitem__)
    return Fit(place, fits[place] / max(len(one), 1), before[-1] - before[place], behind[-1] - behind[place])


def chance(one: Sequence[str], other: Sequence[str]) -> float:
    """How like each other lines are that do not belong together: those half a file apart."""
    far = [*other[len(other) // 2 :], *other[: len(other) // 2]]
    return sum(overlap(*pair) for pair in zip(one, far, strict=False)) / max(len(one), 1)


def overlap(text: str, other: str) -> float:
    """Pairs of characters that both have: 2 |a ∩ b| / (|a| + |b|)."""
    a, b = pairs_of(text), pairs_of(other)
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0


def pairs_of(text: str) -> set[str]:
    text = "".join(text.lower().split())
    return {text[place : place + 2] for place in range(len(text) - 1)} or {text} - {""}
