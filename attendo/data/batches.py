"""Batches of an epoch, drawn from weighted corpora: a pure function of (seed, epoch), so a position is two numbers.

A model of attention gets packed rows (packing.py), every batch of one shape. A recurrent model cannot, so it gets one
pair a row, pairs of like lengths together.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import torch

from attendo.data.batch import Batch
from attendo.data.encoded import EncodedSide, GatheredSentences, Indices, ranges
from attendo.data.joined_sides import JoinedSides
from attendo.data.meanwhile import GoOn, Meanwhile, go_on
from attendo.data.packing import Widths, pack, row_widths, stable_order
from attendo.errors import ConfigError, DataError
from attendo.special_tokens import SPECIAL
from attendo.text.bpe_dropout import BpeDropout
from attendo.text.tokenizer import Tokenizer

NO_TAG = -1  # in the place of a tag, where a model has one target language and has learnt none


@dataclass(frozen=True)
class WeightedCorpus:
    """A corpus in one direction: the tag names the language of its target. Weight 2 means every pair twice an epoch.

    Plain text has no tag: its source is empty, and each text is a target. NO_TAG: pairs of a model that reads none.
    `indices` are the pairs that may be drawn, at least one; None: all. The others are held out.
    """

    source: EncodedSide
    target: EncodedSide
    tag: int | None
    weight: float = 1.0
    indices: Indices | None = None

    def __post_init__(self) -> None:
        if not 0 < self.weight <= 1000:
            raise ConfigError(f"weight = {self.weight} of a corpus: expected a number above 0 and at most 1000")
        if self.indices is not None:
            if len(self.indices) == 0:
                raise DataError("no pairs of a corpus may be drawn: all are held out")
            if self.indices.min() < 0 or self.indices.max() >= len(self):
                raise ValueError(f"indices of a corpus of {len(self)} pairs are numbered from 0 to {len(self) - 1}")

    def __len__(self) -> int:
        return len(self.source)

    @property
    def source_lengths(self) -> Indices:
        """With tag and </s>; plain text has neither."""
        return self.source.lengths + num_controls(self.tag)

    def source_row(self, index: int) -> list[int]:
        """What a model reads of a pair: tag, pieces, </s>; of plain text nothing."""
        if self.tag is None:
            return []
        return [*([] if self.tag == NO_TAG else [self.tag]), *self.source[index], SPECIAL.eos]

    def draw(self, seed: int, epoch: int) -> Indices:
        """Indices of its pairs in this epoch; of a fraction of the corpus each epoch takes the next, in turn."""
        indices = np.arange(len(self)) if self.indices is None else self.indices
        count = len(indices)
        whole = int(self.weight)
        some = (self.weight - whole) * count  # a number of pairs that need not be whole, so counted from the start
        turn = np.arange(math.floor((epoch - 1) * some + 1e-9), math.floor(epoch * some + 1e-9)) % max(1, count)
        order = np.random.default_rng([seed, count]).permutation(count)
        return np.concatenate((np.tile(indices, whole), indices[order[turn]]))

    def in_epoch(self, seed: int, epoch: int, check: GoOn = go_on) -> "WeightedCorpus":
        """The ids to use in this epoch."""
        return self


@dataclass(frozen=True, kw_only=True)
class DropoutCorpus(WeightedCorpus):
    """With BPE-dropout, tokenized anew in every epoch: the tokenizer loses nothing, so the ids give the text back."""

    tokenizer: Tokenizer
    rate: float

    def in_epoch(self, seed: int, epoch: int, check: GoOn = go_on) -> WeightedCorpus:
        dropout = BpeDropout(self.tokenizer, self.rate)
        source = encode_anew(self.source, self.tokenizer, dropout, seed, epoch, first=0, check=check)
        target = encode_anew(self.target, self.tokenizer, dropout, seed, epoch, first=1, check=check)
        return replace(self, source=source, target=target)


def encode_anew(
    side: EncodedSide, tokenizer: Tokenizer, dropout: BpeDropout, seed: int, epoch: int, first: int, check: GoOn = go_on
) -> EncodedSide:
    """Every sentence with other merges left out; sources have the even numbers of the draw, targets the odd ones."""
    sentences = []
    for index in range(len(side)):
        check()
        sentences.append(dropout.encode(tokenizer.decode(side[index]), seed, epoch, 2 * index + first))
    starts = np.cumsum([0, *map(len, sentences)])
    ids = np.fromiter((token for sentence in sentences for token in sentence), dtype=side.ids.dtype)
    return EncodedSide(ids, starts)


@dataclass(frozen=True)
class Position:
    """Where to go on: the next batch of this rank in this epoch. Epochs count from 1, batches from 0."""

    epoch: int = 1
    batch: int = 0


@dataclass(frozen=True)
class PlannedBatch:
    """One batch before it is put together."""

    examples: Indices  # row after row
    counts: Indices  # of examples in each row
    widths: Widths
    num_rows: int  # rows beyond those there are stay empty, so that the last batch has the shape of the others


@dataclass(frozen=True)
class Batches:
    """Where batches come from; the same settings give the same batches."""

    corpora: Sequence[WeightedCorpus]
    tokens_per_batch: int  # tokens on the wider side, padding included
    seed: int
    packed: bool = True
    plans_ahead: bool = False  # the next epoch, in a thread, while one is streamed: for training, which goes on to it

    def __post_init__(self) -> None:
        if not sum(map(len, self.corpora)):
            raise DataError("no pairs to train on: every corpus is empty, or its filters dropped all")
        if len({corpus.tag is None for corpus in self.corpora}) == 2:
            raise ConfigError("some corpora are pairs and some are plain text: expected all to be one or the other")
        if self.seed < 0 or self.tokens_per_batch < 1:
            wrong = f"seed = {self.seed} and tokens_per_batch = {self.tokens_per_batch}"
            raise ConfigError(f"{wrong}: expected at least 0 and 1")

    def stream(self, position: Position, rank: int = 0, world: int = 1) -> Iterator[tuple[Batch, Position]]:
        """Batches without end from a position on, each with the position after it.

        Of every `world` batches in a row each rank gets one. At the end of an epoch some ranks may have one more, so
        each rank has a position of its own.
        """
        epoch, start = position.epoch, position.batch
        batches = self.epoch(epoch)
        while True:
            with self.planned(epoch + 1) as following:
                own = batches.plan[rank::world]
                if batches.plan and not own:
                    raise DataError(f"{len(batches.plan)} batches an epoch cannot be shared among {world} processes")
                for index in range(start, len(own)):
                    after = Position(epoch, index + 1) if index + 1 < len(own) else Position(epoch + 1, 0)
                    yield batches.assemble(own[index]), after
                batches = following()
            epoch, start = epoch + 1, 0

    @contextmanager
    def planned(self, epoch: int) -> Iterator[Callable[[], "Epoch"]]:
        """Gives the plan of an epoch when it is asked for; if wanted, it is made meanwhile."""
        plan = partial(self.epoch, epoch)
        if not self.plans_ahead:
            yield plan
            return
        with Meanwhile(plan) as made:
            yield made.get

    def epoch(self, epoch: int, check: GoOn = go_on) -> "Epoch":
        """The batches of an epoch, planned but not yet put together."""
        corpora = [corpus.in_epoch(self.seed, epoch, check) for corpus in self.corpora]
        check()
        first = first_examples(corpora)
        drawn = [corpus.draw(self.seed, epoch) + first[index] for index, corpus in enumerate(corpora)]
        examples = np.concatenate(drawn)
        plan: list[PlannedBatch] = []
        if len(examples):  # of a corpus of 40 pairs with weight 0.01 most epochs get none
            source, target = (lengths[examples] for lengths in lengths_of(corpora))
            rng = np.random.default_rng([self.seed, epoch])
            if self.packed:
                plan = plan_packed(source, target, self.widths, self.tokens_per_batch, rng)
            else:
                plan = plan_single(source, target, self.tokens_per_batch, rng)
            plan = [replace(batch, examples=examples[batch.examples]) for batch in plan]
        same = all(one is corpus for one, corpus in zip(corpora, self.corpora, strict=True))
        sentences = self.sentences if same else sentences_of(corpora)
        return Epoch(sentences, first, [corpus.tag for corpus in corpora], plan, self.packed)

    @cached_property
    def widths(self) -> Widths:
        """Those of the whole corpora, so that epochs do not differ in shape because of what was drawn for them."""
        return row_widths(*lengths_of(self.corpora))

    @cached_property
    def sentences(self) -> JoinedSides:
        """Those of all epochs, unless each has its own."""
        return sentences_of(self.corpora)


@dataclass(frozen=True)
class Epoch:
    """The batches of one epoch as indices; `assemble` makes tensors of one."""

    sentences: JoinedSides  # sources of all corpora, then targets of all
    first: Indices  # example of each corpus, and after the last
    tags: list[int | None]  # of each corpus
    plan: list[PlannedBatch]
    packed: bool

    def assemble(self, planned: PlannedBatch) -> Batch:
        examples, counts = planned.examples, planned.counts
        row = np.repeat(np.arange(len(counts)), counts)
        corpus_index = np.searchsorted(self.first, examples, side="right") - 1
        pair_index = examples - self.first[corpus_index]
        source = self.sentences.gather(corpus_index, pair_index)
        target = self.sentences.gather(corpus_index + len(self.tags), pair_index)
        tags = [tag for tag in self.tags if tag is not None]  # none of plain text, whose source is empty
        begin = 0 if NO_TAG in tags else 1  # a model has tags before all of its sources, or before none
        source_length = source.lengths + (num_controls(tags[0]) if tags else 0)
        source_grid = TokenGrid.lay_out(planned.num_rows, planned.widths.source, row, source_length)
        target_grid = TokenGrid.lay_out(planned.num_rows, planned.widths.target, row, target.lengths + 1)
        tag_of_each = np.array(tags)[corpus_index] if tags and begin else None
        segment = 1 + ranges(np.zeros_like(counts), counts)
        segments = (source_grid.write_segments(segment), target_grid.write_segments(segment)) if self.packed else None
        return Batch(
            source=source_grid.write_tokens(source, at=begin, first=tag_of_each, last=SPECIAL.eos if tags else None),
            target_in=target_grid.write_tokens(target, at=1, first=SPECIAL.bos),
            target_out=target_grid.write_tokens(target, at=0, last=SPECIAL.eos),
            num_target_tokens=int(target_grid.lengths.sum()),
            segments=segments,
        )


@dataclass(frozen=True)
class TokenGrid:
    """A rectangle of tokens, and where in it each sentence stands: its pieces and, around them, its control ids.

    It is filled without a loop over sentences: this runs for every batch of a training.
    """

    num_rows: int
    width: int
    starts: Indices  # first position of each sentence, counted through all rows
    lengths: Indices  # its positions, control ids included

    @classmethod
    def lay_out(cls, num_rows: int, width: int, row: Indices, lengths: Indices) -> "TokenGrid":
        """Sentences one after the other in their rows; `row` must not fall."""
        offsets = np.cumsum(lengths) - lengths  # if there were one endless row
        first_of_row = np.searchsorted(row, row)
        return cls(num_rows, width, row * width + offsets - offsets[first_of_row], lengths)

    def write_tokens(
        self, sentences: GatheredSentences, at: int, first: Indices | int | None = None, last: int | None = None
    ) -> torch.Tensor:
        """The pieces, from position `at` of each sentence on, and control ids at its first and last position."""
        grid = np.full(self.num_rows * self.width, SPECIAL.pad, dtype=np.int64)
        grid[ranges(self.starts + at, sentences.lengths)] = sentences.ids
        if first is not None:
            grid[self.starts] = first
        if last is not None:
            grid[self.starts + self.lengths - 1] = last
        return torch.from_numpy(grid.reshape(self.num_rows, self.width))

    def write_segments(self, segments: Indices) -> torch.Tensor:
        """Each sentence's number in its row at all of its positions, 0 elsewhere."""
        grid = np.zeros(self.num_rows * self.width, dtype=np.int32)
        grid[ranges(self.starts, self.lengths)] = np.repeat(segments, self.lengths)
        return torch.from_numpy(grid.reshape(self.num_rows, self.width))


