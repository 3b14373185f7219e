"""Where a token stands (3.5). Attention alone cannot see order; each class here tells it in its own way.

A kind of position either adds something to the embeddings, or turns queries and keys inside attention; every class
answers to both calls, so that a model need not ask which kind it has. Position ids count from 0 and are a tensor
[batch or 1, length]: what stands at a place is not always its index (padding, a cache, packed sentences).
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from attendo.errors import InputError
from attendo.model.config import LayerConfig


class Rotation(NamedTuple):  # of all kinds of records this is the one that every torch.compile can see through
    """Turns the pair (x_i, x_{i + d/2}) at position p by the angle p · ω_i ("rotate half")."""

    cos: Tensor  # [batch or 1, 1, length, head_dim]
    sin: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        """x [batch, heads, length, head_dim], same shape out."""
        first, second = x.chunk(2, dim=-1)
        turned = x * self.cos + torch.cat((-second, first), dim=-1) * self.sin
        return turned.to(x.dtype)  # under autocast x may be narrower than the angles


class Positions(nn.Module):
    """Both calls, doing nothing; each kind overrides the one it needs."""

    def forward(self, x: Tensor, position_ids: Tensor, end: int) -> Tensor:
        """Embeddings [batch, length, d_model] with their positions added; no position id reaches `end`."""
        return x

    def rotation(self, position_ids: Tensor, dtype: torch.dtype) -> Rotation | None:
        """What attention must do to queries and keys at these positions."""
        return None


class NoPositions(Positions):
    """The model sees a bag of tokens."""


class SinusoidalPositions(Positions):
    """PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(pos / 10000^(2i/d_model)).

    Computed anew for the positions at hand: no table, so no longest sentence. By halves, as Marian has them, all sines
    stand before all cosines.
    """

    def __init__(self, d_model: int, *, by_halves: bool = False) -> None:
        super().__init__()
        self.d_model, self.by_halves = d_model, by_halves

    def forward(self, x: Tensor, position_ids: Tensor, end: int) -> Tensor:
        return x + sinusoidal_encoding(position_ids, self.d_model, x.dtype, by_halves=self.by_halves)

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}{', by halves' if self.by_halves else ''}"


class LearnedPositions(Positions):
    """A row of numbers for each position, trained like any other parameter; there is a last one."""

    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(torch.empty(max_length, d_model))

    def forward(self, x: Tensor, position_ids: Tensor, end: int) -> Tensor:
        # `end` is a number of the host: reading the ids themselves would make it wait for the device.
        if end > self.max_length:
            raise InputError(
                f"a sequence of {end} tokens is longer than the {self.max_length} learned positions of this model "
                f"(max_length in its configuration)"
            )
        return x + self.weight[position_ids]

    def extra_repr(self) -> str:
        return f"{self.max_length}, {self.weight.shape[1]}"


class RotaryPositions(Positions):
    """Su et al. 2021: q at position m and k at position n are turned so that q·k depends on m - n alone."""

    def __init__(self, head_dim: int, base: float) -> None:
        super().__init__()
        self.head_dim, self.base = head_dim, base

    def rotation(self, position_ids: Tensor, dtype: torch.dtype) -> Rotation:
        angles = position_angles(position_ids, self.head_dim, self.base, dtype)  # [batch or 1, length, head_dim / 2]
        angles = torch.cat((angles, angles), dim=-1)[:, None]
        return Rotation(angles.cos().to(dtype), angles.sin().to(dtype))

    def extra_repr(self) -> str:
        return f"head_dim={self.head_dim}, base={self.base:g}"


def positions_within(segments: Tensor) -> Tensor:
    """Count from 0 anew in every sentence of a row: [[1, 1, 1, 2, 2, 0]] -> [[0, 1, 2, 0, 1, 0]]."""
    index = torch.arange(segments.shape[1], device=segments.device).expand_as(segments)
    starts = torch.ones_like(segments, dtype=torch.bool)
    starts[:, 1:] = segments[:, 1:] != segments[:, :-1]
    return index - index.masked_fill(~starts, 0).cummax(1).values


def position_angles(position_ids: Tensor, width: int, base: float, dtype: torch.dtype) -> Tensor:
    """pos · ω_i with ω_i = base^(-2i/width): [batch or 1, length, width / 2].

    Half precision cannot tell 1000 from 1001, so angles are float32 at least.
    """
    dtype = torch.promote_types(dtype, torch.float32)
    exponent = torch.arange(0, width, 2, device=position_ids.device, dtype=dtype) / width
    return position_ids[..., None].to(dtype) * base**-exponent


def sinusoidal_encoding(
    position_ids: Tensor, d_model: int, dtype: torch.dtype = torch.float32, *, by_halves: bool = False
) -> Tensor:
    """The paper's table for these positions, columns interleaved sin, cos, sin, …: [batch or 1, length, d_model]."""
    angles = position_angles(position_ids, d_model, 10_000.0, dtype)
    if by_halves:
        return torch.cat((angles.sin(), angles.cos()), dim=-1).to(dtype)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2).to(dtype)


def build_positions(config: LayerConfig) -> Positions:
    match config.positions:
        case "sinusoidal":
            return SinusoidalPositions(config.d_model)
        case "sinusoidal-halves":
            return SinusoidalPositions(config.d_model, by_halves=True)
        case "learned":
            return LearnedPositions(config.max_length, config.d_model)
        case "rotary":
            return RotaryPositions(config.head_dim, config.rotary_base)
        case "none":
            return NoPositions()
