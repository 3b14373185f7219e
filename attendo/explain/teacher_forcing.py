"""The training pass of a pair: the target shifted, the probability and the loss at each position; and beside it the
same model fed with its own output (notes A56-60, D329-367)."""

from dataclasses import dataclass
from math import exp

import numpy as np

from attendo.explain.passes import log_probs_of
from attendo.glass.look import parts_at
from attendo.glass.search import OnStep, nothing
from attendo.glass.trace import Array
from attendo.glass.training_pass import TrainingPass

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


def teacher_forcing(found: TrainingPass, *, given: bool, on_step: OnStep = nothing) -> PairInTraining:
    target, log_probs = found.target_out, found.trace["log_probs"]
    if not found.hands.causal_mask:  # the positions of one pass would have read their own answers
        log_probs = log_probs_of(target, found.glass.model, found.trace["memory"], found.hands, on_step)
    greedy = found.fed_back.best
    return PairInTraining(
        positions=tuple(map(pair_position, log_probs, found.target_in, target)),
        given=given,
        fed_back=tuple(zip(greedy.ids, greedy.token_log_probs, strict=True)),
        parts_at=parts_at(target, greedy.ids),
    )


def pair_position(log_probs: Array, reads: int, answer: int) -> PairPosition:
    """log_probs [vocab]"""
    best, log_prob = int(log_probs.argmax()), float(log_probs[answer])
    smoothed = -(1 - SMOOTHING) * log_prob - SMOOTHING * float(log_probs.mean(dtype=np.float64))
    rank = 1 + int((log_probs > log_probs[answer]).sum())
    return PairPosition(reads, answer, log_prob, smoothed, rank, best, float(log_probs[best]))
