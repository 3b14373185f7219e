"""Batches of an epoch, drawn from weighted corpora: a pure function of (seed, epoch), so a position is two numbers.

A model of attention gets packed rows (packing.py), every batch of one shape. A recurrent model cannot, so it gets one
pair a row, pairs of like lengths together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attendo.data.batch import Batch
from attendo.data.packing import Widths, pack, row_widths
from attendo.data.parts import Part
from attendo.data.sheet import Numbers, Sheet, gather
from attendo.errors import ConfigError, DataError
from attendo.special_tokens import SPECIAL

Rows = list[Numbers]  # example numbers, a row each


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
    """Where batches come from; the same settings give the same batches."""

    parts: Sequence[Part]
    tokens_per_batch: int  # places for tokens on the wider side, padding included
    seed: int
    packed: bool = True

    def __post_init__(self) -> None:
        if not sum(map(len, self.parts)):
            raise DataError("no pairs to train on: every corpus is empty, or its filters dropped all")
        if self.seed < 0 or self.tokens_per_batch < 1:
            raise ConfigError(
                f"seed = {self.seed} and tokens_per_batch = {self.tokens_per_batch}: expected at least 0 and 1"
            )

    def stream(self, position: Position, rank: int = 0, world: int = 1) -> Iterator[tuple[Batch, Position]]:
        """Batches without end from a position on, each with the position behind it.

        Of every `world` batches in a row each rank gets one. At the end of an epoch some ranks may have one more, so
        each rank has a position of its own.
        """
        number, start = position.epoch, position.batch
        while True:
            epoch = self.epoch(number)
            own = epoch.plan[rank::world]
            if epoch.plan and not own:
                raise DataError(f"{len(epoch.plan)} batches an epoch cannot be shared among {world} processes")
            for place in range(start, len(own)):
                behind = Position(number, place + 1) if place + 1 < len(own) else Position(number + 1, 0)
                yield epoch.assemble(own[place]), behind
            number, start = number + 1, 0

    def epoch(self, number: int) -> "Epoch":
        parts = [part.in_epoch(self.seed, number) for part in self.parts]
        first = first_examples(parts)
        numbers = [part.numbers(self.seed, number) + first[place] for place, part in enumerate(parts)]
        examples = np.concatenate(numbers)
        if len(examples) == 0:  # of a corpus of 40 pairs with weight 0.01 most epochs get none
            return Epoch(parts, [], self.packed)
        source, target = (lengths[examples] for lengths in lengths_of(parts))
        rng = np.random.default_rng([self.seed, number])
        if self.packed:
            plan = plan_packed(source, target, self.widths(), self.tokens_per_batch, rng)
        else:
            plan = plan_single(source, target, self.tokens_per_batch, rng)
        return Epoch(parts, [replace(batch, rows=[examples[row] for row in batch.rows]) for batch in plan], self.packed)

    def widths(self) -> Widths:
        """Those of the whole corpora, so that epochs do not differ in shape because of what was drawn for them."""
        return row_widths(*lengths_of(self.parts))


@dataclass(frozen=True)
class Epoch:
    parts: Sequence[Part]
    plan: list[Planned]
    packed: bool

    def assemble(self, planned: Planned) -> Batch:
        examples = np.concatenate(planned.rows)
        row = np.repeat(np.arange(len(planned.rows)), [len(numbers) for numbers in planned.rows])
        first = first_examples(self.parts)
        part = np.searchsorted(first, examples, side="right") - 1
        source = gather([one.source for one in self.parts], part, examples - first[part])
        target = gather([one.target for one in self.parts], part, examples - first[part])
        source_sheet = Sheet.laid_out(planned.num_rows, planned.widths.source, row, source.lengths + 2)
        target_sheet = Sheet.laid_out(planned.num_rows, planned.widths.target, row, target.lengths + 1)
        tags = np.array([one.tag for one in self.parts])[part]
        segment = np.concatenate([np.arange(1, len(numbers) + 1) for numbers in planned.rows])
        return Batch(
            source=source_sheet.written(source, at=1, first=tags, last=SPECIAL.eos),
            target_in=target_sheet.written(target, at=1, first=SPECIAL.bos),
            target_out=target_sheet.written(target, at=0, last=SPECIAL.eos),
            num_target_tokens=int(target_sheet.lengths.sum()),
            segments=(source_sheet.numbered(segment), target_sheet.numbered(segment)) if self.packed else None,
        )


def first_examples(parts: Sequence[Part]) -> Numbers:
    """Examples are numbered through all parts: where each part begins, and where the last ends."""
    return np.cumsum([0, *map(len, parts)])


def lengths_of(parts: Sequence[Part]) -> tuple[Numbers, Numbers]:
    """With tag and </s> on the source side, and <s> or </s> on the target side."""
    source = np.concatenate([part.source.lengths for part in parts]) + 2
    target = np.concatenate([part.target.lengths for part in parts]) + 1
    return source, target


def plan_packed(
    source: Numbers, target: Numbers, widths: Widths, tokens_per_batch: int, rng: np.random.Generator
) -> list[Planned]:
    """Rows cut into batches of one shape; only the last may have empty rows."""
    widths = widths.at_least(int(source.max()), int(target.max()))
    num_rows = max(1, tokens_per_batch // max(widths.source, widths.target))
    rows = pack(source, target, widths, rng)
    return [Planned(rows[start : start + num_rows], widths, num_rows) for start in range(0, len(rows), num_rows)]


def plan_single(source: Numbers, target: Numbers, tokens_per_batch: int, rng: np.random.Generator) -> list[Planned]:
    """One pair a row: sorted by length, chance deciding among neighbours, cut where the next pair would not fit."""
    blur = rng.random(len(source))
    order = np.lexsort((source + blur, (target + 2 * blur).astype(np.int64)))
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
