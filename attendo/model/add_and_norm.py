"""Add & Norm (3.1): what stands around each attention and feed-forward part."""

from collections.abc import Callable

from torch import Tensor, nn

from attendo.model.config import LayerConfig
from attendo.model.parts import STANDARD, Parts


class AddAndNorm(nn.Module):
    """A residual connection, a norm, and dropout on the sublayer's output (5.4); the order is the subclass's."""

    def __init__(self, config: LayerConfig, parts: Parts = STANDARD) -> None:
        super().__init__()
        self.norm = parts.norm(config)
        self.dropout = nn.Dropout(config.dropout)


class PostNorm(AddAndNorm):
    """LayerNorm(x + Sublayer(x)), the paper's order."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return self.norm(x + self.dropout(sublayer(x)))


class PreNorm(AddAndNorm):
    """x + Sublayer(LayerNorm(x)): an unbroken path from last layer to first, which trains deep stacks more easily."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return x + self.dropout(sublayer(self.norm(x)))


def build_add_and_norm(config: LayerConfig, parts: Parts) -> PostNorm | PreNorm:
    return PreNorm(config, parts) if config.norm_order == "pre" else PostNorm(config, parts)


def build_last_norm(config: LayerConfig, parts: Parts) -> nn.Module:
    """After a pre-norm stack the sum has never been normed; after a post-norm stack it just was."""
    return parts.norm(config) if config.norm_order == "pre" else nn.Identity()
