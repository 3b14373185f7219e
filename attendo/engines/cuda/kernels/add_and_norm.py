"""x + y and its norm, in one pass over both."""

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def add_and_norm_kernel(
    x, y, gain, bias, added, normed, width, eps,
    IS_LAYER: tl.constexpr, KEEP_SUM: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64) * width
    columns = tl.arange(0, WIDTH)
    there = columns < width
    total = tl.load(x + row + columns, mask=there, other=0.0) + tl.load(y + row + columns, mask=there, other=0.0)
    if KEEP_SUM:
        tl.store(added + row + columns, total, mask=there)
    wide = total.to(tl.float32)
    if IS_LAYER:
        wide = tl.where(there, wide - tl.sum(wide, axis=0) / width, 0.0)
    variance = tl.sum(wide * wide, axis=0) / width
    found = wide * tl.rsqrt(variance + eps) * tl.load(gain + columns, mask=there, other=0.0).to(tl.float32)
    if IS_LAYER:
        found += tl.load(bias + columns, mask=there, other=0.0).to(tl.float32)
    tl.store(normed + row + columns, found.to(total.dtype), mask=there)


def add_and_norm(
    x: Tensor, y: Tensor, gain: Tensor, bias: Tensor | None, eps: float, *, keep_sum: bool
) -> tuple[Tensor, Tensor]:
    """x, y [rows, d_model] -> x + y (pre-norm's; else anything) and Norm(x + y); RMSNorm has no bias."""
    rows, width = x.shape
    normed = torch.empty_like(x)
    added = torch.empty_like(x) if keep_sum else normed
    add_and_norm_kernel[(rows,)](
        x, y, gain, gain if bias is None else bias, added, normed, width, eps,
        IS_LAYER=bias is not None, KEEP_SUM=keep_sum, WIDTH=triton.next_power_of_2(width), num_warps=4,
    )  # fmt: skip
    return added, normed
