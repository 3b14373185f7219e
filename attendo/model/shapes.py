"""What a model of a configuration has learnt, by name and shape; without torch, and without building it.

    "encoder.layers.0.self_attention.query.weight": (512, 512)

The names and their order are those that the modules beside this file give their parameters (a test holds this list
against them); a tied weight stands once. A list of 1,000 layers takes some hundredths of a second.
"""

from collections.abc import Iterator
from math import prod

from attendo.model.config import (
    NUM_LENGTHS,
    Cell,
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    LayerConfig,
    ModelConfig,
    NonAutoregressiveConfig,
    RecurrentConfig,
    TransformerConfig,
)

Weight = tuple[str, tuple[int, ...]]

MATRICES: dict[Cell, int] = {"rnn": 1, "gru": 3, "lstm": 4}  # a cell has of each kind
STATES: dict[Cell, int] = {"rnn": 1, "gru": 1, "lstm": 2}  # a cell carries from step to step


def weight_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    match config:
        case TransformerConfig():
            return dict(transformer(config))
        case NonAutoregressiveConfig():
            return dict(non_autoregressive(config))
        case DecoderOnlyConfig():
            return dict(decoder_only(config))
        case EncoderOnlyConfig():
            return dict(encoder_only(config))
        case RecurrentConfig():
            return dict(recurrent(config))


def num_parameters(config: ModelConfig) -> int:
    return sum(map(prod, weight_shapes(config).values()))


# --- wholes


def transformer(config: TransformerConfig) -> Iterator[Weight]:
    yield "embedding.weight", (config.vocab_size, config.d_model)
    if not config.shared_embedding:
        yield "source_embedding.weight", (config.vocab_size, config.d_model)
    yield from positions("source_positions", config)
    yield from positions("target_positions", config)
    for index in range(config.encoder_layers):
        yield from encoder_layer(f"encoder.layers.{index}", config)
    yield from last_norm("encoder.norm", config)
    for index in range(config.decoder_layers):
        yield from decoder_layer(f"decoder.layers.{index}", config)
    yield from last_norm("decoder.norm", config)
    if not config.tied_output:
        yield "output.weight", (config.vocab_size, config.d_model)
    if config.output_bias:
        yield "output.bias", (config.vocab_size,)


def non_autoregressive(config: NonAutoregressiveConfig) -> Iterator[Weight]:
    for name, shape in transformer(config.of_parts()):
        yield f"parts.{name}", shape
    yield from linear("length", config.d_model, NUM_LENGTHS)


def decoder_only(config: DecoderOnlyConfig) -> Iterator[Weight]:
    yield "embedding.weight", (config.vocab_size, config.d_model)
    yield from positions("positions", config)
    for index in range(config.num_layers):
        yield from encoder_layer(f"layers.{index}", config)
    yield from last_norm("norm", config)
    if not config.tied_output:
        yield "output.weight", (config.vocab_size, config.d_model)


def encoder_only(config: EncoderOnlyConfig) -> Iterator[Weight]:
    yield "embedding.weight", (config.vocab_size, config.d_model)
    yield from positions("positions", config)
    yield "token_types.weight", (config.num_token_types, config.d_model)
    yield from norm("embedding_norm", config)
    for index in range(config.num_layers):
        yield from encoder_layer(f"encoder.layers.{index}", config)
    yield from last_norm("encoder.norm", config)
    yield from linear("head.dense", config.d_model, config.d_model)
    yield from norm("head.norm", config)
    yield "head.output.bias", (config.vocab_size,)


