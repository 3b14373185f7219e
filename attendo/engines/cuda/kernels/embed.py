"""Rows of a table times a factor, plus positions, with dropout; and back."""

import torch
import triton
import triton.language as tl
from torch import Tensor

from attendo.engines.cuda.kernels.dropout import kept

AT_ONCE = 2_048  # numbers that a program holds


@triton.jit
def embed_kernel(
    table, tokens, positions, places, seed, out, num_rows, width, factor, threshold, grown,
    DROPS: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    rows, columns = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDTH)
    real = rows < num_rows
    there = real[:, None] & (columns < width)[None, :]
    at = rows[:, None] * width + columns[None, :]
    token = tl.load(tokens + rows, mask=real, other=0).to(tl.int64)
    place = tl.load(places + rows, mask=real, other=0).to(tl.int64)
    found = tl.load(table + token[:, None] * width + columns[None, :], mask=there, other=0.0) * factor
    found += tl.load(positions + place[:, None] * width + columns[None, :], mask=there, other=0.0)
    if DROPS:
        found = tl.where(kept(at, seed, threshold), found * grown, 0.0)
    tl.store(out + at, found.to(out.dtype.element_ty), mask=there)


@triton.jit
def embed_gradient_kernel(
    gradient, seed, out, num_rows, width, factor, threshold,
    DROPS: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    rows, columns = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDTH)
    there = (rows < num_rows)[:, None] & (columns < width)[None, :]
    at = rows[:, None] * width + columns[None, :]
    found = tl.load(gradient + at, mask=there, other=0.0).to(tl.float32) * factor
    if DROPS:
        found = tl.where(kept(at, seed, threshold), found, 0.0)
    tl.store(out + at, found, mask=there)


def embed(
    table: Tensor, tokens: Tensor, positions: Tensor, places: Tensor, factor: float, seed: Tensor, dropout: float,
    dtype: torch.dtype,
) -> Tensor:  # fmt: skip
    """table [vocab, d_model], tokens [rows], positions [length, d_model], places [rows] -> [rows, d_model]"""
    rows, width = len(tokens), table.shape[1]
    out = table.new_empty(rows, width, dtype=dtype)
    padded = triton.next_power_of_2(width)
    together = max(1, AT_ONCE // padded)
    embed_kernel[(triton.cdiv(rows, together),)](
        table, tokens, positions, places, seed, out, rows, width, factor, round(dropout * 2**24), 1 / (1 - dropout),
        DROPS=dropout > 0, ROWS=together, WIDTH=padded, num_warps=4,
    )  # fmt: skip
    return out


def embed_gradient(
    gradient: Tensor, tokens: Tensor, vocabulary: int, factor: float, seed: Tensor, dropout: float
) -> Tensor:
    """gradient [rows, d_model] -> of the table [vocab, d_model], in float32; each row's sum in the order of tokens."""
    rows, width = gradient.shape
    wide = gradient.new_empty(rows, width, dtype=torch.float32)
    padded = triton.next_power_of_2(width)
    together = max(1, AT_ONCE // padded)
    embed_gradient_kernel[(triton.cdiv(rows, together),)](
        gradient, seed, wide, rows, width, factor / (1 - dropout), round(dropout * 2**24),
        DROPS=dropout > 0, ROWS=together, WIDTH=padded, num_warps=4,
    )  # fmt: skip
    return torch.ops.aten.embedding_dense_backward(wide, tokens, vocabulary, -1, False)
