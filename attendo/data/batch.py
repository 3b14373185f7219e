"""A batch: what the encoder reads, what the decoder is fed, and what it should say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attendo.files.arguments import as_list, wrong_argument
from attendo.special_tokens import SPECIAL, pad_rows


@dataclass(frozen=True)
class Batch:
    """Token ids, padded after each sentence, at least one of them.

    target_in is target_out shifted right after <s>, so position n is fed the n-1 tokens before the one it must say.

    >>> batch = attendo.Batch.from_pairs([([5, 6], [7]), ([8], [9, 10])])
    >>> batch.target_out.tolist(), batch.num_target_tokens
    ([[7, 2, 0], [9, 10, 2]], 5)
    """

    source: Tensor  # [batch, source]
    target_in: Tensor  # [batch, target]
    target_out: Tensor  # [batch, target]
    num_target_tokens: int  # real ones, </s> included
    # With several pairs in a row: which pair each position belongs to, [batch, source] and [batch, target]; 0 is none.
    segments: tuple[Tensor, Tensor] | None = None

    @classmethod
    def from_pairs(cls, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> "Batch":
        """Pairs of (source pieces, target pieces), without </s> or padding; both are added here."""
        expected = "pairs of (source, target), at least one, both lists of token ids"
        if not isinstance(pairs, (list, tuple)):
            pairs = as_list("pairs", pairs, expected)
        try:  # and no look at each: a run makes all its batches here
            batch = cls(
                source=padded([[*source, SPECIAL.eos] for source, _ in pairs]),
                target_in=padded([[SPECIAL.bos, *target] for _, target in pairs]),
                target_out=padded([[*target, SPECIAL.eos] for _, target in pairs]),
                num_target_tokens=sum(len(target) + 1 for _, target in pairs),
            )
        except (TypeError, ValueError, RuntimeError, OverflowError) as error:
            raise wrong_argument("pairs", pairs, expected) from error
        if not pairs or {batch.source.dtype, batch.target_in.dtype} != {torch.int64}:
            raise wrong_argument("pairs", pairs, expected)
        return batch

    @property
    def num_bytes(self) -> int:
        return sum(tensor.nbytes for tensor in (self.source, self.target_in, self.target_out, *(self.segments or ())))

    def to(self, device: torch.device | str) -> "Batch":
        return self.each(lambda tensor: tensor.to(device, non_blocking=True))

    def pinned(self) -> "Batch":
        """In memory that a GPU can read by itself."""
        return self.each(Tensor.pin_memory)

    def each(self, change: Callable[[Tensor], Tensor]) -> "Batch":
        segments = None if self.segments is None else (change(self.segments[0]), change(self.segments[1]))
        source, target_in, target_out = map(change, (self.source, self.target_in, self.target_out))
        return Batch(source, target_in, target_out, self.num_target_tokens, segments)

    def count_target_tokens(self) -> Tensor:
        """num_target_tokens, counted where the batch lies."""
        return (self.target_out != SPECIAL.pad).sum()

    def halves(self) -> "list[Batch]":
        """The upper and the lower rows, for a device that has no room for all; a single row cannot be cut."""
        cut = len(self.source) // 2
        halves = [self.each(lambda tensor: tensor[:cut]), self.each(lambda tensor: tensor[cut:])]
        return [half.counted() for half in halves if len(half.source)]

    def counted(self) -> "Batch":
        """With num_target_tokens as it is; after rows were taken away."""
        return replace(self, num_target_tokens=int(self.count_target_tokens()))


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """[[5, 2], [5, 6, 2]]  ->  [[5, 2, 0], [5, 6, 2]]"""
    return torch.tensor(pad_rows(rows))
