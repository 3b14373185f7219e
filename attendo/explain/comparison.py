"""What a hand changes: both translations, where they part, and what the touched model thinks of the untouched one."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from attendo.explain.passes import log_probs_of
from attendo.glass.look import Look, parts_at
from attendo.glass.search import OnStep, nothing
from attendo.glass.trace import Array


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
    looked: tuple[tuple[float, ...], ...] | None = None  # by decoder layer and step: what went to the erased positions


def compare_looks(plain: Look, touched: Look, on_step: OnStep = nothing) -> Touched:
    ids, before = plain.best.ids, plain.trace["log_probs"]
    after = log_probs_of(ids, touched.glass.model, touched.trace["memory"], touched.hands, on_step)  # [target, vocab]
    divergences = (np.exp(before) * (before - after)).sum(axis=-1, dtype=np.float64)
    steps = tuple(
        ComparedStep(piece, float(before[step, piece]), float(after[step, piece]), float(divergences[step]))
        for step, piece in enumerate(ids)
    )
    return Touched(parts_at(ids, touched.best.ids), steps, looked_at_erased(plain, touched.hands.erase))


def looked_at_erased(plain: Look, erased: Collection[int]) -> tuple[tuple[float, ...], ...] | None:
    """What attention says of the erased words, beside what their going does: rows of cross-attention, the mean of the
    heads, summed over the erased positions."""
    if not erased:
        return None
    layers = (cross_weights(plain, layer) for layer in range(plain.glass.model.config.decoder_layers))
    return tuple(tuple(map(float, one[..., sorted(erased)].sum(axis=-1).mean(axis=0))) for one in layers)


def cross_weights(look: Look, layer: int) -> Array:
    """[h, target, source]"""
    return look.trace[f"decoder.{layer}.cross_attention.weights"]
