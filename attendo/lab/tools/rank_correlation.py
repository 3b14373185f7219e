"""Spearman's rank correlation: whether one thing grows with another, on whatever scale."""

from torch import Tensor


def ranks(values: Tensor) -> Tensor:
    """Those that are equal share the mean of their ranks: 5 1 5 -> 2.5 1 2.5"""
    _, which, count = values.unique(return_inverse=True, return_counts=True)
    last = count.cumsum(0).double()
    return (last - (count - 1) / 2)[which]


def rank_correlation(x: Tensor, y: Tensor) -> float:
    """1 where y always grows with x, -1 where it always falls; 0 where one of them never changes."""
    first, second = (ranks(values) - (len(values) + 1) / 2 for values in (x, y))
    size = float(first.norm() * second.norm())
    return float(first @ second) / size if size else 0.0
