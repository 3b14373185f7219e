"""LayerNorm, as in the paper (3.1), and RMSNorm, as in Llama: each looks at one token's vector alone."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.model.config import LayerConfig


class LayerNorm(nn.Module):
    """gain · (x - mean(x)) / √(var(x) + ε) + bias, over the d_model numbers of each token (Ba et al. 2016)."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.gain.shape, self.gain, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{len(self.gain)}, eps={self.eps:g}"


class RMSNorm(nn.Module):
    """gain · x / √(mean(x²) + ε): no mean is taken away, no bias added (Zhang and Sennrich 2019)."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.gain.shape, self.gain, self.eps)

    def extra_repr(self) -> str:
        return f"{len(self.gain)}, eps={self.eps:g}"


def build_norm(config: LayerConfig) -> LayerNorm | RMSNorm:
    match config.norm:
        case "layer":
            return LayerNorm(config.d_model, config.norm_eps)
        case "rms":
            return RMSNorm(config.d_model, config.norm_eps)
