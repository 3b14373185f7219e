"""Errata about softmax, its derivative, and the size of q·k."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.autograd.functional import jacobian

from attendo.lab.errata.backing import Backing, close, normal, numbers_of

X = numbers_of((1.0, 2.0, 3.0))


def sum_of_exponentials(x: Tensor = X) -> Backing:
    e = x.exp()
    y = e / e.sum()
    return Backing(close(e.sum(), 1.0), close(y.sum(), 1.0), {"sum_e": e.sum().item(), "sum_y": y.sum().item()})


def jacobian_cases(x: Tensor = X) -> Backing:
    y, d = x.softmax(0), jacobian(lambda x: x.softmax(0), x)[0, 1]  # ∂y₁/∂x₂
    noted, corrected = -y[0] * y[0], -y[0] * y[1]
    return Backing(close(d, noted), close(d, corrected), {"by_autograd": d.item(), "by_the_note": noted.item()})


def gradient_of_the_loss(x: Tensor = X) -> Backing:
    x = (100 * x).requires_grad_()  # saturated: y = (0, 0, 1), while the right answer is the first
    j = jacobian(lambda x: x.softmax(0), x)
    (gradient,) = torch.autograd.grad(-x.log_softmax(0)[0], x)
    y_minus_t = x.softmax(0) - torch.tensor([1.0, 0.0, 0.0], dtype=torch.float64)
    numbers = {"largest_of_jacobian": j.abs().max().item(), "largest_of_gradient": gradient.abs().max().item()}
    return Backing(close(gradient, j[0]), close(gradient, y_minus_t), numbers)


def large_inputs(inputs: Sequence[float] = (1000.0, 1000.1, 1000.2)) -> Backing:
    x = numbers_of(inputs)
    y = x.softmax(0)
    return Backing(bool(y.max() > 0.99), close(y, (x - 1000).softmax(0)), {"y1": y[0].item(), "y3": y[2].item()})


def large_absolute_value(inputs: Sequence[float] = (-10.0, 0.0, 1.0)) -> Backing:
    x = numbers_of(inputs)
    y = x.softmax(0)
    numbers = {"weight_of_minus_10": y[0].item(), "weight_of_1": y[2].item()}
    return Backing(bool(y.argmax() == x.abs().argmax()), bool(y.argmax() == x.argmax()), numbers)


def ratios_grow(inputs: Sequence[float] = (-5.0, -3.0)) -> Backing:
    x = numbers_of(inputs)
    gap, gap_of_exponentials = (x[1] - x[0]).item(), (x[1].exp() - x[0].exp()).item()
    y = x.softmax(0)
    numbers = {"gap": gap, "gap_of_exponentials": gap_of_exponentials, "ratio": (y[1] / y[0]).item()}
    return Backing(gap_of_exponentials > gap, close(y[1] / y[0], math.exp(gap)), numbers)


def gradients_that_stay(scale: float = 1000.0) -> Backing:
    scores, v = (scale * X).requires_grad_(), normal(3, 4).requires_grad_()
    to_scores, to_v = torch.autograd.grad((scores.softmax(0) @ v).sum(), (scores, v))
    numbers = {"to_scores": to_scores.abs().max().item(), "to_v": to_v.abs().max().item()}
    return Backing(close(to_v, 0 * to_v), close(to_scores, 0 * to_scores) and close(to_v[2], 0 * to_v[2] + 1), numbers)


def scaled_product_is_not_normal(d_k: int = 4) -> Backing:
    q, k = normal(200_000, d_k, seed=1), normal(200_000, d_k, seed=2)
    s = (q * k).sum(1) / math.sqrt(d_k)
    kurtosis = ((s - s.mean()) ** 4).mean() / s.var() ** 2  # 3 for the normal law
    unit = abs(s.mean()) < 0.01 and abs(s.var() - 1) < 0.01
    numbers = {"mean": s.mean().item(), "variance": s.var().item(), "kurtosis": kurtosis.item()}
    return Backing(bool(abs(kurtosis - 3) < 0.2), bool(unit and abs(kurtosis - (3 + 6 / d_k)) < 0.2), numbers)


def component_and_vector(d_k: int = 64) -> Backing:
    q, k = normal(100_000, d_k, seed=1), normal(100_000, d_k, seed=2)
    of_one, of_all = (q * k)[:, 0].var().item(), (q * k).sum(1).var().item()
    return Backing(abs(of_one / d_k - 1) < 0.05, abs(of_all / d_k - 1) < 0.05, {"of_xy": of_one, "of_qk": of_all})


def products_spread(narrow: int = 16, wide: int = 1024) -> Backing:
    s = [(normal(20_000, d_k, seed=1) * normal(20_000, d_k, seed=2)).sum(1) for d_k in (narrow, wide)]
    means, sizes = [one.mean().item() for one in s], [one.abs().mean().item() for one in s]
    grows = abs(sizes[1] / sizes[0] / math.sqrt(wide / narrow) - 1) < 0.05
    numbers = {"mean_narrow": means[0], "mean_wide": means[1], "size_narrow": sizes[0], "size_wide": sizes[1]}
    return Backing(means[1] - means[0] > 0.1 * sizes[1], grows, numbers)


def which_dimension(d_model: int = 512, num_heads: int = 8) -> Backing:
    d_k = d_model // num_heads
    variance = (normal(20_000, d_k, seed=1) * normal(20_000, d_k, seed=2)).sum(1).var().item()  # of one head's q·k
    return Backing(abs(variance / d_model - 1) < 0.05, abs(variance / d_k - 1) < 0.05, {"variance": variance})
