"""The programs of a fused step in plain torch, for any device: the witness of Triton's, and slow.

Gradients are written out, too, from the equations; the tests hold them against autograd.
"""

import math

import torch
from torch import Tensor

from attendo.engines.cuda.training.intervals import Intervals

ALL_BITS = 2**32 - 1


class WrittenOut:
    """As `Programs` says."""

    def embed(
        self, table: Tensor, tokens: Tensor, positions: Tensor, places: Tensor, factor: float, seed: Tensor,
        dropout: float, dtype: torch.dtype,
    ) -> Tensor:  # fmt: skip
        return dropped(table[tokens] * factor + positions[places.long()], seed, dropout).to(dtype)

    def embed_gradient(
        self, gradient: Tensor, tokens: Tensor, vocabulary: int, factor: float, seed: Tensor, dropout: float
    ) -> Tensor:
        rows = dropped(gradient * factor, seed, dropout)
        return rows.new_zeros(vocabulary, rows.shape[1]).index_add_(0, tokens, rows)

    def attend(self, q: Tensor, k: Tensor, v: Tensor, sees: Intervals, heads: int) -> tuple[Tensor, Tensor]:
        some_q, some_k, some_v = (split(each, heads) for each in (q, k, v))
        scores = masked_scores(some_q, some_k, sees)  # [heads, queries, keys]
        seen = scores.isfinite().any(-1)
        log_total = torch.where(seen, scores.logsumexp(-1), math.inf)
        shares = torch.exp(scores - log_total[..., None])
        return join(shares @ some_v), log_total

    def attend_gradient(
        self, d_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, log_total: Tensor, sees: Intervals,
        heads: int, into: tuple[Tensor, Tensor, Tensor],
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        some_q, some_k, some_v, some_out, some_d = (split(each, heads) for each in (q, k, v, out, d_out))
        shares = torch.exp(masked_scores(some_q, some_k, sees) - log_total[..., None])
        d_shares = some_d @ some_v.transpose(1, 2)
        inner = (some_out * some_d).sum(-1, keepdim=True)
        d_scores = shares * (d_shares - inner) / math.sqrt(some_q.shape[-1])
        found = d_scores @ some_k, d_scores.transpose(1, 2) @ some_q, shares.transpose(1, 2) @ some_d
        for to, each in zip(into, found, strict=True):
            to.copy_(join(each))
        return into[0].sum(0), torch.cat((into[1].sum(0), into[2].sum(0)))

    def residual_norm(
        self, x: Tensor, y: Tensor, bias: Tensor, gain: Tensor, offset: Tensor, eps: float, seed: Tensor,
        dropout: float,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        total = x + dropped(y + bias, seed, dropout)
        unit, _ = normed(total, eps)
        return total, unit * gain + offset

    def residual_norm_gradient(
        self, d_normed: Tensor, d_total: Tensor | None, total: Tensor, gain: Tensor, eps: float, seed: Tensor,
        dropout: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        unit, deviation = normed(total, eps)
        scaled = d_normed * gain
        along = (scaled * unit).mean(-1, keepdim=True)
        d_x = (scaled - unit * along - scaled.mean(-1, keepdim=True)) * deviation
        if d_total is not None:
            d_x = d_x + d_total
        d_y = dropped(d_x, seed, dropout)
        return d_x, d_y, torch.stack(((d_normed * unit).sum(0), d_normed.sum(0), d_y.sum(0)))

    def relu_gradient_(self, gradient: Tensor, activated: Tensor) -> Tensor:
        return gradient.masked_fill_(activated <= 0, 0).sum(0)

    def cross_entropy_(self, logits: Tensor, targets: Tensor, smoothing: float, pad: int) -> Tensor:
        log_p = logits.log_softmax(-1)
        wanted = torch.full_like(logits, smoothing / logits.shape[1])
        wanted[torch.arange(len(targets), device=targets.device), targets] += 1 - smoothing
        real = targets != pad
        logits.copy_((log_p.exp() - wanted) * real[:, None])
        return -(wanted * log_p).sum(-1) * real

    def agreement_(
        self, first: Tensor, second: Tensor, targets: Tensor, smoothing: float, alpha: float, pad: int
    ) -> Tensor:
        apart = first.log_softmax(-1) - second.log_softmax(-1)
        p, q = first.softmax(-1), second.softmax(-1)
        of_first, of_second = (p * apart).sum(-1, keepdim=True), (q * apart).sum(-1, keepdim=True)
        real = targets != pad
        losses = self.cross_entropy_(first, targets, smoothing, pad) + self.cross_entropy_(
            second, targets, smoothing, pad
        )
        first.add_(alpha * (p * (apart - of_first) + p - q) * real[:, None]).div_(2)
        second.add_(alpha * (q * (of_second - apart) + q - p) * real[:, None]).div_(2)
        return (losses + alpha * (of_first - of_second)[:, 0] * real) / 2


def kept(index: Tensor, seed: Tensor, dropout: float) -> Tensor:
    """True where dropout leaves a number: by a hash of its index, as in kernels/dropout.py, in 32 bits."""
    first, second = (number & ALL_BITS for number in seed[:2].tolist())
    mixed = (index + first) & ALL_BITS
    mixed = mixed ^ (mixed >> 16)
    mixed = (mixed * 0x7FEB352D) & ALL_BITS
    mixed = mixed ^ (mixed >> 15) ^ second
    mixed = (mixed * 0x846CA68B) & ALL_BITS
    mixed = mixed ^ (mixed >> 16)
    return (mixed >> 8) >= round(dropout * 2**24)


def dropped(x: Tensor, seed: Tensor, dropout: float) -> Tensor:
    """x [rows, width] with dropout; what is left grows, so that sums stay as large."""
    if dropout == 0:
        return x.clone()
    index = torch.arange(x.numel(), device=x.device).view(x.shape)
    return torch.where(kept(index, seed, dropout), x / (1 - dropout), 0)


def normed(x: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    centred = x - x.mean(-1, keepdim=True)
    deviation = (centred.square().mean(-1, keepdim=True) + eps).rsqrt()
    return centred * deviation, deviation


def masked_scores(q: Tensor, k: Tensor, sees: Intervals) -> Tensor:
    """q [heads, queries, head_dim], k [heads, keys, head_dim] -> [heads, queries, keys], -inf where it sees nothing."""
    places = torch.arange(k.shape[1], device=k.device)
    may = (places >= sees.first[:, None]) & (places < sees.before[:, None])
    return (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).masked_fill(~may, -math.inf)


def split(x: Tensor, heads: int) -> Tensor:
    """[tokens, heads · head_dim] -> [heads, tokens, head_dim]"""
    return x.unflatten(-1, (heads, -1)).transpose(0, 1)


def join(x: Tensor) -> Tensor:
    return x.transpose(0, 1).flatten(1)
