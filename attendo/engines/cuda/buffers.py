"""Tensors with a line for each sentence, in memory that stays where it is.

A step that was recorded on a GPU finds its numbers by their addresses. So a search takes its tensors from blocks that
outlive it, and the next search, of whatever shape, takes its own from the same blocks. As the sentences are the first
dimension of every tensor, those of fewer sentences are simply the first lines of those of more.
"""

import math
from dataclasses import replace
from typing import TypeVar

import torch
from torch import Tensor

from attendo.decoding.beam_rules import PerSentence, TensorLayout

Lines = TypeVar("Lines", bound=PerSentence)


class Buffers:
    """Blocks of memory by name; what is cut from them later takes the place of what was cut before."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.blocks: dict[str, Tensor] = {}
        self.moves = 0  # how often a block was given up for another: what was recorded before is void

    def zeros(self, kind: type[PerSentence], layout: TensorLayout) -> dict[str, Tensor]:
        """Zeros and False: not what was left there, for 0 × NaN is NaN even where a weight is 0."""
        return {name: self.cut(f"{kind.__name__}.{name}", *of_one).zero_() for name, of_one in layout.items()}

    def cut(self, name: str, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        size = math.prod(shape)
        block = self.blocks.get(name)
        if block is None or block.dtype != dtype or len(block) < size:
            self.blocks.pop(name, None)  # given back first: there may be no room for both
            del block
            block = self.blocks[name] = torch.empty(size, dtype=dtype, device=self.device)
            self.moves += 1
        return block[:size].view(shape)

    def grown(self, lines: Lines, layout: TensorLayout) -> Lines:
        """The same numbers in larger tensors, all in the first corner; zeros beyond."""
        before = {name: tensor.clone() for name, tensor in lines.tensors().items()}
        larger = replace(lines, **self.zeros(type(lines), layout))
        for name, tensor in larger.tensors().items():
            tensor[tuple(map(slice, before[name].shape))] = before[name]
        return larger
