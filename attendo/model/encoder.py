"""The encoder (3.1, left half of figure 1): N layers of self-attention and feed-forward."""

from torch import Tensor, nn

from attendo.model.add_and_norm import build_add_and_norm, build_last_norm
from attendo.model.cache import PastCache
from attendo.model.config import LayerConfig
from attendo.model.feed_forward import build_feed_forward
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.positions import Rotation


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each inside Add & Norm."""

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(
            config.d_model, config.num_heads, bias=config.bias, dropout=config.attention_dropout
        )
        self.around_self_attention = build_add_and_norm(config)
        self.feed_forward = build_feed_forward(config)
        self.around_feed_forward = build_add_and_norm(config)

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

    def __init__(self, config: LayerConfig, num_layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(num_layers))
        self.norm = build_last_norm(config)

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
