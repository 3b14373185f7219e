"""What a search saw at each step, as one table: the causal mask makes one pass of the decoder give it all."""

from collections.abc import Sequence

import numpy as np

from attendo.glass.hands import Hands
from attendo.glass.look import Look
from attendo.glass.search import OnStep, nothing
from attendo.glass.trace import Array
from attendo.glass.transformer import GlassModel, decode, next_log_probs
from attendo.special_tokens import SPECIAL


def seen_by_search(look: Look, on_step: OnStep = nothing) -> Array:
    """log_probs [target, vocab] at each step of the translation that was found."""
    if look.hands.causal_mask:
        return look.trace["log_probs"]
    return log_probs_of(look.best.ids, look.glass.model, look.trace["memory"], look.hands, on_step)


def log_probs_of(
    target: Sequence[int], model: GlassModel, memory: Array, hands: Hands, on_step: OnStep = nothing
) -> Array:
    """log_probs [target, vocab] of what follows <s> and each piece of the target, its last left out.

    Without the mask a position would see its own answer, so that each gets a pass that ends with it.
    """
    target_in = (SPECIAL.bos, *target[:-1])
    if hands.causal_mask:
        return decode(model, np.array(target_in), memory, hands=hands)
    rows = []
    for step in range(1, len(target_in) + 1):
        on_step(step)
        rows.append(next_log_probs(model, np.array([target_in[:step]]), memory, hands))
    return np.concatenate(rows)
