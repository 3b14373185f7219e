"""Add & Norm (3.1): what stands around each attention and feed-forward part."""

from collections.abc import Callable

from torch import Tensor, nn

from attendo.model.config import LayerConfig
from attendo.model.norms import build_norm


class PostNorm(nn.Module):
    """LayerNorm(x + Sublayer(x)), the paper's order. Dropout falls on the sublayer's output (5.4)."""

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.norm = build_norm(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return self.norm(x + self.dropout(sublayer(x)))


class PreNorm(PostNorm):
    """x + Sublayer(LayerNorm(x)): an unbroken path from last layer to first, which trains deep stacks more easily."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return x + self.dropout(sublayer(self.norm(x)))


def build_sublayer(config: LayerConfig) -> PostNorm:
    return PreNorm(config) if config.norm_order == "pre" else PostNorm(config)


def build_last_norm(config: LayerConfig) -> nn.Module:
    """After a pre-norm stack the sum has never been normed; after a post-norm stack it just was."""
    return build_norm(config) if config.norm_order == "pre" else nn.Identity()
