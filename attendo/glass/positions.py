"""Where a token stands (3.5): something is added to its embedding, or its queries and keys are turned.

Positions count from 0 and are given as a list [n]: what a token is told need not be its index.
"""

from dataclasses import dataclass

import numpy as np

from attendo.errors import InputError
from attendo.glass.linear import Weights
from attendo.glass.trace import Array, Trace
from attendo.model.config import TransformerConfig


@dataclass(frozen=True)
class RotaryTurn:
    """Rotary positions (Su et al. 2021): the pair (x_i, x_{i + d/2}) at position p is turned by the angle p · ω_i."""

    cos: Array  # [n, d_k]
    sin: Array

    def turn(self, x: Array) -> Array:
        """x [..., n, d_k] -> the same shape."""
        first, second = np.split(x, 2, axis=-1)
        return x * self.cos + np.concatenate((-second, first), axis=-1) * self.sin


def add_positions(x: Array, positions: Array, config: TransformerConfig, weights: Weights, trace: Trace) -> Array:
    """x [..., n, d_model] with what is added at these positions [n]; nothing, where positions are rotary or none."""
    match config.positions:
        case "sinusoidal":
            return x + trace.keep("positions", sinusoidal_encoding(positions, config.d_model))
        case "sinusoidal-halves":
            return x + trace.keep("positions", halves_encoding(positions, config.d_model))
        case "learned":
            return x + trace.keep("positions", learned_encoding(positions, weights["weight"]))
        case _:
            return x


def rotation_at(positions: Array, config: TransformerConfig, trace: Trace) -> RotaryTurn | None:
    """What attention must do to queries and keys at these positions [n]."""
    if config.positions != "rotary":
        return None
    angles = trace.keep("angles", position_angles(positions, config.head_dim, config.rotary_base))  # [n, d_k / 2]
    angles = np.concatenate((angles, angles), axis=-1)
    return RotaryTurn(np.cos(angles), np.sin(angles))


def sinusoidal_encoding(positions: Array, d_model: int) -> Array:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(pos / 10000^(2i/d_model)): [n, d_model]"""
    angles = position_angles(positions, d_model, 10_000.0)
    return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(positions), d_model)


def halves_encoding(positions: Array, d_model: int) -> Array:
    """The same numbers, all sines before all cosines, as Marian has them: [n, d_model]"""
    angles = position_angles(positions, d_model, 10_000.0)
    return np.concatenate((np.sin(angles), np.cos(angles)), axis=-1)


def learned_encoding(positions: Array, table: Array) -> Array:
    """A row of numbers for each position; there is a last one."""
    if len(positions) and positions.max() >= len(table):
        raise InputError(
            f"a sequence of {positions.max() + 1} tokens is longer than the {len(table)} learned positions of this "
            f"model (max_length in its configuration)"
        )
    return table[positions]


def position_angles(positions: Array, width: int, base: float) -> Array:
    """pos · ω_i with ω_i = base^(-2i/width): [n, width / 2]"""
    exponent = np.arange(0, width, 2, dtype=np.float32) / width
    return positions[:, None].astype(np.float32) * np.float32(base) ** -exponent
