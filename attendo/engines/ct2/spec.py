"""Our Transformer in the words of CTranslate2's model specification, by numpy alone.

ours                                     CTranslate2
embedding, scaled by √d_model            embeddings, scale_embeddings
positions                                position_encodings: a table, so that ours may be interleaved
query, key, value (three matrices)       linear_0 (stacked; for cross-attention query | key + value)
around_… .norm                           layer_norm of the part it stands around
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attendo.engines.ct2.conversion import POSITIONS
from attendo.errors import InputError
from attendo.files.tensor_arrays import Arrays
from attendo.model.config import LayerConfig, TransformerConfig
from attendo.model_folder.optional_keys import AlignmentHeads
from attendo.special_tokens import SPECIAL


def specification(
    config: TransformerConfig,
    weights: Arrays,
    alignment: AlignmentHeads | None = None,
    said: NDArray[Any] | None = None,
) -> Any:
    """Filled with the weights, ready to be written. Every weight is used, or it is an error.

    What it says of attention is the mean over the first heads of one layer: so the heads chosen for that come first.
    With `said` the target side has these tokens alone, and the decoder's tables have as many rows.
    """
    with without_torch():
        from ctranslate2 import specs
    shared = layer_options(config, specs)
    spec = specs.TransformerSpec(
        specs.TransformerEncoderSpec(config.encoder_layers, **shared),
        specs.TransformerDecoderSpec(config.decoder_layers, **shared),
    )
    if alignment:
        weights = heads_first(weights, config, alignment)
        spec.decoder.alignment_layer = np.dtype("int16").type(alignment.layer)
        spec.decoder.alignment_heads = np.dtype("int16").type(len(alignment.heads))
    Filling(config, dict(weights), said).fill(spec)
    # It knows tokens by names. Ours have numbers, so their names are numbers, also of those it must recognise.
    spec.register_source_vocabulary(list(map(str, range(config.vocab_size))))
    spec.register_target_vocabulary(list(map(str, range(config.vocab_size) if said is None else said)))
    spec.config.unk_token, spec.config.eos_token = str(SPECIAL.unk), str(SPECIAL.eos)
    spec.config.bos_token = spec.config.decoder_start_token = str(SPECIAL.bos)
    spec.config.layer_norm_epsilon = config.norm_eps
    spec.validate()
    return spec


def heads_first(weights: Arrays, config: TransformerConfig, alignment: AlignmentHeads) -> Arrays:
    """The heads of one layer's cross-attention in another order, which changes nothing of what comes out: head h reads
    by its rows of W_Q, W_K and W_V, and W_O adds up what all have seen."""
    others = (head for head in range(config.num_heads) if head not in alignment.heads)
    order = np.array([*alignment.heads, *others])
    size = config.d_model // config.num_heads
    rows = (order[:, None] * size + np.arange(size)).ravel()
    name = f"decoder.layers.{alignment.layer}.cross_attention"
    moved = {
        key: weights[key][rows]
        for part in QKV
        for key in (f"{name}.{part}.weight", f"{name}.{part}.bias")
        if key in weights
    }
    output = f"{name}.output.weight"
    return {**weights, **moved, output: weights[output][:, rows]} if output in weights else weights


def layer_options(config: LayerConfig, specs: Any) -> dict[str, Any]:
    """What its classes for encoders and decoders are told of a layer."""
    activation = {
        "relu": specs.common_spec.Activation.RELU,
        "gelu": specs.common_spec.Activation.GELU,
        "swish": specs.common_spec.Activation.SWISH,
        "swiglu": specs.common_spec.Activation.SWISH,
    }[config.activation]
    rotary = {"rotary_dim": 0, "rotary_interleave": False, "rotary_base": config.rotary_base}
    return {
        "num_heads": config.num_heads,
        "pre_norm": config.norm_order == "pre",
        "activation": activation,
        "ffn_glu": config.activation == "swiglu",
        "rms_norm": config.norm == "rms",
        **(rotary if config.positions == "rotary" else {}),
    }


class Filling:
    """Weights are taken away as they find their place."""

    def __init__(self, config: LayerConfig, weights: Arrays, said: NDArray[Any] | None = None) -> None:
        self.config, self.weights, self.said = config, weights, said

    def fill(self, spec: Any) -> None:
        """Of an encoder-decoder."""
        # In 8 bits CTranslate2 rounds a table where it lies, and other forms are made of the same weights.
        embedding = self.take("embedding.weight").copy()
        assert isinstance(self.config, TransformerConfig)  # noqa: S101 - for others `fill` is another
        source = embedding if self.config.shared_embedding else self.take("source_embedding.weight").copy()
        self.stack(spec.encoder, "encoder", source, "source_positions")
        self.stack(spec.decoder, "decoder", self.rows(embedding), "target_positions")
        output = embedding if self.config.tied_output else self.take("output.weight").copy()
        spec.decoder.projection.weight = self.rows(output)
        if self.config.output_bias:
            spec.decoder.projection.bias = self.rows(self.take("output.bias"))
        self.check_all_taken("a Transformer")

    def stack(self, stack: Any, side: str, embedding: NDArray[np.float32], positions: str) -> None:
        """The encoder or the decoder, up to its last norm."""
        embeddings = stack.embeddings[0] if side == "encoder" else stack.embeddings
        embeddings.weight = embedding
        stack.scale_embeddings = True
        if self.config.positions != "rotary":
            stack.position_encodings.encodings = self.positions(f"{positions}.weight")
        for index, layer in enumerate(stack.layer):
            self.layer(layer, f"{side}.layers.{index}", is_decoder=side == "decoder")
        if self.config.norm_order == "pre":
            self.norm(stack.layer_norm, f"{side}.norm")

    def rows(self, table: NDArray[np.float32]) -> NDArray[np.float32]:
        """Of the tokens that are said."""
        return table if self.said is None else table[self.said]

    def check_all_taken(self, by: str) -> None:
        if self.weights:
            raise InputError(f"the weight {min(self.weights)!r} has no place in {by}")

    def layer(self, spec: Any, name: str, *, is_decoder: bool) -> None:
        self.linear(spec.self_attention.linear[0], *(f"{name}.self_attention.{part}" for part in QKV))
        self.linear(spec.self_attention.linear[1], f"{name}.self_attention.output")
        self.norm(spec.self_attention.layer_norm, f"{name}.around_self_attention.norm")
        if is_decoder:
            self.linear(spec.attention.linear[0], f"{name}.cross_attention.query")
            self.linear(spec.attention.linear[1], *(f"{name}.cross_attention.{part}" for part in QKV[1:]))
            self.linear(spec.attention.linear[2], f"{name}.cross_attention.output")
            self.norm(spec.attention.layer_norm, f"{name}.around_cross_attention.norm")
        self.norm(spec.ffn.layer_norm, f"{name}.around_feed_forward.norm")
        if self.config.activation == "swiglu":
            self.linear(spec.ffn.linear_0, f"{name}.feed_forward.gate")
            self.linear(spec.ffn.linear_0_noact, f"{name}.feed_forward.up")
            self.linear(spec.ffn.linear_1, f"{name}.feed_forward.down")
        else:
            self.linear(spec.ffn.linear_0, f"{name}.feed_forward.inner")
            self.linear(spec.ffn.linear_1, f"{name}.feed_forward.outer")

    def linear(self, spec: Any, *names: str) -> None:
        """One matrix, or several below each other."""
        spec.weight = np.concatenate([self.take(f"{name}.weight") for name in names])
        if self.config.bias:
            spec.bias = np.concatenate([self.take(f"{name}.bias") for name in names])

    def norm(self, spec: Any, name: str) -> None:
        spec.gamma = self.take(f"{name}.gain")
        if self.config.norm == "layer":
            spec.beta = self.take(f"{name}.bias")

    def positions(self, name: str) -> NDArray[np.float32]:
        """The table, with a row more, which nobody reaches, where a matrix has as many: of equal tensors the library
        writes one, and if both are zero that one would become whole numbers, as matrices do and positions do not."""
        match self.config.positions:
            case "learned":
                table = self.take(name)
            case "none":
                table = np.zeros((POSITIONS, self.config.d_model), dtype=np.float32)
            case kind:
                table = sinusoidal(POSITIONS, self.config.d_model, by_halves=kind == "sinusoidal-halves")
        d_model = self.config.d_model
        others = (self.config.vocab_size, self.config.d_ff, getattr(self.config, "num_token_types", 0))
        said = -1 if self.said is None else len(self.said)
        while len(table) in (*others, said, d_model, 2 * d_model, 3 * d_model):
            table = np.concatenate([table, np.zeros_like(table[:1])])
        return table

    def take(self, name: str) -> NDArray[np.float32]:
        try:
            return self.weights.pop(name)
        except KeyError:
            raise InputError(f"the weight {name!r} is missing") from None


QKV = ("query", "key", "value")


def sinusoidal(positions: int, d_model: int, *, by_halves: bool = False) -> NDArray[np.float32]:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos of the same (3.5)."""
    angles = np.arange(positions)[:, None] / 10_000 ** (np.arange(0, d_model, 2) / d_model)
    if by_halves:
        return np.concatenate((np.sin(angles), np.cos(angles)), axis=1).astype(np.float32)
    return np.stack((np.sin(angles), np.cos(angles)), axis=2).reshape(positions, d_model).astype(np.float32)


@contextmanager
def without_torch() -> Iterator[None]:
    """The specification would import torch, if it is there, only to ask whether something is one of its tensors."""
    if "torch" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment]  # what Python takes for "there is no such module"
    try:
        yield
    finally:
        del sys.modules["torch"]
