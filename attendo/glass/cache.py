"""Keys and values already computed, so that each decoding step computes only its own."""

from dataclasses import dataclass, field

import numpy as np

from attendo.glass.trace import Array

KeysAndValues = tuple[Array, Array]  # [rows, h, keys, d_k] each


@dataclass
class KeptKeys:
    """Of each decoder layer: those of the pieces so far, one more at each step; and those of the source."""

    past: dict[int, KeysAndValues] = field(default_factory=dict)
    memory: dict[int, KeysAndValues] = field(default_factory=dict)

    def grow(self, layer: int, new: KeysAndValues) -> KeysAndValues:
        """The new ones after those of the steps before; all of them are given back."""
        if layer in self.past:
            pairs = zip(self.past[layer], new, strict=True)
            K, V = (np.concatenate(pair, axis=-2) for pair in pairs)
            new = K, V
        self.past[layer] = new
        return new

    def reorder(self, rows: list[int]) -> None:
        """Row i becomes what row rows[i] was: each hypothesis follows the one that it continues."""
        self.past = {layer: (K[rows], V[rows]) for layer, (K, V) in self.past.items()}
