"""Back through max(0, x W + b): the gradient where something came through, and of the bias the sum over all rows."""

import torch
import triton
import triton.language as tl
from torch import Tensor

from attendo.engines.cuda.kernels.column_sums import column_sums

PARTS = 64  # into which the rows are cut; each adds up its own
ROWS, COLUMNS = 16, 256


@triton.jit
def relu_gradient_kernel(
    gradient, activated, sums, num_rows, width, rows_a_part,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    part = tl.program_id(1)
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    in_width = columns < width
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(part * rows_a_part, tl.minimum((part + 1) * rows_a_part, num_rows), ROWS):
        rows = start + tl.arange(0, ROWS)
        there = (rows < num_rows)[:, None] & in_width[None, :]
        at = rows[:, None] * width + columns[None, :]
        came = tl.load(gradient + at, mask=there, other=0.0)
        kept = tl.where(tl.load(activated + at, mask=there, other=0.0) > 0, came, 0.0).to(came.dtype)
        tl.store(gradient + at, kept, mask=there)
        total += kept.to(tl.float32)
    tl.store(sums + part * width + columns, tl.sum(total, axis=0), mask=in_width)


def relu_gradient_(gradient: Tensor, activated: Tensor) -> Tensor:
    """gradient [rows, d_ff] becomes that of x W + b, in its place; -> that of b [d_ff], in float32."""
    rows, width = activated.shape
    rows_a_part = ROWS * triton.cdiv(triton.cdiv(rows, ROWS), PARTS)
    sums = gradient.new_empty(PARTS, width, dtype=torch.float32)
    relu_gradient_kernel[(triton.cdiv(width, COLUMNS), PARTS)](
        gradient, activated, sums, rows, width, rows_a_part, ROWS=ROWS, COLUMNS=COLUMNS, num_warps=4,
    )  # fmt: skip
    return column_sums(sums)
