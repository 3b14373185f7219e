"""Blocks in which line n is paired with the translation of line n + k: the sort of damage that no single line shows.

A line's gain from a shift k is how much better its source predicts the target k lines below than its own. In a good
stretch every gain is deeply negative; in a shifted block it is positive line after line. Of all stretches we take
those with the largest sum of gains.
"""

from dataclasses import dataclass

import numpy as np

from attendo.doctor.pairing import Floats, Ints, Pairing

LARGEST_SHIFT = 3
WINDOW = 8  # lines; where as many in a row predict each other badly, a shift is looked for …
BAD = 0.6  # … badly: by less than this share of what a right partner is usually worth
AROUND = 40  # lines before and after such a window are examined as well
PENALTY = 0.3  # of a right partner's usual worth: what a line must gain to count as shifted
DROP = 6.0  # right partners' worth: a stretch ends when the sum of gains has fallen by so much from its height
FEWEST_LINES = 4
CLEAR_GAIN = 0.5  # of a right partner's usual worth, on average over the stretch
CLEAR_TOTAL = 120.0  # nats over the stretch, for corpora of single words, where nothing is worth much
NOT_A_NEIGHBOUR = -1e9


@dataclass(frozen=True)
class Block:
    """Rows first … last (both included), whose sources belong to the targets `shift` rows below."""

    first: int
    last: int
    shift: int
    gain: float


def find_shifted_blocks(pairing: Pairing, own: Floats, strangers: Floats, lines: Ints) -> list[Block]:
    """Blocks in order of their rows. `lines` tells which rows are neighbours: those whose lines are.

    `own` are the rows' scores with their own partners, `strangers` with targets that have nothing to do with them.
    """
    nothing = float(np.median(strangers))
    usual = float(np.median(own)) - nothing  # what a right partner is worth
    rows = suspicious_rows(own, nothing + BAD * usual)
    if usual <= 0 or len(rows) == 0:
        return []
    blocks: list[Block] = []
    for shift, gain in gains(pairing, own, lines, rows).items():
        found = stretches(gain - PENALTY * usual, DROP * usual)
        candidates = [Block(first, last, shift, total) for first, last, total in found]
        blocks += [block for block in candidates if is_clear(block, gain, usual)]
    apart: list[Block] = []
    for block in sorted((with_its_orphans(block, lines) for block in blocks), key=lambda block: -block.gain):
        if all(block.last < other.first or other.last < block.first for other in apart):
            apart.append(block)
    return sorted(apart, key=lambda block: block.first)


def suspicious_rows(own: Floats, limit: float) -> Ints:
    """Rows near a window whose mean score is below the limit."""
    window = min(WINDOW, len(own))
    sums = np.cumsum(np.concatenate([[0.0], own]))
    low = (sums[window:] - sums[:-window]) / window < limit
    near = np.zeros(len(own), dtype=bool)
    for start in np.flatnonzero(low):
        near[max(0, start - AROUND) : start + window + AROUND] = True
    return np.flatnonzero(near)


def gains(pairing: Pairing, own: Floats, lines: Ints, suspicious: Ints) -> dict[int, Floats]:
    """For each shift, [all rows] what a row would gain by it; hopeless where it was not asked or has no neighbour."""
    shift = np.repeat([k for size in range(1, LARGEST_SHIFT + 1) for k in (size, -size)], len(suspicious))
    rows = np.resize(suspicious, len(shift))
    inside = (rows + shift >= 0) & (rows + shift < len(own))
    rows, shift = rows[inside], shift[inside]
    neighbours = lines[rows + shift] - lines[rows] == shift
    rows, shift = rows[neighbours], shift[neighbours]
    gain = pairing.scores(rows, rows + shift) - own[rows]
    of_shift = {}
    for k in np.unique(shift).tolist():
        of_shift[k] = np.full(len(own), NOT_A_NEIGHBOUR)
        of_shift[k][rows[shift == k]] = gain[shift == k]
    return of_shift


def stretches(gain: Floats, drop: float) -> list[tuple[int, int, float]]:
    """(first, last, sum) of each stretch whose sum of gains is as large as can be (Kadane's algorithm).

    A stretch is closed when its sum has fallen by `drop` from its height, so that two blocks stay two.
    """
    found: list[tuple[int, int, float]] = []
    start, height, top, total = 0, 0.0, -1, 0.0
    for row, value in enumerate(gain.tolist()):
        total += value
        if total > height:
            height, top = total, row
        if total <= 0 or height - total > drop:
            if top >= start:
                found.append((start, top, height))
            start, height, top, total = row + 1, 0.0, row, 0.0
    if top >= start:
        found.append((start, top, height))
    return found


def is_clear(block: Block, gain: Floats, usual: float) -> bool:
    """Long, with a clear gain on average, and on most of its lines."""
    inside = gain[block.first : block.last + 1]
    long_enough = len(inside) >= FEWEST_LINES and block.gain > CLEAR_TOTAL
    return long_enough and inside.mean() > CLEAR_GAIN * usual and float((inside > 0).mean()) > 0.7


def with_its_orphans(block: Block, lines: Ints) -> Block:
    """The rows whose targets belong to this block's sources are damaged as well."""
    first, last = block.first + min(0, block.shift), block.last + max(0, block.shift)
    first, last = max(first, 0), min(last, len(lines) - 1)
    return Block(first, last, block.shift, block.gain)
