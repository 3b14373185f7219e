"""What a hand changes: both translations, where they part, and what the touched model thinks of the untouched one."""

from dataclasses import dataclass

import numpy as np

from attendo.explain.passes import log_probs_of
from attendo.glass.look import Look, parts_at


@dataclass(frozen=True)
class ComparedStep:
    """A piece of the untouched translation, after the same pieces before it."""

    piece: int
    log_prob: float  # without the hand
    touched_log_prob: float  # with it
    divergence: float  # KL(without ‖ with), in nats, over the whole vocabulary


@dataclass(frozen=True)
class Touched:
    parts_at: int | None  # the first step, from 0, at which the translations differ
    steps: tuple[ComparedStep, ...]


def compare_looks(plain: Look, touched: Look) -> Touched:
    ids, before = plain.best.ids, plain.trace["log_probs"]
    after = log_probs_of(ids, touched.glass.model, touched.trace["memory"], touched.hands)  # [target, vocab]
    divergences = (np.exp(before) * (before - after)).sum(axis=-1, dtype=np.float64)
    steps = tuple(
        ComparedStep(piece, float(before[step, piece]), float(after[step, piece]), float(divergences[step]))
        for step, piece in enumerate(ids)
    )
    return Touched(parts_at(ids, touched.best.ids), steps)
