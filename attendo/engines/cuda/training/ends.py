"""Both ends of a fused Transformer: from tokens to vectors, and from vectors to the loss.

All logits of a batch at once, 65,000 tokens times 32,000 words, would be 4 GB, and twice that in float32. Here a chunk
of tokens goes all the way, from vectors to logits to their gradient and back to the gradients of vectors and weights,
and the next takes its place. The gradients are those of the sum; the backward pass multiplies them by what it is given.
"""

from dataclasses import dataclass
from typing import Any, Protocol

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


class Criterion(Protocol):
    """Logits [copies × tokens, vocab] of all copies of a batch, which become their gradients -> losses [tokens]."""

    @property
    def copies(self) -> int: ...

    def __call__(self, logits: Tensor, targets: Tensor) -> Tensor: ...


@dataclass(frozen=True)
class CrossEntropyCriterion:
    programs: Programs
    smoothing: float
    copies: int = 1

    def __call__(self, logits: Tensor, targets: Tensor) -> Tensor:
        return self.programs.cross_entropy_(logits, targets, self.smoothing, SPECIAL.pad)


@dataclass(frozen=True)
class RDropCriterion:
    """R-Drop's: two copies that met different dropouts."""

    programs: Programs
    smoothing: float
    alpha: float
    copies: int = 2

    def __call__(self, logits: Tensor, targets: Tensor) -> Tensor:
        first, second = logits.chunk(2)
        return self.programs.agreement_(first, second, targets, self.smoothing, self.alpha, SPECIAL.pad)


class OutputLoss(torch.autograd.Function):
    """x [copies × tokens, d_model], the output's weight [vocab, d_model], targets [tokens] -> the sum of losses."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, half: Tensor, targets: Tensor, criterion: Criterion) -> Tensor:
        copies = criterion.copies
        at_once = max(1, CHUNK // (copies * len(half)))
        d_x, d_weight, losses = torch.empty_like(x), None, []
        x_of_copies, d_of_copies = (each.unflatten(0, (copies, -1)) for each in (x, d_x))
        for start in range(0, len(targets), at_once):
            some = slice(start, start + at_once)
            given = x_of_copies[:, some].flatten(0, 1)
            logits = given @ half.t()
            losses.append(criterion(logits, targets[some]))
            for gradient, into in zip(logits.chunk(copies), d_of_copies, strict=True):
                torch.mm(gradient, half, out=into[some])
            share = weight_gradient(logits, given)
            d_weight = share if d_weight is None else d_weight.add_(share)
            del logits
        ctx.save_for_backward(d_x, d_weight)
        return torch.cat(losses).sum()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        d_x, d_weight = ctx.saved_tensors
        scaled = (d_x.to(d_weight.dtype) * gradient).to(d_x.dtype)  # one over the tokens is not rounded
        return scaled, d_weight * gradient, None, None, None