def recurrent(config: RecurrentConfig) -> Iterator[Weight]:
    d_model, cell = config.d_model, config.cell
    yield "embedding.weight", (config.vocab_size, d_model)
    for index in range(config.encoder_layers):
        yield from recurrent_layer(f"encoder.{index}.rightward", cell, d_model, d_model // 2)
        yield from recurrent_layer(f"encoder.{index}.leftward", cell, d_model, d_model // 2)
    yield from linear("bridge", d_model, config.decoder_layers * STATES[cell] * d_model)
    for index in range(config.decoder_layers):
        fed = d_model if config.input_feeding and index == 0 else 0
        yield from recurrent_layer(f"decoder.{index}", cell, d_model + fed, d_model)
    yield from source_attention("context", config)
    if not config.tied_output:
        yield "output.weight", (config.vocab_size, d_model)


# --- layers


def encoder_layer(name: str, config: LayerConfig) -> Iterator[Weight]:
    yield from attention(f"{name}.self_attention", config)
    yield from norm(f"{name}.around_self_attention.norm", config)
    yield from feed_forward(f"{name}.feed_forward", config)
    yield from norm(f"{name}.around_feed_forward.norm", config)


def decoder_layer(name: str, config: LayerConfig) -> Iterator[Weight]:
    yield from attention(f"{name}.self_attention", config)
    yield from attention(f"{name}.cross_attention", config)
    yield from feed_forward(f"{name}.feed_forward", config)
    for part in ("self_attention", "cross_attention", "feed_forward"):
        yield from norm(f"{name}.around_{part}.norm", config)


def recurrent_layer(name: str, cell: Cell, d_input: int, d_hidden: int) -> Iterator[Weight]:
    """The matrices of a cell below each other."""
    rows = MATRICES[cell] * d_hidden
    yield f"{name}.weight_ih_l0", (rows, d_input)
    yield f"{name}.weight_hh_l0", (rows, d_hidden)
    yield f"{name}.bias_ih_l0", (rows,)
    yield f"{name}.bias_hh_l0", (rows,)


# --- parts


def source_attention(name: str, config: RecurrentConfig) -> Iterator[Weight]:
    d_model = config.d_model
    if config.attention == "additive":
        yield from linear(f"{name}.attention.query", d_model, d_model, bias=False)
        yield from linear(f"{name}.attention.key", d_model, d_model)
        yield from linear(f"{name}.attention.score", d_model, 1, bias=False)
    elif config.attention == "general":
        yield from linear(f"{name}.attention.key", d_model, d_model, bias=False)
    if config.attention != "none":
        yield from linear(f"{name}.combine", 2 * d_model, d_model)


def attention(name: str, config: LayerConfig) -> Iterator[Weight]:
    kept = config.kv_heads * config.head_dim
    if config.compatibility == "additive":
        yield f"{name}.score", (config.num_heads, config.head_dim)
    for part, width in (("query", config.d_model), ("key", kept), ("value", kept), ("output", config.d_model)):
        yield from linear(f"{name}.{part}", config.d_model, width, bias=config.bias)


def feed_forward(name: str, config: LayerConfig) -> Iterator[Weight]:
    into, out = (("gate", "up"), "down") if config.activation == "swiglu" else (("inner",), "outer")
    for part in into:
        yield from linear(f"{name}.{part}", config.d_model, config.d_ff, bias=config.bias)
    yield from linear(f"{name}.{out}", config.d_ff, config.d_model, bias=config.bias)


def positions(name: str, config: LayerConfig) -> Iterator[Weight]:
    if config.positions == "learned":
        yield f"{name}.weight", (config.max_length, config.d_model)


def norm(name: str, config: LayerConfig) -> Iterator[Weight]:
    yield f"{name}.gain", (config.d_model,)
    if config.norm == "layer":
        yield f"{name}.bias", (config.d_model,)


def last_norm(name: str, config: LayerConfig) -> Iterator[Weight]:
    if config.norm_order == "pre":
        yield from norm(name, config)


def linear(name: str, d_input: int, d_output: int, *, bias: bool = True) -> Iterator[Weight]:
    yield f"{name}.weight", (d_output, d_input)
    if bias:
        yield f"{name}.bias", (d_output,)
