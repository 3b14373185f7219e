"""Many pairs in one row, so that hardly a position is left to padding.

A row has room for `source_width` and `target_width` tokens. The pairs of an epoch, longest first, each go to the row
with the most room left on both sides, which keeps all rows equally full and both sides of a row in step (the rule
"longest processing time first" of scheduling). Rows with equal room are interchangeable and so are pairs of equal
lengths, so the work is done on counts and takes a fraction of a second for a million pairs.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Lengths = NDArray[np.int64]

WIDTH = 256  # tokens in a row: long enough to fill well, short enough that attention across it stays cheap
SPARE = 1.01  # rows to open at first, as a multiple of what a perfect packing would need


@dataclass(frozen=True)
class Widths:
    source: int
    target: int

    def at_least(self, source: int, target: int) -> "Widths":
        """Wider only where a sentence needs it."""
        return Widths(max(self.source, 8 * math.ceil(source / 8)), max(self.target, 8 * math.ceil(target / 8)))


def row_widths(source: Lengths, target: Lengths, width: int = WIDTH) -> Widths:
    """About `width` tokens, more where the longest sentence needs more, such that both sides fill at the same pace.

    Multiples of 8, as tensor cores like them; of those a little wider than asked for, the pair nearest to the ratio of
    the two sides, because what one side has too much of is padding in every row.
    """
    if not source.any():  # plain text has no source
        return Widths(0, 8 * math.ceil(max(width, target.max()) / 8))
    ratio = source.sum() / target.sum()
    least = max(width, target.max(), source.max() / ratio)
    targets = 8 * np.arange(math.ceil(least / 8), math.ceil(least * 1.25 / 8) + 1)
    sources = np.maximum(8 * np.round(targets * ratio / 8), 8 * math.ceil(source.max() / 8)).astype(np.int64)
    nearest = int(np.abs(sources / targets - ratio).argmin())
    return Widths(int(sources[nearest]), int(targets[nearest]))


def pack(source: Lengths, target: Lengths, widths: Widths, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Rows of indices of examples. Which of equally long pairs goes where, and the order of rows, is drawn."""
    if widths.source == 0:  # plain text: the side that is there stands for both
        source, widths = target, Widths(widths.target, widths.target)
    stride = int(target.max()) + 1
    keys, kind_of, counts = np.unique(source * stride + target, return_inverse=True, return_counts=True)
    rows = fill(np.stack((keys // stride, keys % stride), axis=1), counts, widths)

    kinds = np.concatenate(rows)
    shuffled = rng.permutation(len(source))
    examples = np.empty_like(kinds)
    # The n-th slot for a kind of pair goes to the n-th pair of that kind, in an order that was drawn.
    examples[np.argsort(kinds, kind="stable")] = shuffled[np.argsort(kind_of[shuffled], kind="stable")]
    row_of = np.repeat(rng.permutation(len(rows)), [len(row) for row in rows])
    order = np.lexsort((rng.random(len(examples)), row_of))
    return np.split(examples[order], np.cumsum(np.bincount(row_of))[:-1])


def fill(classes: NDArray[np.int64], counts: NDArray[np.int64], widths: Widths) -> list[list[int]]:
    """Rows as lists of classes."""
    width = np.array([widths.source, widths.target])
    perfect = ((classes * counts[:, None]).sum(0) / width).max()
    rows: list[list[int]] = [[] for _ in range(math.ceil(perfect * SPARE))]
    room = Room(width)
    room.add((widths.source, widths.target), list(range(len(rows))))
    longest_first = np.argsort(-(classes / width).sum(1), kind="stable")
    for kind in longest_first.tolist():
        length, left = classes[kind], int(counts[kind])
        while left:
            group = room.best(length)
            if group is None:
                rows.append([])
                chosen, free = [len(rows) - 1], width
            else:
                chosen, free = room.take(group, left)
            for row in chosen:
                rows[row].append(kind)
            left -= len(chosen)
            room.add((int(free[0] - length[0]), int(free[1] - length[1])), chosen)
    return [row for row in rows if row]


class Room:
    """Rows grouped by how much room they have left on each side."""

    def __init__(self, width: NDArray[np.int64]) -> None:
        self.width = width
        self.free = np.zeros((2, 1024), dtype=np.int64)  # source and target; a column a group
        self.rows: list[list[int]] = []
        self.where: dict[tuple[int, int], int] = {}
        self.unused: list[int] = []

    def best(self, length: NDArray[np.int64]) -> int | None:
        """The group with most room after this pair, and with the two sides most in step."""
        source = (self.free[0, : len(self.rows)] - length[0]) / self.width[0]
        target = (self.free[1, : len(self.rows)] - length[1]) / self.width[1]
        least = np.minimum(source, target)
        score = np.where(least < 0, -np.inf, least - np.abs(source - target))
        group = int(score.argmax())
        return group if score[group] > -np.inf else None

    def take(self, group: int, most: int) -> tuple[list[int], NDArray[np.int64]]:
        """At most so many rows of a group, and the room they have."""
        rows = self.rows[group]
        chosen, free = rows[-most:], self.free[:, group].copy()
        del rows[-most:]
        if not rows:
            del self.where[int(free[0]), int(free[1])]
            self.free[:, group] = -1  # nothing fits into it any more
            self.unused.append(group)
        return chosen, free

    def add(self, free: tuple[int, int], rows: list[int]) -> None:
        group = self.where.get(free)
        if group is None:
            if self.unused:
                group = self.unused.pop()
            else:
                group = len(self.rows)
                self.rows.append([])
                if group == self.free.shape[1]:
                    self.free = np.concatenate((self.free, np.zeros_like(self.free)), axis=1)
            self.where[free] = group
            self.free[:, group] = free
        self.rows[group].extend(rows)
