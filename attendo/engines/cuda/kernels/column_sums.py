"""The last step of a sum over many rows: programs have left a row of partial sums each, which are added in order."""

import torch
import triton
import triton.language as tl
from torch import Tensor

ROWS, COLUMNS = 256, 32


@triton.jit
def column_sums_kernel(parts, sums, num_parts, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    in_width = columns < width
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, num_parts, ROWS):
        rows = start + tl.arange(0, ROWS)
        there = (rows < num_parts)[:, None] & in_width[None, :]
        total += tl.load(parts + rows[:, None] * width + columns[None, :], mask=there, other=0.0)
    tl.store(sums + columns, tl.sum(total, axis=0), mask=in_width)


def column_sums(parts: Tensor) -> Tensor:
    """[parts, width] -> [width], in float32"""
    count, width = parts.shape
    sums = torch.empty(width, dtype=torch.float32, device=parts.device)
    column_sums_kernel[(triton.cdiv(width, COLUMNS),)](
        parts, sums, count, width, ROWS=ROWS, COLUMNS=COLUMNS, num_warps=8,
    )  # fmt: skip
    return sums
