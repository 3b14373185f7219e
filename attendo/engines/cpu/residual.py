"""LayerNorm(x + factors · y), what stands around every sublayer, with dropout as factors; forward and backward."""

from typing import Any

import torch
from torch import Tensor


class ResidualNorm(torch.autograd.Function):
    """x [tokens, d_model], y and factors of the same shape -> [tokens, d_model]. y may be of lower precision."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, y: Tensor, factors: Tensor | None, gain: Tensor, offset: Tensor, eps: float
    ) -> Tensor:
        ctx.dtype = y.dtype
        y = y.to(x.dtype)
        total = x + y if factors is None else torch.addcmul(x, y, factors)
        normed, mean, deviation = torch.native_layer_norm(total, gain.shape, gain, offset, eps)
        ctx.save_for_backward(total, mean, deviation, gain, offset, factors)
        return normed

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        total, mean, deviation, gain, offset, factors = ctx.saved_tensors
        d_x, d_gain, d_offset = torch.ops.aten.native_layer_norm_backward(
            gradient.contiguous(), total, gain.shape, mean, deviation, gain, offset, [True, True, True]
        )
        d_y = d_x if factors is None else d_x * factors
        return d_x, d_y.to(ctx.dtype), None, d_gain, d_offset, None
