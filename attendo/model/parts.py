"""What a model is made of, to be handed in: whoever has another idea of a part gives it, and edits nothing.

    class Sharper(MultiHeadAttention):
        def attend(self, q, k, v, may_attend, record):
            return super().attend(2 * q, k, v, may_attend, record)

    Transformer(config, Parts(self_attention=Sharper.from_config))

Each factory is given the configuration and makes one part. Such a model trains and decodes as any other; a model folder
knows the configuration alone, so whoever loads the weights hands in the same parts.
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from attendo.model.compatibility import build_attention
from attendo.model.config import LayerConfig
from attendo.model.embeddings import TokenEmbedding, build_embedding
from attendo.model.feed_forward import build_feed_forward
from attendo.model.norms import build_norm
from attendo.model.positions import Positions, build_positions


@dataclass(frozen=True)
class Parts:
    """The factories of a model's parts; the defaults are what the configuration names."""

    # (x, memory, may_attend, *, rotation, cache, record) -> [batch, queries, d_model], as `MultiHeadAttention`
    self_attention: Callable[[LayerConfig], nn.Module] = build_attention
    cross_attention: Callable[[LayerConfig], nn.Module] = build_attention
    feed_forward: Callable[[LayerConfig], nn.Module] = build_feed_forward  # [batch, length, d_model] -> the same shape
    norm: Callable[[LayerConfig], nn.Module] = build_norm  # [batch, length, d_model] -> the same shape
    positions: Callable[[LayerConfig], Positions] = build_positions
    embedding: Callable[[LayerConfig], TokenEmbedding] = build_embedding


STANDARD = Parts()
