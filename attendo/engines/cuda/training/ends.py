"""Both ends of a fused Transformer: from tokens to vectors, and from vectors to the loss.

All logits of a batch at once, 65,000 tokens times 32,000 words, would be 4 GB, and twice that in float32. Here a chunk
of tokens goes all the way, from vectors to logits to their gradient and back to the gradients of vectors and weights,
and the next takes its place. The gradients are those of the sum; the backward pass multiplies them by what it is given.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attendo.engines.cuda.training.products import weight_gradient
from attendo.engines.cuda.training.programs import Programs
from attendo.special_tokens import SPECIAL

CHUNK = 2**29  # logits at a time: 1 GiB in half precision


@dataclass(frozen=True)
class Embedded:
    """Which tokens [tokens] stand at which places; the rows of all positions, and a factor for the table's rows."""

    programs: Programs
    tokens: Tensor
    places: Tensor
    positions: Tensor
    factor: float
    dropout: float
    seed: Tensor
    dtype: torch.dtype


class Embed(torch.autograd.Function):
    """table [vocab, d_model] -> [tokens, d_model]"""

    @staticmethod
    def forward(ctx: Any, table: Tensor, how: Embedded) -> Tensor:
        ctx.how, ctx.vocabulary = how, len(table)
        return how.programs.embed(
            table, how.tokens, how.positions, how.places, how.factor, how.seed, how.dropout, how.dtype
        )

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        how: Embedded = ctx.how
        return how.programs.embed_gradient(
            gradient.contiguous(), how.tokens, ctx.vocabulary, how.factor, how.seed, how.dropout
        ), None


class OutputLoss(torch.autograd.Function):
    """x [tokens, d_model], the output's weight [vocab, d_model], targets [tokens] -> the sum of cross entropies."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, half: Tensor, targets: Tensor, smoothing: float, programs: Programs
    ) -> Tensor:
        at_once = max(1, CHUNK // len(half))
        d_x, d_weight, losses = torch.empty_like(x), None, []
        for start in range(0, len(x), at_once):
            some = slice(start, start + at_once)
            logits = x[some] @ half.t()
            losses.append(programs.cross_entropy_(logits, targets[some], smoothing, SPECIAL.pad))
            torch.mm(logits, half, out=d_x[some])
            share = weight_gradient(logits, x[some])
            d_weight = share if d_weight is None else d_weight.add_(share)
            del logits
        ctx.save_for_backward(d_x, d_weight)
        return torch.cat(losses).sum()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        d_x, d_weight = ctx.saved_tensors
        scaled = (d_x.to(d_weight.dtype) * gradient).to(d_x.dtype)  # one over the tokens is not rounded
        return scaled, d_weight * gradient, None, None, None, None
