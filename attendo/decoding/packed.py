"""x Wᵀ + b for a few rows, as decoding has them, on a CPU.

Then most of the time goes into reading W, and 4 rows need not take longer than 1. What `nn.Linear` calls is made for
many rows: with 4 it takes two to four times as long as with 1.
"""

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

WORTH_IT = 2**17  # numbers in a matrix: with a smaller one the calls take as long as the arithmetic
FEW = 64  # rows: with more the usual product is as quick


def packed(linear: nn.Linear) -> nn.Linear:
    """The same map, if its matrix can be packed and is large enough for it to pay."""
    weight = linear.weight
    can_be = torch.backends.mkldnn.is_available() and weight.device.type == "cpu" and weight.dtype == torch.float32
    return PackedLinear(linear) if can_be and weight.numel() >= WORTH_IT else linear


class PackedLinear(nn.Linear):
    """For a model that is used, and neither trained nor moved. W [outputs, inputs] is there twice.

    A few rows take it cut into small blocks, in the order in which oneDNN reads them; one and many as it is stored.
    """

    def __init__(self, linear: nn.Linear) -> None:
        nn.Module.__init__(self)
        self.out_features, self.in_features = linear.weight.shape
        self.weight, self.bias = linear.weight, linear.bias
        self.blocks = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach().contiguous())

    def forward(self, x: Tensor) -> Tensor:
        rows = x.numel() // self.in_features
        if 1 < rows <= FEW:
            return cast(Tensor, torch.ops.mkldnn._linear_pointwise(x, self.blocks, self.bias, "none", [], None))
        return F.linear(x, self.weight, self.bias)
