"""The encoder (3.1, left half of figure 1): N layers of self-attention and feed-forward."""

from torch import Tensor, nn

from attendo.model.add_and_norm import build_add_and_norm, build_last_norm
from attendo.model.cache import PastCache
from attendo.model.config import LayerConfig
from attendo.model.parts import STANDARD, Parts
from attendo.model.positions import Rotation


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each inside Add & Norm."""

    def __init__(self, config: LayerConfig, parts: Parts = STANDARD) -> None:
        super().__init__()
        self.self_attention = parts.self_attention(config)
        self.around_self_attention = build_add_and_norm(config, parts)
        self.feed_forward = parts.feed_forward(config)
        self.around_feed_forward = build_add_and_norm(config, parts)

    def forward(
        self,
        x: Tensor,
        may_attend: Tensor | None = None,
        *,
        rotation: Rotation | None = None,
        cache: PastCache | None = None,
        record: list[Tensor] | None = None,
    ) -> Tensor:
        def look_around(x: Tensor) -> Tensor:
            return self.self_attention(x, x, may_attend, rotation=rotation, cache=cache, record=record)

        x = self.around_self_attention(x, look_around)
        return self.around_feed_forward(x, self.feed_forward)


class Encoder(nn.Module):
    """Embedded source [batch, source, d_model] -> memory of the same shape, what the decoder will look at."""

    def __init__(self, config: LayerConfig, num_layers: int, parts: Parts = STANDARD) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config, parts) for _ in range(num_layers))
        self.norm = build_last_norm(config, parts)

    def forward(
        self,
        x: Tensor,
        may_attend: Tensor | None = None,
        *,
        rotation: Rotation | None = None,
        record: list[Tensor] | None = None,
    ) -> Tensor:
        for layer in self.layers:
            x = layer(x, may_attend, rotation=rotation, record=record)
        return self.norm(x)
