"""Many pairs in one row, so that hardly a position is left to padding.

A row has room for `source_width` and `target_width` tokens. The pairs of an epoch, longest first, each go to the row
with the most room left on both sides, which keeps all rows equally full and both sides of a row in step (the rule
"longest processing time first" of scheduling). Rows with equal room are interchangeable and so are pairs of equal
lengths, so the work is done on counts and takes a fraction of a second for a million pairs.
"""

import math
from array import array
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Lengths = NDArray[np.int64]

WIDTH = 256  # tokens in a row: long enough to fill well, short enough that attention across it stays cheap
SPARE = 1.01  # rows to open at first, as a multiple of what a perfect packing would need


@dataclass(frozen=True)
class PackedRows:
    """Indices of examples, row after row: the first counts[0] stand in the first row, and so on.

    Two flat arrays, because an array for each of a million rows would take longer to make than all the rest.
    """

    examples: Lengths
    counts: Lengths


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


def pack(source: Lengths, target: Lengths, widths: Widths, rng: np.random.Generator) -> PackedRows:
    """Which of equally long pairs goes where, and the order of rows, is drawn."""
    if widths.source == 0:  # plain text: the side that is there stands for both
        source, widths = target, Widths(widths.target, widths.target)
    stride = int(target.max()) + 1
    keys, kind_of, counts = distinct(source * stride + target)
    rows = fill(np.stack((keys // stride, keys % stride), axis=1), counts, widths)

    kinds = rows.examples
    shuffled = rng.permutation(len(source))
    examples = np.empty_like(kinds)
    # The n-th slot for a kind of pair goes to the n-th pair of that kind, in an order that was drawn.
    examples[stable_order(kinds)] = shuffled[stable_order(kind_of[shuffled])]
    return shuffle(PackedRows(examples, rows.counts), rng)


def distinct(keys: Lengths) -> tuple[Lengths, Lengths, Lengths]:
    """The keys that there are, which of them each is, and how often each comes: np.unique, without sorting."""
    top = int(keys.max()) + 1
    if top > 2**20 + len(keys):  # a few very long pairs: a table of all that could be is larger than what there is
        return np.unique(keys, return_inverse=True, return_counts=True)
    counts = np.bincount(keys, minlength=top)
    found = np.flatnonzero(counts)
    number = np.empty(top, dtype=np.int64)
    number[found] = np.arange(len(found))
    return found, number[keys], counts[found]


def stable_order(keys: NDArray[np.signedinteger]) -> Lengths:
    """np.argsort(keys, kind="stable") of numbers from 0 to 2**32 - 1, by 16 bits at a time: these numpy sorts in
    linear time, six times as fast."""
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    if int(keys.max(initial=0)) < 2**16:
        return order
    return order[np.argsort((keys[order] >> 16).astype(np.uint16), kind="stable")]


def shuffle(rows: PackedRows, rng: np.random.Generator) -> PackedRows:
    """The same rows in an order that is drawn, the examples of each in one that is drawn, too.

    Rows of equally many examples are sorted together, as the lines of a rectangle.
    """
    place = rng.permutation(len(rows.counts))
    blur = rng.random(len(rows.examples))
    counts = np.empty_like(rows.counts)
    counts[place] = rows.counts
    old = np.cumsum(rows.counts) - rows.counts
    new = (np.cumsum(counts) - counts)[place]
    examples = np.empty_like(rows.examples)
    by_count = np.split(stable_order(rows.counts), np.cumsum(np.bincount(rows.counts))[:-1])
    for count, same in enumerate(by_count):
        columns = np.arange(count)
        order = blur[old[same, None] + columns].argsort(axis=1, kind="stable")
        examples[new[same, None] + columns] = rows.examples[old[same, None] + order]
    return PackedRows(examples, counts)


def fill(classes: NDArray[np.int64], counts: NDArray[np.int64], widths: Widths) -> PackedRows:
    """Rows of classes instead of examples."""
    width = np.array([widths.source, widths.target])
    perfect = ((classes * counts[:, None]).sum(0) / width).max()
    num_rows = math.ceil(perfect * SPARE)
    room = Room(widths)
    room.add((widths.source, widths.target), array("i", range(num_rows)))
    # Every class with every row that gets one of it, in the order in which they were dealt out.
    dealt_rows, dealt_classes, dealt_counts = array("i"), [], []
    longest_first = np.argsort(-(classes / width).sum(1), kind="stable")
    for kind in longest_first.tolist():
        left = int(counts[kind])
        room.look_for(*classes[kind].tolist())
        while left:
            group = room.best()
            if group is None:
                chosen, free = array("i", [num_rows]), (widths.source, widths.target)
                num_rows += 1
            else:
                chosen, free = room.take(group, left)
            dealt_rows.extend(chosen)
            dealt_classes.append(kind)
            dealt_counts.append(len(chosen))
            left -= len(chosen)
            room.add((free[0] - room.length[0], free[1] - room.length[1]), chosen)
    row_of = np.frombuffer(dealt_rows, dtype=np.int32)
    examples = np.repeat(dealt_classes, dealt_counts)[stable_order(row_of)]
    in_each = np.bincount(row_of)
    return PackedRows(examples, in_each[in_each > 0])


class Room:
    """Rows grouped by how much room they have left on each side."""

    def __init__(self, widths: Widths) -> None:
        self.widths = widths
        self.free = np.zeros((2, 1024), dtype=np.int64)  # source and target; a column a group
        self.rows: list[array[int]] = []
        self.where: dict[tuple[int, int], int] = {}
        self.unused: list[int] = []
        self.length = (0, 0)
        self.scores = np.full(1024, -np.inf)  # of each group, for pairs of this length

    def look_for(self, source: int, target: int) -> None:
        """From now on for pairs of this length."""
        self.length = source, target
        count = len(self.rows)
        of_source = (self.free[0, :count] - source) / self.widths.source
        of_target = (self.free[1, :count] - target) / self.widths.target
        least = np.minimum(of_source, of_target)
        self.scores[:count] = np.where(least < 0, -np.inf, least - np.abs(of_source - of_target))

    def score(self, free: tuple[int, int]) -> float:
        """The same of one group."""
        of_source = (free[0] - self.length[0]) / self.widths.source
        of_target = (free[1] - self.length[1]) / self.widths.target
        least = min(of_source, of_target)
        return -math.inf if least < 0 else least - abs(of_source - of_target)

    def best(self) -> int | None:
        """The group with most room after such a pair, and with the two sides most in step."""
        group = int(self.scores.argmax())
        return group if self.scores[group] > -np.inf else None

    def take(self, group: int, most: int) -> tuple["array[int]", tuple[int, int]]:
        """At most so many rows of a group, and the room they have."""
        rows = self.rows[group]
        free = int(self.free[0, group]), int(self.free[1, group])
        chosen = rows[-most:]
        del rows[-most:]
        if not rows:
            del self.where[free]
            self.free[:, group] = -1  # nothing fits into it any more
            self.scores[group] = -np.inf
            self.unused.append(group)
        return chosen, free

    def add(self, free: tuple[int, int], rows: "array[int]") -> None:
        group = self.where.get(free)
        if group is None:
            if self.unused:
                group = self.unused.pop()
            else:
                group = len(self.rows)
                self.rows.append(array("i"))
                if group == self.free.shape[1]:
                    self.free = np.concatenate((self.free, np.zeros_like(self.free)), axis=1)
                    self.scores = np.concatenate((self.scores, np.full_like(self.scores, -np.inf)))
            self.where[free] = group
            self.free[:, group] = free
            self.scores[group] = self.score(free)
        self.rows[group].extend(rows)
