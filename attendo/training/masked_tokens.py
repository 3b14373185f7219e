"""Tasks of guessing hidden tokens: of a sentence (an encoder alone), and of a translation (all words at once)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.data.batches import Position
from attendo.errors import InputError
from attendo.model.encoder_only import EncoderOnly
from attendo.model.non_autoregressive import length_class
from attendo.special_tokens import MASK, SPECIAL
from attendo.training.feed import BatchSource
from attendo.training.loss import cross_entropy_sum

NO_LENGTH = -100  # torch's own mark for what counts nothing


@dataclass(frozen=True)
class Masking:
    """Of every sentence a share of tokens is to be guessed: 80 % of them hidden, 10 % replaced, 10 % left as they are.

    The draw is a function of (seed, position): a run that is stopped and resumed sees the same masks.
    """

    share: float
    vocab_size: int
    first_piece: int  # ids below it are control ids and tags, which are neither hidden nor put in
    seed: int

    def __call__(self, batch: Batch, position: Position) -> Batch:
        rng = np.random.default_rng([self.seed, position.epoch, position.batch])
        tokens = sentences(batch).numpy()
        draw, kind = rng.random(tokens.shape), rng.random(tokens.shape)
        pieces = tokens >= self.first_piece
        chosen = pieces & (draw < self.share)
        # A sentence of few pieces may get none; then its likeliest is chosen, so that every row teaches something.
        first = np.where(pieces, draw, 2.0).argmin(axis=1)
        rows = np.flatnonzero(pieces.any(axis=1))
        chosen[rows, first[rows]] = True
        random = rng.integers(self.first_piece, self.vocab_size, tokens.shape)
        visible = np.where(chosen & (kind < 0.8), MASK, tokens)
        visible = np.where(chosen & (kind >= 0.8) & (kind < 0.9), random, visible)
        target = np.where(chosen, tokens, SPECIAL.pad)
        source = torch.from_numpy(visible)
        return Batch(source, source, torch.from_numpy(target), num_target_tokens=int(chosen.sum()))


def sentences(batch: Batch) -> Tensor:
    """Sources and targets of a batch (one pair a row) as rows of one grid, each ending in </s>."""
    if batch.source.shape[1] == 0:  # plain text
        return batch.target_out
    width = max(batch.source.shape[1], batch.target_out.shape[1])
    sides = (batch.source, batch.target_out)
    return torch.cat([torch.nn.functional.pad(side, (0, width - side.shape[1]), value=SPECIAL.pad) for side in sides])


@dataclass(frozen=True)
class MaskedBatches:
    """Batches of pairs as batches of sentences with hidden tokens."""

    batches: BatchSource
    masking: Masking

    def stream(self, position: Position) -> Iterator[tuple[Batch, Position]]:
        before = position
        for batch, after in self.batches.stream(position):
            yield self.masking(batch, before), after
            before = after


@dataclass(frozen=True)
class MaskedTokens:
    """Guess the tokens that were hidden; elsewhere target_out is padding, which counts nothing.

    On a CPU the head is asked at the hidden positions alone, which is most of what a small model computes; a GPU is
    quicker with shapes that are always the same.
    """

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        if not isinstance(model, EncoderOnly) or batch.target_out.device.type != "cpu":
            return cross_entropy_sum(model(batch.source), batch.target_out)
        hidden = batch.target_out != SPECIAL.pad
        logits = model.head(model.encode(batch.source)[hidden])  # [hidden, vocab]
        return cross_entropy_sum(logits[None], batch.target_out[hidden][None])


@dataclass(frozen=True)
class MaskPredict:
    """Σ over hidden words of -log p(word | x, the others), and over pairs of -log p(length | x).

    </s> is never hidden: whoever knows the length knows where it stands.
    """

    label_smoothing: float = 0.0  # of the words

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        if batch.segments is not None:
            raise InputError("a target is guessed as a whole, with its length: expected one pair a row")
        target = batch.target_out
        hidden = hidden_words(target)
        logits, length_logits = model(batch.source, target.masked_fill(hidden, MASK))
        words = cross_entropy_sum(logits, target.masked_fill(~hidden, SPECIAL.pad), self.label_smoothing)
        no_pair = (target == SPECIAL.pad).all(1)  # a row that only fills the batch
        lengths = length_class(batch.source, target).masked_fill(no_pair, NO_LENGTH)
        return words + F.cross_entropy(length_logits, lengths, ignore_index=NO_LENGTH, reduction="sum")


def hidden_words(target: Tensor) -> Tensor:
    """Of n words 1 to n, each number equally likely, and then all choices of as many. [batch, target], True = hidden"""
    words = (target != SPECIAL.pad) & (target != SPECIAL.eos)
    n = words.sum(1, keepdim=True)
    number = 1 + (torch.rand(n.shape, device=target.device) * n).long()  # torch.rand is never 1
    shuffled = torch.rand(target.shape, device=target.device).masked_fill(~words, 2.0)
    position = shuffled.argsort(1).argsort(1)  # of each word in a random order; after all words what is none
    return words & (position < number)
