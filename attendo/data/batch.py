"""A batch: what the encoder reads, what the decoder is fed, and what it should say."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attendo.special_tokens import SPECIAL


@dataclass(frozen=True)
class Batch:
    """Token ids, padded behind each sentence, at least one of them.

    target_in is target_out shifted right behind <s>, so position n is fed the n-1 tokens before the one it must say.
    """

    source: Tensor  # [batch, source]
    target_in: Tensor  # [batch, target]
    target_out: Tensor  # [batch, target]
    num_target_tokens: int  # real ones, </s> included

    @classmethod
    def from_pairs(cls, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> "Batch":
        """Pairs of (source pieces, target pieces), without </s> or padding; both are added here."""
        return cls(
            source=padded([[*source, SPECIAL.eos] for source, _ in pairs]),
            target_in=padded([[SPECIAL.bos, *target] for _, target in pairs]),
            target_out=padded([[*target, SPECIAL.eos] for _, target in pairs]),
            num_target_tokens=sum(len(target) + 1 for _, target in pairs),
        )

    def to(self, device: torch.device | str) -> "Batch":
        return Batch(
            self.source.to(device, non_blocking=True),
            self.target_in.to(device, non_blocking=True),
            self.target_out.to(device, non_blocking=True),
            self.num_target_tokens,
        )


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """[[5, 2], [5, 6, 2]]  ->  [[5, 2, 0], [5, 6, 2]]"""
    longest = max(len(row) for row in rows)
    return torch.tensor([[*row, *[SPECIAL.pad] * (longest - len(row))] for row in rows])
