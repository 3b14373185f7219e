"""What backs an erratum: a computation of a few lines that tries the note's sentence and the corrected one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import torch
from torch import Tensor

from attendo.model.config import TransformerConfig
from attendo.model.transformer import Transformer

T = TypeVar("T")
ROUNDING = 1e-9  # in double precision; what differs by more is something else


@dataclass(frozen=True)
class Backing:
    """An erratum is backed where the sentence as noted is false and the corrected one is true."""

    noted: bool
    corrected: bool
    numbers: Mapping[str, float] = field(default_factory=dict)


def normal(*shape: int, seed: int = 1) -> Tensor:
    """Independent numbers with mean 0 and variance 1."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def seeded(build: Callable[[], T]) -> T:
    """With the same random weights every time; PyTorch's own generator is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return build()


def numbers_of(rows: Sequence[float] | Sequence[Sequence[float]]) -> Tensor:
    """((1, 0), (3, 3)) -> the matrix, in double precision."""
    return torch.tensor(rows, dtype=torch.float64)


def close(a: Tensor, b: Tensor | float) -> bool:
    """The same numbers in the same shape, to rounding."""
    other = torch.as_tensor(b, dtype=a.dtype)
    return a.shape == other.shape and bool((a - other).abs().max() < ROUNDING)


def small_transformer(layers: int = 2) -> Transformer:
    """Untrained, of the paper's kind, in double precision and without dropout."""
    sizes = TransformerConfig(
        vocab_size=20, d_model=16, d_ff=64, num_heads=4, encoder_layers=layers, decoder_layers=layers
    )
    return seeded(lambda: Transformer(sizes)).double().eval()
