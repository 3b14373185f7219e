"""The ids that mean something to the machine rather than to a reader."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SpecialTokens:
    """Fixed for every model, so that no file needs to carry them."""

    pad: int = 0
    bos: int = 1  # <s>, what the decoder is fed before the first word
    eos: int = 2  # </s>, what it says when it is done
    unk: int = 3


SPECIAL = SpecialTokens()

# Nothing in a lossless tokenizer's text is <unk>, so to a model that guesses words it can say "hidden".
MASK = SPECIAL.unk


def pad_rows(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Padding after the shorter ones, so that they make a tensor: [[5, 2], [5, 6, 2]] -> [[5, 2, 0], [5, 6, 2]]"""
    longest = max(map(len, rows), default=0)
    return [[*row, *[SPECIAL.pad] * (longest - len(row))] for row in rows]
