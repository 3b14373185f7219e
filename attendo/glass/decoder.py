"""The decoder (3.1, right half of figure 1): N layers of masked self-attention, cross-attention and feed-forward."""

from attendo.glass.add_and_norm import add_and_norm, last_norm
from attendo.glass.cache import KeptKeys
from attendo.glass.feed_forward import feed_forward
from attendo.glass.hands import Hands
from attendo.glass.linear import Weights
from attendo.glass.multi_head import keys_and_values, multi_head, queries
from attendo.glass.positions import RotaryTurn
from attendo.glass.trace import Array, Trace
from attendo.model.config import TransformerConfig


def decoder(
    x: Array,
    memory: Array,
    may_attend: Array | None,
    config: TransformerConfig,
    weights: Weights,
    trace: Trace,
    hands: Hands,
    rotation: RotaryTurn | None,
    kept: KeptKeys | None = None,
) -> Array:
    """Embedded target [..., target, d_model] and memory [source, d_model] -> [..., target, d_model].

    Every layer looks at the same memory: the output of the encoder's last layer. With `kept` x is one more step.
    """
    for layer in range(config.decoder_layers):
        its_weights, its_trace = weights.part(f"layers.{layer}"), trace.part(str(layer))
        x = decoder_layer(x, memory, may_attend, layer, config, its_weights, its_trace, hands, rotation, kept)
    return last_norm(x, config, weights.part("norm"), trace)


def decoder_layer(
    x: Array,
    memory: Array,
    may_attend: Array | None,
    layer: int,
    config: TransformerConfig,
    weights: Weights,
    trace: Trace,
    hands: Hands,
    rotation: RotaryTurn | None,
    kept: KeptKeys | None,
) -> Array:
    """Look at what was written, look at the source, think; each inside Add & Norm."""
    h = config.num_heads

    def look_back(x: Array) -> Array:
        its_weights, its_trace = weights.part("self_attention"), trace.part("self_attention")
        Q = queries(x, its_weights, h, its_trace, rotation)
        K, V = keys_and_values(x, its_weights, h, its_trace, rotation)
        if kept is not None:
            K, V = kept.grow(layer, (K, V))
        heads_off = hands.heads_off_in("decoder", layer)
        return multi_head(Q, K, V, its_weights, its_trace, may_attend, scale=hands.scale, heads_off=heads_off)

    def look_at_source(x: Array) -> Array:
        its_weights, its_trace = weights.part("cross_attention"), trace.part("cross_attention")
        Q = queries(x, its_weights, h, its_trace)
        if kept is not None and layer in kept.memory:
            K, V = kept.memory[layer]
        else:
            K, V = keys_and_values(memory, its_weights, h, its_trace, erased=hands.erase)
        if kept is not None:
            kept.memory[layer] = K, V
        heads_off = hands.heads_off_in("cross", layer)
        return multi_head(Q, K, V, its_weights, its_trace, scale=hands.scale, heads_off=heads_off)

    def think(x: Array) -> Array:
        off = ("decoder", layer) in hands.feed_forward_off
        return feed_forward(x, config, weights.part("feed_forward"), trace.part("feed_forward"), off=off)

    for name, sublayer in (
        ("self_attention", look_back),
        ("cross_attention", look_at_source),
        ("feed_forward", think),
    ):
        x = add_and_norm(x, sublayer, config, weights.part(f"around_{name}.norm"), trace.part(name))
    return x
