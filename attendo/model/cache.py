"""Keys and values already computed, so that each decoding step computes only its own.

A cache is handed to an attention module, which asks it to `fetch` keys and values and says how to compute new ones.
The two uses of attention in a decoder differ in what is remembered, hence two classes.
"""

from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor

KeysValues = tuple[Tensor, Tensor]  # each [batch, heads, keys, head_dim]


def sentences_of(index: Tensor, rows_per_sentence: int, sentences: int) -> Tensor | None:
    """Which sentences' memories to keep when rows are reordered by `index`, if not simply all as they are.

    So far each of the sentences has had so many rows, side by side, and one memory for them. index [sentences, n] has
    a line for each sentence that stays, in the old order; index [rows] is any choice, and each row gets a memory.

        2 sentences of 2 rows:   [[2, 2]] -> [1]     [[1, 0], [2, 2]] -> None     [3, 0, 1] -> [1, 0, 0]
    """
    if index.dim() == 2 and len(index) == sentences:
        return None
    return (index if index.dim() == 1 else index[:, 0]) // rows_per_sentence


def rows_of(pair: KeysValues, index: Tensor) -> KeysValues:
    """pair[index] for both; `index_select`, which copies whole rows, is several times as fast as brackets."""
    return pair[0].index_select(0, index), pair[1].index_select(0, index)


class Cache(Protocol):
    def fetch(self, compute: Callable[[], KeysValues]) -> KeysValues: ...


class PastCache:
    """Self-attention: every step adds its own keys and values after those of the steps before."""

    def __init__(self) -> None:
        self.past: KeysValues | None = None

    def fetch(self, compute: Callable[[], KeysValues]) -> KeysValues:
        keys, values = compute()
        if self.past is not None:
            keys, values = torch.cat((self.past[0], keys), dim=2), torch.cat((self.past[1], values), dim=2)
        self.past = keys, values
        return self.past

    def reorder(self, index: Tensor) -> None:
        """Row i becomes what row index[i] was; rows may repeat or be left out."""
        if self.past is not None:
            self.past = rows_of(self.past, index)


class MemoryCache:
    """Cross-attention: the memory never changes, so its keys and values are computed once."""

    def __init__(self) -> None:
        self.memory: KeysValues | None = None

    def fetch(self, compute: Callable[[], KeysValues]) -> KeysValues:
        if self.memory is None:
            self.memory = compute()
        return self.memory

    def reorder(self, index: Tensor) -> None:
        if self.memory is not None:
            self.memory = rows_of(self.memory, index)