def num_controls(tag: int | None) -> int:
    """Around the pieces of a source: tag and </s>, </s> alone, or nothing where there is no source."""
    return 0 if tag is None else 1 if tag == NO_TAG else 2


def first_examples(corpora: Sequence[WeightedCorpus]) -> Indices:
    """Examples are numbered through all corpora: where each corpus begins, and where the last ends."""
    return np.cumsum([0, *map(len, corpora)])


def sentences_of(corpora: Sequence[WeightedCorpus]) -> JoinedSides:
    return JoinedSides.of([*(corpus.source for corpus in corpora), *(corpus.target for corpus in corpora)])


def lengths_of(corpora: Sequence[WeightedCorpus]) -> tuple[Indices, Indices]:
    """With tag and </s> on the source side, and <s> or </s> on the target side."""
    source = np.concatenate([corpus.source_lengths for corpus in corpora])
    target = np.concatenate([corpus.target.lengths for corpus in corpora]) + 1
    return source, target


def plan_packed(
    source: Indices, target: Indices, widths: Widths, tokens_per_batch: int, rng: np.random.Generator
) -> list[PlannedBatch]:
    """Rows cut into batches of one shape; only the last may have empty rows."""
    widths = widths.at_least(int(source.max()), int(target.max()))
    num_rows = max(1, tokens_per_batch // max(widths.source, widths.target))
    rows = pack(source, target, widths, rng)
    ends = np.concatenate(([0], np.cumsum(rows.counts)))
    batches = []
    for start in range(0, len(rows.counts), num_rows):
        counts = rows.counts[start : start + num_rows]
        examples = rows.examples[ends[start] : ends[start + len(counts)]]
        batches.append(PlannedBatch(examples, counts, widths, num_rows))
    return batches


def plan_single(
    source: Indices, target: Indices, tokens_per_batch: int, rng: np.random.Generator
) -> list[PlannedBatch]:
    """One pair a row: sorted by length, at random among neighbours, cut where the next pair would not fit."""
    blur = rng.random(len(source))
    order = np.argsort(source + blur, kind="stable")
    order = order[stable_order((target + 2 * blur).astype(np.int64)[order])]
    source, target = source[order], target[order]
    cuts = cut_where_full(np.maximum(source, target), tokens_per_batch)
    batches = []
    for index in rng.permutation(len(cuts) - 1).tolist():
        batch = slice(cuts[index], cuts[index + 1])
        widths = Widths(int(source[batch].max()), int(target[batch].max()))
        batches.append(
            PlannedBatch(order[batch], np.ones(batch.stop - batch.start, np.int64), widths, len(order[batch]))
        )
    return batches


def cut_where_full(longest: Indices, tokens_per_batch: int) -> list[int]:
    """Where batches of one pair a row begin, and where the last ends: the widest times the rows is at most so much."""
    cuts = [0]
    while cuts[-1] < len(longest):
        start = cuts[-1]
        most = max(1, tokens_per_batch // int(longest[start]))  # if no other were wider
        widest = np.maximum.accumulate(longest[start : start + most])
        fits = widest * np.arange(1, len(widest) + 1) <= tokens_per_batch
        fits[0] = True  # even if it is too wide
        cuts.append(start + (len(fits) if fits.all() else int(fits.argmin())))
    return cuts
