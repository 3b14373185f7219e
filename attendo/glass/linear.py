"""Weights by their names in the model folder, and what most of them are for: x W + b."""

from collections.abc import Mapping
from dataclasses import dataclass

from attendo.glass.trace import Array


@dataclass(frozen=True)
class Weights:
    """`weights.part("encoder.layers.0")["…"]`: those of one part, by the rest of their names."""

    arrays: Mapping[str, Array]
    prefix: str = ""

    def part(self, name: str) -> "Weights":
        return Weights(self.arrays, f"{self.prefix}{name}.")

    def __getitem__(self, name: str) -> Array:
        return self.arrays[self.prefix + name]

    def __contains__(self, name: str) -> bool:
        return self.prefix + name in self.arrays


def linear(x: Array, weights: Weights) -> Array:
    """x W + b for each row of x [..., d_in] -> [..., d_out].

    The file holds W transposed, [d_out, d_in], as PyTorch does; a model without biases has no b.
    """
    product = x @ weights["weight"].T
    return product + weights["bias"] if "bias" in weights else product
