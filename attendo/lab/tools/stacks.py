"""Stacks of encoder layers that learn to reverse a short sequence: L16 and L26 build on them."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attendo.data.batch import Batch
from attendo.lab.tools.toy_tasks import reversal_of_length
from attendo.lab.tools.toy_training import EncoderAlone, toy_config
from attendo.model.add_and_norm import AddAndNorm

SYMBOLS, LENGTH = 8, 6
# What is reached without a look at the source: </s> stands at the end, each symbol is as likely as the others.
BLIND = LENGTH / (LENGTH + 1) * math.log(SYMBOLS)
# Below that a stack has begun to use what it reads; one that does not stays at BLIND, give or take a hundredth.
TRAINED = 0.9 * BLIND


class NormAlone(AddAndNorm):
    """LayerNorm(Sublayer(x)): nothing is added."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return self.norm(self.dropout(sublayer(x)))


class Stack(EncoderAlone):
    """Predicts its source backwards: position i must output what stands at position n - i.

    `kind`: post-norm, pre-norm, or none, without residual connections.
    """

    def __init__(self, depth: int, kind: str, seed: int, d_model: int = 32, d_ff: int = 64) -> None:
        order = "pre" if kind == "pre" else "post"
        config = toy_config(SYMBOLS, d_model, d_ff, 2, tied_output=False, encoder_layers=depth, norm_order=order)
        torch.manual_seed(seed)
        super().__init__(config)
        for layer in self.encoder.layers if kind == "none" else ():
            layer.around_self_attention, layer.around_feed_forward = NormAlone(config), NormAlone(config)


def sequences(pairs: int, generator: torch.Generator) -> Batch:
    return reversal_of_length(LENGTH, SYMBOLS, pairs, generator)
