"""What a fused step is made of besides matrix products: Triton's programs, or the same written out in torch."""

from typing import Protocol

import torch
from torch import Tensor

from attendo.engines.cuda.training.intervals import Intervals


class Programs(Protocol):
    """A `seed` is four int32, of which two count; the same seed drops the same numbers in both directions."""

    def embed(
        self, table: Tensor, tokens: Tensor, positions: Tensor, places: Tensor, factor: float, seed: Tensor,
        dropout: float, dtype: torch.dtype,
    ) -> Tensor: ...  # fmt: skip

    def embed_gradient(
        self, gradient: Tensor, tokens: Tensor, vocabulary: int, factor: float, seed: Tensor, dropout: float
    ) -> Tensor: ...

    def attend(self, q: Tensor, k: Tensor, v: Tensor, sees: Intervals, heads: int) -> tuple[Tensor, Tensor]: ...

    def attend_gradient(
        self, d_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, log_total: Tensor, sees: Intervals,
        heads: int, into: tuple[Tensor, Tensor, Tensor],
    ) -> tuple[Tensor, Tensor]: ...  # fmt: skip

    def residual_norm(
        self, x: Tensor, y: Tensor, bias: Tensor, gain: Tensor, offset: Tensor, eps: float, seed: Tensor,
        dropout: float,
    ) -> tuple[Tensor, Tensor]: ...  # fmt: skip

    def residual_norm_gradient(
        self, d_normed: Tensor, d_total: Tensor | None, total: Tensor, gain: Tensor, eps: float, seed: Tensor,
        dropout: float,
    ) -> tuple[Tensor, Tensor, Tensor]: ...  # fmt: skip

    def relu_gradient_(self, gradient: Tensor, activated: Tensor) -> Tensor: ...

    def cross_entropy_(self, logits: Tensor, targets: Tensor, smoothing: float, pad: int) -> Tensor: ...

    def agreement_(
        self, first: Tensor, second: Tensor, targets: Tensor, smoothing: float, alpha: float, pad: int
    ) -> Tensor: ...


class OnDevice:
    """Triton's (engines/cuda/kernels). Each is imported where it is called: there is no Triton without a GPU."""

    def embed(
        self, table: Tensor, tokens: Tensor, positions: Tensor, places: Tensor, factor: float, seed: Tensor,
        dropout: float, dtype: torch.dtype,
    ) -> Tensor:  # fmt: skip
        from attendo.engines.cuda.kernels.embed import embed

        return embed(table, tokens, positions, places, factor, seed, dropout, dtype)

    def embed_gradient(
        self, gradient: Tensor, tokens: Tensor, vocabulary: int, factor: float, seed: Tensor, dropout: float
    ) -> Tensor:
        from attendo.engines.cuda.kernels.embed import embed_gradient

        return embed_gradient(gradient, tokens, vocabulary, factor, seed, dropout)

    def attend(self, q: Tensor, k: Tensor, v: Tensor, sees: Intervals, heads: int) -> tuple[Tensor, Tensor]:
        from attendo.engines.cuda.kernels.interval_attention import attend

        return attend(q, k, v, sees.first, sees.before, heads)

    def attend_gradient(
        self, d_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, log_total: Tensor, sees: Intervals,
        heads: int, into: tuple[Tensor, Tensor, Tensor],
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        from attendo.engines.cuda.kernels.interval_attention import attend_gradient

        of_queries, of_keys = (sees.first, sees.before), (sees.first_query, sees.before_query)
        return attend_gradient(d_out, q, k, v, out, log_total, of_queries, of_keys, heads, into)

    def residual_norm(
        self, x: Tensor, y: Tensor, bias: Tensor, gain: Tensor, offset: Tensor, eps: float, seed: Tensor,
        dropout: float,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        from attendo.engines.cuda.kernels.residual_norm import residual_norm

        return residual_norm(x, y, bias, gain, offset, eps, seed, dropout)

    def residual_norm_gradient(
        self, d_normed: Tensor, d_total: Tensor | None, total: Tensor, gain: Tensor, eps: float, seed: Tensor,
        dropout: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        from attendo.engines.cuda.kernels.residual_norm import residual_norm_gradient

        return residual_norm_gradient(d_normed, d_total, total, gain, eps, seed, dropout)

    def relu_gradient_(self, gradient: Tensor, activated: Tensor) -> Tensor:
        from attendo.engines.cuda.kernels.relu_gradient import relu_gradient_

        return relu_gradient_(gradient, activated)

    def cross_entropy_(self, logits: Tensor, targets: Tensor, smoothing: float, pad: int) -> Tensor:
        from attendo.engines.cuda.kernels.cross_entropy import cross_entropy_

        return cross_entropy_(logits, targets, smoothing, pad)

    def agreement_(
        self, first: Tensor, second: Tensor, targets: Tensor, smoothing: float, alpha: float, pad: int
    ) -> Tensor:
        from attendo.engines.cuda.kernels.agreement import agreement_

        return agreement_(first, second, targets, smoothing, alpha, pad)
