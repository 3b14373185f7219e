"""LayerNorm(x + dropout(y + bias)) in one pass over x and y, and all of its gradients in another."""

import torch
import triton
import triton.language as tl
from torch import Tensor

from attendo.engines.cuda.kernels.column_sums import column_sums
from attendo.engines.cuda.kernels.dropout import kept

AT_ONCE = 2_048  # numbers that a program holds
PROGRAMS = 528  # of the backward pass: each adds up its rows' share of what all rows have in common


@triton.jit
def residual_norm_kernel(
    x, y, bias, gain, offset, seed, total, normed, num_rows, width, threshold, grown, eps,
    DROPS: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    rows, columns = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDTH)
    in_width = columns < width
    there = (rows < num_rows)[:, None] & in_width[None, :]
    at = rows[:, None] * width + columns[None, :]
    added = tl.load(y + at, mask=there, other=0.0).to(tl.float32)
    added += tl.load(bias + columns, mask=in_width, other=0.0).to(tl.float32)[None, :]
    if DROPS:
        added = tl.where(kept(at, seed, threshold), added * grown, 0.0)
    old = tl.load(x + at, mask=there, other=0.0)
    new = (old.to(tl.float32) + added).to(old.dtype)
    tl.store(total + at, new, mask=there)
    wide = new.to(tl.float32)  # as the backward pass will read it
    centred = tl.where(there, wide - (tl.sum(tl.where(there, wide, 0.0), axis=1) / width)[:, None], 0.0)
    deviation = tl.rsqrt(tl.sum(centred * centred, axis=1) / width + eps)
    found = centred * deviation[:, None] * tl.load(gain + columns, mask=in_width, other=0.0)[None, :]
    found += tl.load(offset + columns, mask=in_width, other=0.0)[None, :]
    tl.store(normed + at, found.to(old.dtype), mask=there)


@triton.jit
def residual_norm_gradient_kernel(
    d_normed, d_total, total, gain, seed, d_x, d_y, shares, num_rows, width, threshold, grown, eps,
    CARRIES: tl.constexpr, DROPS: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    columns = tl.arange(0, WIDTH)
    in_width = columns < width
    scale = tl.load(gain + columns, mask=in_width, other=0.0)[None, :]
    of_gain = tl.zeros((ROWS, WIDTH), tl.float32)
    of_offset = tl.zeros((ROWS, WIDTH), tl.float32)
    of_bias = tl.zeros((ROWS, WIDTH), tl.float32)
    for start in range(program * ROWS, num_rows, PROGRAMS * ROWS):
        rows = start + tl.arange(0, ROWS)
        there = (rows < num_rows)[:, None] & in_width[None, :]
        at = rows[:, None] * width + columns[None, :]
        g = tl.load(d_normed + at, mask=there, other=0.0)
        wide = tl.load(total + at, mask=there, other=0.0).to(tl.float32)
        gradient = g.to(tl.float32)
        centred = tl.where(there, wide - (tl.sum(wide, axis=1) / width)[:, None], 0.0)
        deviation = tl.rsqrt(tl.sum(centred * centred, axis=1) / width + eps)[:, None]
        unit = centred * deviation
        of_gain += gradient * unit
        of_offset += gradient
        scaled = gradient * scale
        along = (tl.sum(scaled * unit, axis=1) / width)[:, None]
        level = (tl.sum(scaled, axis=1) / width)[:, None]
        inside = tl.where(there, (scaled - unit * along - level) * deviation, 0.0)
        if CARRIES:
            inside += tl.load(d_total + at, mask=there, other=0.0).to(tl.float32)
        tl.store(d_x + at, inside.to(g.dtype), mask=there)
        if DROPS:
            inside = tl.where(kept(at, seed, threshold), inside * grown, 0.0)
            tl.store(d_y + at, inside.to(g.dtype), mask=there)
        of_bias += inside
    to = shares + program * 3 * width + columns
    tl.store(to, tl.sum(of_gain, axis=0), mask=in_width)
    tl.store(to + width, tl.sum(of_offset, axis=0), mask=in_width)
    tl.store(to + 2 * width, tl.sum(of_bias, axis=0), mask=in_width)


def residual_norm(
    x: Tensor, y: Tensor, bias: Tensor, gain: Tensor, offset: Tensor, eps: float, seed: Tensor, dropout: float
) -> tuple[Tensor, Tensor]:
    """x, y [rows, d_model] -> x + dropout(y + bias), which the backward pass needs, and its norm."""
    rows, width = x.shape
    total, normed = torch.empty_like(x), torch.empty_like(x)
    padded = triton.next_power_of_2(width)
    together = max(1, AT_ONCE // padded)
    residual_norm_kernel[(triton.cdiv(rows, together),)](
        x, y, bias, gain, offset, seed, total, normed, rows, width, round(dropout * 2**24), 1 / (1 - dropout), eps,
        DROPS=dropout > 0, ROWS=together, WIDTH=padded, num_warps=4,
    )  # fmt: skip
    return total, normed


def residual_norm_gradient(
    d_normed: Tensor, d_total: Tensor | None, total: Tensor, gain: Tensor, eps: float, seed: Tensor, dropout: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`d_total`: of x + dropout(y + bias) itself, where it goes on beside its norm.

    -> of x [rows, d_model]; of y, which without dropout is the same tensor; and of gain, offset and bias
    [3, d_model], in float32.
    """
    rows, width = total.shape
    d_x = torch.empty_like(total)
    d_y = torch.empty_like(total) if dropout > 0 else d_x
    padded = triton.next_power_of_2(width)
    together = max(1, AT_ONCE // padded)
    shares = total.new_empty(PROGRAMS, 3, width, dtype=torch.float32)
    residual_norm_gradient_kernel[(PROGRAMS,)](
        d_normed, d_normed if d_total is None else d_total, total, gain, seed, d_x, d_y, shares, rows, width,
        round(dropout * 2**24), 1 / (1 - dropout), eps,
        CARRIES=d_total is not None, DROPS=dropout > 0, ROWS=together, WIDTH=padded, PROGRAMS=PROGRAMS, num_warps=2,
    )  # fmt: skip
    return d_x, d_y, column_sums(shares.view(PROGRAMS, -1)).view(3, width)
