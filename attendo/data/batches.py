"""Batches of an epoch, drawn from weighted corpora: a pure function of (seed, epoch), so a position is two numbers.

A model of attention gets packed rows (packing.py), every batch of one shape. A recurrent model cannot, so it gets one
pair a row, pairs of like lengths together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attendo.data.batch import Batch
from attendo.data.encoded import Side
from attendo.data.packing import Widths, pack, row_widths
from attendo.data.sheet import Numbers, Sheet, gather
from attendo.errors import ConfigError, DataError
from attendo.special_tokens import SPECIAL

Rows = list[Numbers]  # example numbers, a row each


@dataclass(frozen=True)
class Part:
    """A corpus in one direction: the tag names the language of its target. Weight 2 means every pair twice an epoch."""

    source: Side
    target: Side
    tag: int
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.weight <= 1000:
            raise ConfigError(f"weight = {self.weight} of a corpus: expected a number above 0 and at most 1000")

    def numbers(self, seed: int, epoch: int) -> Numbers:
        """Its pairs in this epoch. Of a fraction of the corpus each epoch takes the next, until all had their turn."""
        count = len(self.source)
        whole = int(self.weight)
        some = round((self.weight - whole) * count)
        turn = np.arange((epoch - 1) * some, epoch * some) % max(1, count)
        order = np.random.default_rng([seed, count]).permutation(count)
        return np.concatenate((np.tile(np.arange(count), whole), order[turn]))


@dataclass(frozen=True)
class Position:
    """Where to go on: the next batch of this rank in this epoch. Epochs count from 1, batches from 0."""

    epoch: int = 1
    batch: int = 0


@dataclass(frozen=True)
class Planned:
    """One batch before it is put together."""

    rows: Rows
    widths: Widths
    num_rows: int  # rows beyond those there are stay empty, so that the last batch has the shape of the others


@dataclass(frozen=True)
class Batches:
    parts: Sequence[Part]
    tokens_per_batch: int  # places for tokens on the wider side, padding included
    seed: int
    packed: bool = True

    def __post_init__(self) -> None:
        if not sum(len(part.source) for part in self.parts):
            raise DataError("no pairs to train on: every corpus is empty, or its filters dropped all")

    def epoch(self, epoch: int) -> list[Planned]:
        """All batches of an epoch, in order."""
        examples = self.examples(epoch)
        source, target = self.lengths(examples)
        rng = np.random.default_rng([self.seed, epoch])
        if self.packed:
            plan = plan_packed(source, target, self.tokens_per_batch, rng)
        else:
            plan = plan_single(source, target, self.tokens_per_batch, rng)
        return [Planned([examples[row] for row in batch.rows], batch.widths, batch.num_rows) for batch in plan]

    def stream(self, position: Position, rank: int = 0, world: int = 1) -> Iterator[tuple[Batch, Position]]:
        """Batches without end from a position on, each with the position behind it.

        Of every `world` batches in a row each rank gets one; at the end of an epoch some ranks may have one more.
        """
        epoch, start = position.epoch, position.batch
        while True:
            own = self.epoch(epoch)[rank::world]
            for number in range(start, len(own)):
                last = number + 1 == len(own)
                yield self.assemble(own[number]), Position(epoch + 1, 0) if last else Position(epoch, number + 1)
            epoch, start = epoch + 1, 0

    def examples(self, epoch: int) -> Numbers:
        """Numbers that run through all parts, one behind the other."""
        first = self.first_examples()
        return np.concatenate([part.numbers(self.seed, epoch) + first[n] for n, part in enumerate(self.parts)])

    def first_examples(self) -> Numbers:
        return np.cumsum([0, *(len(part.source) for part in self.parts)])

    def lengths(self, examples: Numbers) -> tuple[Numbers, Numbers]:
        """With tag and </s> on the source side, and <s> or </s> on the target side."""
        source = np.concatenate([part.source.lengths for part in self.parts]) + 2
        target = np.concatenate([part.target.lengths for part in self.parts]) + 1
        return source[examples], target[examples]

    def assemble(self, planned: Planned) -> Batch:
        examples = np.concatenate(planned.rows)
        row = np.repeat(np.arange(len(planned.rows)), [len(numbers) for numbers in planned.rows])
        segment = np.concatenate([np.arange(1, len(numbers) + 1) for numbers in planned.rows])
        part = np.searchsorted(self.first_examples(), examples, side="right") - 1
        pair = examples - self.first_examples()[part]

        source = gather([p.source for p in self.parts], part, pair)
        target = gather([p.target for p in self.parts], part, pair)
        source_sheet = Sheet.laid_out(planned.num_rows, planned.widths.source, row, source.lengths + 2)
        target_sheet = Sheet.laid_out(planned.num_rows, planned.widths.target, row, target.lengths + 1)
        tags = np.array([p.tag for p in self.parts])[part]
        return Batch(
            source=source_sheet.written(source, at=1, first=tags, last=SPECIAL.eos),
            target_in=target_sheet.written(target, at=1, first=SPECIAL.bos),
            target_out=target_sheet.written(target, at=0, last=SPECIAL.eos),
            num_target_tokens=int(target_sheet.lengths.sum()),
            segments=(source_sheet.numbered(segment), target_sheet.numbered(segment)) if self.packed else None,
        )


def plan_packed(source: Numbers, target: Numbers, tokens_per_batch: int, rng: np.random.Generator) -> list[Planned]:
    """Rows cut into batches of one shape; only the last may have empty rows."""
    widths = row_widths(source, target)
    num_rows = max(1, tokens_per_batch // max(widths.source, widths.target))
    rows = pack(source, target, widths, rng)
    return [Planned(rows[start : start + num_rows], widths, num_rows) for start in range(0, len(rows), num_rows)]


def plan_single(source: Numbers, target: Numbers, tokens_per_batch: int, rng: np.random.Generator) -> list[Planned]:
    """One pair a row: sorted by length, chance deciding among neighbours, cut where the next pair would not fit."""
    blur = rng.random(len(source))
    order = np.lexsort((source + blur, target + 2 * blur))
    batches, start, longest = [], 0, np.maximum(source, target)[order]
    widest = 0
    for place, length in enumerate(longest.tolist()):
        if place > start and max(widest, length) * (place + 1 - start) > tokens_per_batch:
            batches.append(order[start:place])
            start, widest = place, 0
        widest = max(widest, length)
    batches.append(order[start:])
    return [
        Planned([*batch[:, None]], Widths(int(source[batch].max()), int(target[batch].max())), len(batch))
        for batch in (batches[place] for place in rng.permutation(len(batches)))
    ]
