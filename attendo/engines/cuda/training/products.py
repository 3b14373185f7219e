"""Products of matrices as a fused step needs them: weights in half precision, their gradients in float32."""

import torch
from torch import Tensor


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """x W^T + b"""
    return torch.addmm(bias, x, weight.t())


def linear_relu(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """max(0, x W^T + b), on a GPU in the same program as the product."""
    return torch._addmm_activation(bias, x, weight.t())


def weight_gradient(d_y: Tensor, x: Tensor) -> Tensor:
    """d_y^T x, the gradient of W in y = x W^T, [outputs, inputs]: summed and left in float32."""
    if d_y.dtype == torch.float32 or not d_y.is_cuda:
        return (d_y.t() @ x).to(torch.promote_types(d_y.dtype, torch.float32))
    return torch.mm(d_y.t(), x, out_dtype=torch.float32)
