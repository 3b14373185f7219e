"""The training pass of a pair: the target shifted, the probability and the loss at each position; and beside it the
same model fed with its own output (notes A56-60, D329-367)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from attendo.decoding.options import SearchOptions
from attendo.explain.passes import log_probs_of
from attendo.glass.hands import Hands
from attendo.glass.search import beam_search
from attendo.glass.trace import Array
from attendo.glass.transformer import GlassModel
from attendo.special_tokens import SPECIAL

SMOOTHING = 0.1  # ε_ls of the paper's 5.4


@dataclass(frozen=True)
class PairPosition:
    """One row of the target: reads `reads`, should say `answer`."""

    reads: int
    answer: int
    log_prob: float  # of the answer
    smoothed_loss: float  # (1 - ε)(-log p) + ε · mean over the vocabulary of -log p
    rank: int  # of the answer among all pieces, from 1
    best: int  # the likeliest piece
    best_log_prob: float

    @property
    def probability(self) -> float:
        return exp(self.log_prob)

    @property
    def loss(self) -> float:
        return -self.log_prob


@dataclass(frozen=True)
class PairInTraining:
    """`given`: the target is the user's, not the model's own translation. `fed_back` is what the model writes if each
    of its likeliest pieces is fed back to it, with log-probabilities; `parts_at` the first position, from 0, where that
    is not the target."""

    positions: tuple[PairPosition, ...]
    given: bool
    fed_back: tuple[tuple[int, float], ...]
    parts_at: int | None

    @property
    def loss(self) -> float:
        """The mean over the target's tokens."""
        return sum(one.loss for one in self.positions) / len(self.positions)

    @property
    def smoothed_loss(self) -> float:
        return sum(one.smoothed_loss for one in self.positions) / len(self.positions)


def teacher_forcing(
    model: GlassModel, target: Sequence[int], memory: Array, longest: int, hands: Hands, *, given: bool
) -> PairInTraining:
    """target: pieces, </s>."""
    log_probs = log_probs_of(target, model, memory, hands)
    reads = (SPECIAL.bos, *target[:-1])
    positions = tuple(map(pair_position, log_probs, reads, target))
    greedy = beam_search(model, memory, longest, SearchOptions(beam_size=1), hands).best
    fed_back = tuple(zip(greedy.ids, greedy.token_log_probs, strict=True))
    return PairInTraining(positions, given, fed_back, first_difference(target, greedy.ids))


def pair_position(log_probs: Array, reads: int, answer: int) -> PairPosition:
    """log_probs [vocab]"""
    best, log_prob = int(log_probs.argmax()), float(log_probs[answer])
    smoothed = -(1 - SMOOTHING) * log_prob - SMOOTHING * float(log_probs.mean(dtype=np.float64))
    rank = 1 + int((log_probs > log_probs[answer]).sum())
    return PairPosition(reads, answer, log_prob, smoothed, rank, best, float(log_probs[best]))


def first_difference(left: Sequence[int], right: Sequence[int]) -> int | None:
    """The first index, from 0, at which they are not the same; None where they are the same to the end."""
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return None if len(left) == len(right) else min(len(left), len(right))
