"""Can a number in the model become too large for float32, whatever it reads? Answered from the weights alone.

A norm makes every vector small again: |gain · x / √mean(x²) + bias| ≤ |gain| √d_model + |bias|. A linear layer makes of
numbers up to m such up to m · Σ|w| + |b|, over a row. Attention gives means of values, an activation what is no larger
than its input. So a bound can be carried from the embeddings to the last layer. It is far above what really happens,
and for trained models far below what float32 can no longer square and sum, 10^19: for the default model 3 · 10^6.

An engine that met an infinite number would go on with NaN, and say something.
"""

import math
from pathlib import Path

import numpy as np

from attendo.errors import InputError
from attendo.files.tensor_arrays import Arrays
from attendo.model.config import (
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    LayerConfig,
    NonAutoregressiveConfig,
    TransformerConfig,
)

LARGEST = 1e15


def check_no_overflow(path: Path, config: LayerConfig, weights: Arrays) -> None:
    bounds = Bounds(path, config, weights)
    match config:
        case TransformerConfig():
            scale = math.sqrt(config.d_model)
            embedded = bounds.largest("embedding.weight") * scale
            table = "embedding" if config.shared_embedding else "source_embedding"
            source = bounds.positioned(bounds.largest(f"{table}.weight") * scale, "source_positions")
            memory = bounds.stack("encoder", config.encoder_layers, source)
            bounds.stack("decoder", config.decoder_layers, bounds.positioned(embedded, "target_positions"), memory)
        case NonAutoregressiveConfig():  # what guesses the length reads a mean of the memory, and is one matrix
            inner = {name.removeprefix("parts."): numbers for name, numbers in weights.items()}
            check_no_overflow(path, config.of_parts(), inner)
        case DecoderOnlyConfig():
            bounds.stack("", config.num_layers, bounds.positioned(bounds.largest("embedding.weight"), "positions"))
        case EncoderOnlyConfig():
            bounds.stack("encoder", config.num_layers, bounds.normed("embedding_norm"))


class Bounds:
    """Of the size of any number, at each place of a model."""

    def __init__(self, path: Path, config: LayerConfig, weights: Arrays) -> None:
        self.path, self.config, self.weights = path, config, weights

    def largest(self, name: str) -> float:
        return float(np.abs(self.weights[name]).max())

    def positioned(self, x: float, name: str) -> float:
        match self.config.positions:
            case "learned":
                return x + self.largest(f"{name}.weight")
            case "sinusoidal" | "sinusoidal-halves":
                return x + 1
        return x

    def stack(self, name: str, layers: int, x: float, memory: float | None = None) -> float:
        """What comes out of it, of numbers up to x."""
        prefix = f"{name}." if name else ""
        for index in range(layers):
            layer = f"{prefix}layers.{index}"
            x = self.around(layer, "self_attention", x)
            if memory is not None:
                x = self.around(layer, "cross_attention", x, memory)
            x = self.around(layer, "feed_forward", x)
        return self.normed(f"{prefix}norm") if self.config.norm_order == "pre" else x

    def around(self, layer: str, part: str, x: float, memory: float | None = None) -> float:
        """Residual connection and norm, in the order that the model has."""
        norm = self.normed(f"{layer}.around_{part}.norm")
        before = norm if self.config.norm_order == "pre" else x
        if part == "feed_forward":
            inside = self.feed_forward(f"{layer}.{part}", before)
        else:
            inside = self.attention(f"{layer}.{part}", before, before if memory is None else memory)
        after = self.check(x + inside, f"{layer}.{part}")
        return after if self.config.norm_order == "pre" else norm

    def attention(self, name: str, x: float, memory: float) -> float:
        self.linear(f"{name}.query", x)
        self.linear(f"{name}.key", memory)
        if self.config.compatibility == "additive":  # w · tanh(…), and a tanh is at most 1
            self.check(
                float(np.abs(self.weights[f"{name}.score"]).sum(axis=1, dtype=np.float64).max()), f"{name}.score"
            )
        return self.linear(f"{name}.output", self.linear(f"{name}.value", memory))

    def feed_forward(self, name: str, x: float) -> float:
        if self.config.activation == "swiglu":
            product = self.linear(f"{name}.gate", x) * self.linear(f"{name}.up", x)
            return self.linear(f"{name}.down", self.check(product, name))
        return self.linear(f"{name}.outer", self.linear(f"{name}.inner", x))

    def linear(self, name: str, x: float) -> float:
        rows = np.abs(self.weights[f"{name}.weight"]).sum(axis=1, dtype=np.float64) * x
        if self.config.bias:
            rows += np.abs(self.weights[f"{name}.bias"])
        return self.check(float(rows.max()), name)

    def normed(self, name: str) -> float:
        columns = np.abs(self.weights[f"{name}.gain"]).astype(np.float64) * math.sqrt(self.config.d_model)
        if self.config.norm == "layer":
            columns += np.abs(self.weights[f"{name}.bias"])
        return float(columns.max())

    def check(self, bound: float, name: str) -> float:
        if bound > LARGEST:
            raise InputError(
                f"{self.path}: these weights are too large: the numbers of {name!r} can reach {bound:.1e}, "
                f"expected at most {LARGEST:.0e}"
            )
        return bound
