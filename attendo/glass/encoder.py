"""The encoder (3.1, left half of figure 1): N layers of self-attention and feed-forward."""

from attendo.glass.add_and_norm import add_and_norm, last_norm
from attendo.glass.feed_forward import feed_forward
from attendo.glass.hands import Hands
from attendo.glass.linear import Weights
from attendo.glass.multi_head import keys_and_values, multi_head, queries
from attendo.glass.positions import RotaryTurn
from attendo.glass.trace import Array, Trace
from attendo.model.config import TransformerConfig


def encoder(
    x: Array, config: TransformerConfig, weights: Weights, trace: Trace, hands: Hands, rotation: RotaryTurn | None
) -> Array:
    """Embedded source [source, d_model] -> memory of the same shape, what the decoder will look at."""
    for layer in range(config.encoder_layers):
        x = encoder_layer(x, layer, config, weights.part(f"layers.{layer}"), trace.part(str(layer)), hands, rotation)
    return last_norm(x, config, weights.part("norm"), trace)


def encoder_layer(
    x: Array,
    layer: int,
    config: TransformerConfig,
    weights: Weights,
    trace: Trace,
    hands: Hands,
    rotation: RotaryTurn | None,
) -> Array:
    """Self-attention, then feed-forward, each inside Add & Norm."""
    h = config.num_heads

    def look_around(x: Array) -> Array:
        its_weights, its_trace = weights.part("self_attention"), trace.part("self_attention")
        Q = queries(x, its_weights, h, its_trace, rotation)
        K, V = keys_and_values(x, its_weights, h, its_trace, rotation, hands.erase)
        heads_off = hands.heads_off_in("encoder", layer)
        return multi_head(Q, K, V, its_weights, its_trace, scale=hands.scale, heads_off=heads_off)

    def think(x: Array) -> Array:
        off = ("encoder", layer) in hands.feed_forward_off
        return feed_forward(x, config, weights.part("feed_forward"), trace.part("feed_forward"), off=off)

    norms = weights.part("around_self_attention.norm"), weights.part("around_feed_forward.norm")
    x = add_and_norm(x, look_around, config, norms[0], trace.part("self_attention"))
    return add_and_norm(x, think, config, norms[1], trace.part("feed_forward"))
