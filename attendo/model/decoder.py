"""The decoder (3.1, right half of figure 1): N layers of masked self-attention, cross-attention and feed-forward."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from torch import Tensor, nn

from attendo.model.add_and_norm import build_add_and_norm, build_last_norm
from attendo.model.cache import Cache, MemoryCache, PastCache
from attendo.model.config import LayerConfig
from attendo.model.parts import STANDARD, Parts
from attendo.model.positions import Rotation
from attendo.model.record import AttentionRecord


class CachesOfLayer(Protocol):
    """What one decoder layer remembers between steps, for each of its two uses of attention."""

    @property
    def past(self) -> Cache: ...

    @property
    def memory(self) -> Cache: ...


@dataclass
class LayerCache:
    """Both as they grow step by step."""

    past: PastCache = field(default_factory=PastCache)
    memory: MemoryCache = field(default_factory=MemoryCache)


class DecoderLayer(nn.Module):
    """Look at what was said, look at the source, think; each inside Add & Norm."""

    def __init__(self, config: LayerConfig, parts: Parts = STANDARD) -> None:
        super().__init__()
        self.self_attention, self.cross_attention = parts.self_attention(config), parts.cross_attention(config)
        self.feed_forward = parts.feed_forward(config)
        self.around_self_attention, self.around_cross_attention, self.around_feed_forward = (
            build_add_and_norm(config, parts) for _ in range(3)
        )

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        causal: Tensor | None,
        source_is_real: Tensor | None,
        *,
        rotation: Rotation | None = None,
        cache: CachesOfLayer | None = None,
        record: AttentionRecord | None = None,
    ) -> Tensor:
        def look_back(x: Tensor) -> Tensor:
            past = cache.past if cache else None
            return self.self_attention(
                x, x, causal, rotation=rotation, cache=past, record=record.decoder_self if record else None
            )

        def look_at_source(x: Tensor) -> Tensor:
            kept = cache.memory if cache else None
            return self.cross_attention(x, memory, source_is_real, cache=kept, record=record.cross if record else None)

        x = self.around_self_attention(x, look_back)
        x = self.around_cross_attention(x, look_at_source)
        return self.around_feed_forward(x, self.feed_forward)


class Decoder(nn.Module):
    """Embedded target [batch, target, d_model] and memory [batch, source, d_model] -> [batch, target, d_model].

    Every layer looks at the same memory: the output of the encoder's last layer.
    """

    def __init__(self, config: LayerConfig, num_layers: int, parts: Parts = STANDARD) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config, parts) for _ in range(num_layers))
        self.norm = build_last_norm(config, parts)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        causal: Tensor | None,
        source_is_real: Tensor | None,
        *,
        rotation: Rotation | None = None,
        caches: Sequence[CachesOfLayer] | None = None,
        record: AttentionRecord | None = None,
    ) -> Tensor:
        for index, layer in enumerate(self.layers):
            cache = caches[index] if caches else None
            x = layer(x, memory, causal, source_is_real, rotation=rotation, cache=cache, record=record)
        return self.norm(x)
