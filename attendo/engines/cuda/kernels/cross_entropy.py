"""Cross entropy with label smoothing, and its gradient in the place of the logits, in one pass where a row fits.

With p the softmax of the logits z, and q(v) = (1 - ε) [v is the right token] + ε / vocabulary:

    loss = log Σ exp(z) - (1 - ε) z(right) - ε mean(z)        its gradient = p - q
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

WHOLE = 32_768  # the largest vocabulary of which a row stays in a program's registers
PART = 8_192
LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def cross_entropy_kernel(
    logits, targets, losses, vocabulary, smoothing, pad, IS_WHOLE: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(targets + row)
    here = logits + row * vocabulary
    places = tl.arange(0, BLOCK)
    real = target != pad
    at_target = tl.load(here + target).to(tl.float32)
    # Powers of 2 are an instruction, those of e are not.
    if IS_WHOLE:
        there = places < vocabulary
        raw = tl.load(here + places, mask=there, other=float("-inf"))
        z = raw.to(tl.float32)
        highest = tl.max(z, axis=0)
        sum_z = tl.sum(tl.where(there, z, 0.0), axis=0)
        powers = tl.exp2((z - highest) * LOG2_E)
        total = tl.sum(powers, axis=0)
    else:
        highest = tl.max(tl.full((BLOCK,), -1e30, tl.float32), axis=0)
        total = tl.sum(tl.zeros((BLOCK,), tl.float32), axis=0)
        sum_z = total
        for start in range(0, vocabulary, BLOCK):
            there = start + places < vocabulary
            z = tl.load(here + start + places, mask=there, other=float("-inf")).to(tl.float32)
            higher = tl.maximum(highest, tl.max(z, axis=0))
            total = total * tl.exp2((highest - higher) * LOG2_E) + tl.sum(tl.exp2((z - higher) * LOG2_E), axis=0)
            sum_z += tl.sum(tl.where(there, z, 0.0), axis=0)
            highest = higher
    share = tl.where(real, 1.0 / total, 0.0)
    even = tl.where(real, smoothing / vocabulary, 0.0)
    if IS_WHOLE:
        tl.store(here + places, (powers * share - even).to(raw.dtype), mask=there)
    else:
        for start in range(0, vocabulary, BLOCK):
            there = start + places < vocabulary
            raw = tl.load(here + start + places, mask=there, other=0.0)
            gradient = tl.exp2((raw.to(tl.float32) - highest) * LOG2_E) * share - even
            tl.store(here + start + places, gradient.to(raw.dtype), mask=there)
    # The right token's own: once for the row, instead of a question at every word of it.
    tl.debug_barrier()
    own = tl.exp2((at_target - highest) * LOG2_E) * share - even - tl.where(real, 1 - smoothing, 0.0)
    tl.store(here + target, own.to(logits.dtype.element_ty))
    loss = highest + tl.log(total) - (1 - smoothing) * at_target - smoothing * sum_z / vocabulary
    tl.store(losses + row, tl.where(real, loss, 0.0))


def cross_entropy_(logits: Tensor, targets: Tensor, smoothing: float, pad: int) -> Tensor:
    """logits [rows, vocab], which become their gradients; targets [rows] -> losses [rows], 0 where a target is pad."""
    rows, vocabulary = logits.shape
    losses = logits.new_empty(rows, dtype=torch.float32)
    is_whole = vocabulary <= WHOLE
    cross_entropy_kernel[(rows,)](
        logits, targets, losses, vocabulary, smoothing, pad, IS_WHOLE=is_whole,
        BLOCK=triton.next_power_of_2(vocabulary) if is_whole else PART, num_warps=16 if vocabulary > 8_192 else 8,
    )  # fmt: skip
    return losses
