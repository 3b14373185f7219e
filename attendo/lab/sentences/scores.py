"""Sentences about softmax, about the size of q·k, and about what a product means."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import torch

from attendo.lab.errata.backing import close, normal, numbers_of
from attendo.lab.sentences.tried import Tried


def positive_and_one(inputs: Sequence[float] = (3.0, 1.0, -3.0)) -> Tried:
    y = numbers_of(inputs).softmax(0)
    in_single = torch.tensor([0.0, -200.0]).softmax(0)[1].item()  # a float32 has no number so small
    return Tried(bool((y > 0).all()) and close(y.sum(), 1.0), {"smallest": y.min().item(), "in_single": in_single})


def code_of_the_note(largest: int = 100) -> Tried:
    def f(x: float) -> float:  # line by line as the note has it
        return math.exp(2 * x) / (math.exp(x) + math.exp(x) + math.exp(2 * x))

    y = [f(largest * step / 99) for step in range(100)]
    last = next(a for a in range(1, 1000) if 2 * (a + 1) > math.log(torch.finfo(torch.float64).max))
    return Tried(y == sorted(y) and y[-1] == 1.0, {"first": y[0], "last": y[-1], "largest_possible": last})


def variances_add(d_k: int = 4, independent: bool = True) -> Tried:
    """Over all q and k of ±1, each as likely as any other: mean 0, variance 1, exact in whole numbers."""
    signs = list(product((-1, 1), repeat=d_k))
    pairs = list(product(signs, signs)) if independent else [(q, q) for q in signs]
    products = [sum(a * b for a, b in zip(q, k, strict=True)) for q, k in pairs]
    mean = Fraction(sum(products), len(products))
    variance = Fraction(sum(s * s for s in products), len(products)) - mean**2
    return Tried(mean == 0 and variance == d_k, {"d_k": d_k, "mean": float(mean), "variance": float(variance)})


def plain_exponentials_overflow(d_k: int = 1024) -> Tried:
    s = (normal(4000, d_k, seed=1) * normal(4000, d_k, seed=2)).sum(1).float()
    plain, scaled = s.exp(), (s / math.sqrt(d_k)).exp()
    kept = s.softmax(0)  # takes away the largest first
    holds = bool(plain.isinf().any() and scaled.isfinite().all())
    return Tried(holds, {"largest_score": s.max().item(), "sum_of_softmax": kept.sum().item()})


def steepness_by_width(scaled: bool = True, keys: int = 10) -> Tried:
    largest = {}
    for d in (4, 1024):
        scores = torch.einsum("rd,rkd->rk", normal(200, d, seed=1), normal(200, keys, d, seed=2))
        for name, divisor in (("scaled", math.sqrt(d)), ("plain", 1.0)):
            largest[f"{name}_{d}"] = (scores / divisor).softmax(-1).amax(-1).mean().item()  # 1 where it is one-hot
    name = "scaled" if scaled else "plain"
    return Tried(abs(largest[f"{name}_1024"] - largest[f"{name}_4"]) < 0.1, largest)


def product_is_a_projection() -> Tried:
    a, b = normal(5, seed=1), normal(5, seed=2)
    along = b * (a @ b) / (b @ b)  # the foot of the perpendicular from a to b
    upright = close((a - along) @ b, 0.0)
    x = torch.stack((a, b))
    pairs = torch.stack([torch.stack([row @ other for other in x]) for row in x])
    return Tried(
        upright and close(x @ x.T, pairs) and close(a @ b, along.norm() * b.norm() * (a @ b).sign()),
        {"cosine": _cosine(a, b)},
    )


def _cosine(a: torch.Tensor, b: torch.Tensor) -> float:
    return (a @ b / a.norm() / b.norm()).item()


def large_negative_number(added: float = -1e9) -> Tried:
    scores = torch.tensor([0.0, 1.0, 2.0])
    weight = (scores + torch.tensor([0.0, 0.0, added])).softmax(0)[2].item()
    exactly = next(n for n in range(1000) if torch.tensor([0.0, -float(n)]).softmax(0)[1] == 0)
    return Tried(weight < 1e-6, {"weight": weight, "exactly_0_below": exactly})
