"""Errata about linear layers, norms, embeddings and positions."""

import math

import torch
from torch.nn import functional as F

from attendo.lab.errata.backing import Backing, close, normal, small_transformer
from attendo.model.positions import sinusoidal_encoding


def positions(numbers: list[int], d_model: int = 512) -> torch.Tensor:
    return sinusoidal_encoding(torch.tensor([numbers]), d_model, torch.float64)[0]


def linear_is_linear() -> Backing:
    w, b, x, y = normal(6, 4), normal(4, seed=2), normal(6, seed=3), normal(6, seed=4)
    halfway = (x + y) / 2 @ w + b  # straight lines stay straight
    between = ((x @ w + b) + (y @ w + b)) / 2
    return Backing(not close(halfway, between), close(halfway, between))


def linear_turns(degrees: float = 90.0) -> Backing:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x = torch.tensor([1.0, 0.0], dtype=torch.float64)
    turned = x @ torch.tensor([[c, s], [-s, c]], dtype=torch.float64)
    cosine = (turned @ x / turned.norm() / x.norm()).item()  # 1 where the direction is the same
    return Backing(cosine > 1 - 1e-9, cosine < 0.5, {"cosine": cosine})


def norm_of_what() -> Backing:
    x, w = normal(5, 8), normal(8, 8, seed=2)
    before, after = F.layer_norm(x @ w, (8,), eps=0), F.layer_norm(x @ (1000 * w), (8,), eps=0)
    numbers = {"largest_weight": (1000 * w).abs().max().item(), "largest_output": after.abs().max().item()}
    return Backing(numbers["largest_weight"] < 10, close(before, after) and numbers["largest_output"] < 10, numbers)


def norm_per_token() -> Backing:
    sentence = normal(4, 8)
    other = torch.cat((sentence[:1], 5 + 3 * normal(3, 8, seed=2)))  # the same first word, among others
    by_sentence = [(s - s.mean()) / s.std(correction=0) for s in (sentence, other)]
    by_token = [F.layer_norm(s, (8,), eps=0) for s in (sentence, other)]
    return Backing(close(by_token[0], by_sentence[0]), close(by_token[0][0], by_token[1][0]))


def more_than_two_norms() -> Backing:
    x = 1 + normal(6, 4)
    by_root_mean_square = x / x.square().mean(1, keepdim=True).sqrt()  # RMSNorm: no mean is taken away
    by_layer = (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True, correction=0)
    by_batch = (x - x.mean(0)) / x.std(0, correction=0)
    one_of_the_two = close(by_root_mean_square, by_layer) or close(by_root_mean_square, by_batch)
    normed = close(by_root_mean_square, F.rms_norm(x, (4,), eps=0)) and not one_of_the_two
    return Backing(one_of_the_two, normed, {"mean": by_root_mean_square.mean().item()})


def moved_along() -> Backing:
    x, order = normal(5, 8), torch.tensor([3, 0, 4, 1, 2])
    before, after = (y.softmax(-1) @ x_ for y, x_ in ((x @ x.T, x), (x[order] @ x[order].T, x[order])))
    return Backing(close(after, before), close(after, before[order]))


def absolute_is_added() -> Backing:
    pe = positions([0, 3, 100, 103])
    same_addition = close(pe[1] - pe[0], pe[3] - pe[2])  # two pairs, both three apart
    same_product = close(pe[0] @ pe[1], pe[2] @ pe[3])
    return Backing(
        same_addition, same_product, {"product_1": (pe[0] @ pe[1]).item(), "product_2": (pe[2] @ pe[3]).item()}
    )


def added_once(layers: int = 6) -> Backing:
    model, calls = small_transformer(layers), []
    model.source_positions.register_forward_hook(lambda *call: calls.append(1))
    model.encode(torch.tensor([[4, 5, 6]]))
    return Backing(len(calls) == layers, len(calls) == 1, {"layers": layers, "times_added": len(calls)})


def counted_from_zero(pos: int = 2) -> Backing:
    tokens = positions([0, 1, 2, 3], d_model=8)  # of the first to the fourth token
    example = torch.tensor([0.9093, -0.4161, 0.1987, 0.9801, 0.0200, 0.9998, 0.0020, 0.999998], dtype=torch.float64)
    fits = [bool((row - example).abs().max() < 5e-5) for row in tokens]
    return Backing(fits[pos - 1], fits[pos], {"token_that_fits": fits.index(True) + 1})


def one_period_repeats() -> Backing:
    one_wave = abs(math.sin(710) - math.sin(0)) + abs(math.cos(710) - math.cos(0))  # 710 ≈ 113 · 2π
    pe = positions([0, 710])
    numbers = {"one_wave": one_wave, "all_waves": (pe[0] - pe[1]).norm().item()}
    return Backing(one_wave > 0.01, one_wave < 1e-3 and numbers["all_waves"] > 1, numbers)


def padding_is_a_row() -> Backing:
    model, ids = small_transformer(), torch.tensor([[4, 5, 6, 0, 0]])
    model.embedding.weight.data[0] = 0  # even then
    x, _ = model.embed(ids, model.source_positions)
    alone, masked, unmasked = model.encode(ids[:, :3]), model.encode(ids)[:, :3], model.encoder(x, None)[:, :3]
    numbers = {"length_of_padding": x[0, 3].norm().item(), "change_without_mask": (unmasked - alone).abs().max().item()}
    return Backing(close(x[0, 3], 0 * x[0, 3]), close(masked, alone) and not close(unmasked, alone), numbers)


def learned_with_the_rest() -> Backing:
    model, source, target_in = small_transformer(), torch.tensor([[4, 5]]), torch.tensor([[1, 6]])
    loss = -model(source, target_in).log_softmax(-1)[0, 0, 6]
    (gradient,) = torch.autograd.grad(loss, model.embedding.weight)
    length = gradient[4].norm().item()  # of what reaches the row of the first source word
    return Backing(length == 0, length > 0, {"gradient": length})
