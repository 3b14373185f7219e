"""The small interface between reading a text and computing: rows of ids in, a vector for each token out.

There is no torch here, and numpy is imported by those who compute.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class EncodingEngine(Protocol):
    @property
    def name(self) -> str:
        """For people: which engine answered, and where it ran."""

    @property
    def longest(self) -> int:
        """The most tokens a row may have; learned positions come to an end."""

    @property
    def tokens_per_batch(self) -> int:
        """How many tokens, padding counted, are best encoded together."""

    def encode(self, rows: Sequence[Sequence[int]]) -> "list[Floats]":
        """For each row what the last layer gives, [tokens, d_model]."""

    def guess(self, rows: Sequence[Sequence[int]], positions: Sequence[Sequence[int]]) -> "list[Floats]":
        """For each row the log-probabilities of all tokens at its positions, [positions, vocab]; of an encoder-only
        model alone."""
