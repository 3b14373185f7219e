"""R-Drop's loss of two rows of logits for one token, and both gradients in the place of the logits, in two passes.

With p and q the softmax of the rows z and y, their cross entropies (cross_entropy.py), and d = log p - log q:

    loss = (CE(z) + CE(y)) / 2 + α / 2 · Σ (p - q) d
    Σ (p - q) d = A - B,  A = Σ p d,  B = Σ q d              its gradients: p (d - A) + p - q, q (B - d) + q - p

The first pass gathers what the second must know: both totals, and A and B, for which Σ exp(z) (z - y) and
Σ exp(y) (z - y) grow beside the totals.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

MOST_AT_ONCE = 8_192  # words of both rows in a program's registers
LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def agreement_kernel(first, second, targets, losses, vocabulary, smoothing, alpha, pad, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(targets + row)
    real = target != pad
    z_row, y_row = first + row * vocabulary, second + row * vocabulary
    z_at_target = tl.load(z_row + target).to(tl.float32)
    y_at_target = tl.load(y_row + target).to(tl.float32)
    places = tl.arange(0, BLOCK)
    zeros = tl.zeros((BLOCK,), tl.float32)
    z_high = tl.max(zeros - 1e30, axis=0)
    y_high = z_high
    z_total = tl.sum(zeros, axis=0)
    y_total = z_total
    z_sum = z_total
    y_sum = z_total
    z_apart = z_total
    y_apart = z_total
    for start in range(0, vocabulary, BLOCK):
        there = start + places < vocabulary
        z = tl.load(z_row + start + places, mask=there, other=float("-inf")).to(tl.float32)
        y = tl.load(y_row + start + places, mask=there, other=float("-inf")).to(tl.float32)
        z_higher = tl.maximum(z_high, tl.max(z, axis=0))
        y_higher = tl.maximum(y_high, tl.max(y, axis=0))
        z_shrunk = tl.exp2((z_high - z_higher) * LOG2_E)
        y_shrunk = tl.exp2((y_high - y_higher) * LOG2_E)
        z_powers = tl.exp2((z - z_higher) * LOG2_E)
        y_powers = tl.exp2((y - y_higher) * LOG2_E)
        apart = tl.where(there, z - y, 0.0)
        z_total = z_total * z_shrunk + tl.sum(z_powers, axis=0)
        y_total = y_total * y_shrunk + tl.sum(y_powers, axis=0)
        z_apart = z_apart * z_shrunk + tl.sum(z_powers * apart, axis=0)
        y_apart = y_apart * y_shrunk + tl.sum(y_powers * apart, axis=0)
        z_sum += tl.sum(tl.where(there, z, 0.0), axis=0)
        y_sum += tl.sum(tl.where(there, y, 0.0), axis=0)
        z_high = z_higher
        y_high = y_higher
    z_log = z_high + tl.log(z_total)
    y_log = y_high + tl.log(y_total)
    logs_apart = z_log - y_log
    a = z_apart / z_total - logs_apart
    b = y_apart / y_total - logs_apart

    weight = tl.where(real, 0.5, 0.0)
    even = smoothing / vocabulary
    own = 1 - smoothing
    tl.debug_barrier()  # the right token's logits have been read
    for start in range(0, vocabulary, BLOCK):
        there = start + places < vocabulary
        z = tl.load(z_row + start + places, mask=there, other=0.0).to(tl.float32)
        y = tl.load(y_row + start + places, mask=there, other=0.0).to(tl.float32)
        p = tl.exp2((z - z_log) * LOG2_E)
        q = tl.exp2((y - y_log) * LOG2_E)
        d = z - y - logs_apart
        wanted = even + tl.where(start + places == target, own, 0.0)
        d_z = weight * (p - wanted + alpha * (p * (d - a) + p - q))
        d_y = weight * (q - wanted + alpha * (q * (b - d) + q - p))
        tl.store(z_row + start + places, d_z.to(first.dtype.element_ty), mask=there)
        tl.store(y_row + start + places, d_y.to(second.dtype.element_ty), mask=there)
    cross_entropies = z_log + y_log - own * (z_at_target + y_at_target) - even * (z_sum + y_sum)
    tl.store(losses + row, weight * (cross_entropies + alpha * (a - b)))


def agreement_(first: Tensor, second: Tensor, targets: Tensor, smoothing: float, alpha: float, pad: int) -> Tensor:
    """Logits [rows, vocab] of two passes, which become their gradients; targets [rows] -> losses [rows], 0 at pad."""
    rows, vocabulary = first.shape
    losses = first.new_empty(rows, dtype=torch.float32)
    agreement_kernel[(rows,)](
        first, second, targets, losses, vocabulary, smoothing, alpha, pad,
        BLOCK=min(triton.next_power_of_2(vocabulary), MOST_AT_ONCE), num_warps=8,
    )  # fmt: skip
    return losses
