"""Watches a translation for the two ways in which decoders run wild: going round in circles, and not ending.

Only decisions are made here, from ids or characters. What is tried next is described as data (`BACKOFF`), and done by
who decodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import eq
from typing import Literal

# So often must a unit of that many tokens, or characters, come in a row: (longest unit, times). People repeat short
# things, "no, no, no, no", and rarely say a long one three times.
TIMES_OF_TOKENS = ((1, 8), (4, 5), (8, 4), (40, 3))
TIMES_OF_CHARACTERS = ((1, 12), (3, 8), (7, 5), (15, 4), (80, 3))
# Beside a source that repeats itself so often as `times`, a translation may do so 1.25 * times + 2 times.
MORE_THAN_SOURCE = (1.25, 2)


@dataclass(frozen=True)
class Loop:
    """x[start : start + period] comes `times` times in a row (the last may be broken off)."""

    start: int
    period: int
    times: int

    @property
    def end(self) -> int:
        return self.start + self.period * self.times


def find_loop(output: Sequence[int] | str, source: Sequence[int] | str | None = None) -> Loop | None:
    """The longest loop in ids or in a text, anywhere in it; None if there is none, or the source goes as often round.

    Of a unit the shortest form is found: "ha ha ha ha " has period 3.
    """
    thresholds = TIMES_OF_CHARACTERS if isinstance(output, str) else TIMES_OF_TOKENS
    loops = repetitions(output, thresholds)
    if not loops:
        return None
    times = times_repeated(source) if source else 1
    # What comes twice, such as 缓缓 or the l of "all", is no habit of the source.
    allowed = MORE_THAN_SOURCE[0] * times + MORE_THAN_SOURCE[1] if times > 2 else 0
    loops = [loop for loop in loops if loop.times > allowed]
    return max(loops, key=lambda loop: (loop.end - loop.start, -loop.period), default=None)


def times_repeated(text: Sequence[int] | str) -> int:
    """How often the most repeated unit of a text comes in a row; 1 if nothing is repeated."""
    longest_unit = 16 if isinstance(text, str) else 8
    return max((loop.times for loop in repetitions(text, ((longest_unit, 2),))), default=1)


def repetitions(x: Sequence[int] | str, thresholds: Sequence[tuple[int, int]]) -> list[Loop]:
    """For each period the longest stretch in which x equals itself moved by the period, where it is long enough."""
    found: list[Loop] = []
    said_before = len(x) - len(set(pairwise(x)))  # a loop of n places has no more pairs than its unit has places
    if said_before < thresholds[-1][1] - 1:  # too few even for the longest unit, which must come least often
        return found
    shortest = 1
    for longest, times in thresholds:
        # All rounds must find room, and all but the first were said before.
        for period in range(shortest, min(longest, len(x) // times, said_before // (times - 1)) + 1):
            # One byte a place, 1 where x[i] == x[i + period]: the runs of ones are found at the speed of C.
            same = bytes(map(eq, x[period:], x))
            if (run := longest_run(same, period * (times - 1))) is not None:
                start, length = run
                found.append(Loop(start, period, length // period + 1))
        shortest = longest + 1
    return found


def longest_run(same: bytes, at_least: int) -> tuple[int, int] | None:
    """Where the longest run of ones begins, and its length, if it has `at_least` so many."""
    best: tuple[int, int] | None = None
    place = same.find(b"\1" * at_least)
    while place >= 0:
        end = same.find(b"\0", place)
        end = len(same) if end < 0 else end
        if best is None or end - place > best[1]:
            best = place, end - place
        place = same.find(b"\1" * at_least, end)
    return best


@dataclass(frozen=True)
class Backoff:
    """One thing to try when a translation runs wild."""

    kind: Literal["block_ngrams", "other_beam", "copy"]
    no_repeat_ngram: int = 0  # tokens; 0 forbids nothing
    beam: int | None = None  # None keeps the beam that was asked for
    remark: str = ""


# In this order, each only if the one before ran wild too; copying the source always ends.
BACKOFF = (
    Backoff("block_ngrams", no_repeat_ngram=4, remark="decoded again without repeated 4-grams"),
    Backoff("other_beam", no_repeat_ngram=3, beam=6, remark="decoded again with beam 6 without repeated 3-grams"),
    Backoff("other_beam", no_repeat_ngram=2, beam=1, remark="decoded again greedily without repeated 2-grams"),
    Backoff("copy", remark="left untranslated: no way of decoding helped"),
)
