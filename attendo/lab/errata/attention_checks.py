"""Errata about attention: products, angles, rows and columns, and who looks at whom."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from attendo.lab.errata.backing import Backing, close, normal, numbers_of, seeded, small_transformer
from attendo.model.masks import causal, real
from attendo.model.multi_head import MultiHeadAttention

IDS = torch.tensor([[4, 5, 6, 7, 8]])


def product_is_not_cosine(two_keys: Sequence[Sequence[float]] = ((1.0, 0.0), (3.0, 3.0))) -> Backing:
    q, keys = numbers_of((1.0, 0.0)), numbers_of(two_keys)
    product, cosine = keys @ q, keys @ q / keys.norm(dim=1) / q.norm()
    nearest = (keys - q).norm(dim=1).argmin()
    same = product.argmax() == cosine.argmax() == nearest
    numbers = {f"{name}_{i + 1}": s[i].item() for name, s in (("product", product), ("cosine", cosine)) for i in (0, 1)}
    return Backing(bool(same), close(product, cosine * keys.norm(dim=1) * q.norm()), numbers)


def right_angle(vectors: Sequence[Sequence[float]] = ((1.0, 0.0), (1.0, 1.0))) -> Backing:
    v = numbers_of(vectors)
    independent, cosine = torch.linalg.matrix_rank(v) == 2, torch.cosine_similarity(v[0], v[1], dim=0)
    numbers = {"rank": torch.linalg.matrix_rank(v).item(), "cosine": cosine.item()}
    return Backing(bool(independent and abs(cosine) < 1e-9), bool(independent and abs(cosine) > 0.5), numbers)


def row_times_column(words: int = 3, width: int = 5) -> Backing:
    x = normal(words, width)
    weights = (x @ x.T).softmax(-1)
    row, column = (weights @ x)[0], x[:, 0]
    numbers = {"row_of_result": len(row), "row_of_weights": len(weights[0]), "column": len(column)}
    return Backing(len(row) == len(column), close(weights[0] @ column, (weights @ x)[0, 0]), numbers)


def transposed_scores(n: int = 1000, d: int = 64) -> Backing:
    q, k = normal(n, d, seed=1), normal(n, d, seed=2)  # a row each word, as in softmax(Q Kᵀ / √d_k) V
    noted, corrected = (q.T @ k).var().item(), (q @ k.T).var().item()
    return Backing(abs(noted / d - 1) < 0.1, abs(corrected / d - 1) < 0.1, {"of_qTk": noted, "of_qkT": corrected})


def own_word_highest(words: int = 10, sentences: int = 1000) -> Backing:
    x, w_q, w_k = normal(sentences, words, 64), normal(64, 64, seed=2), normal(64, 64, seed=3)
    highest = (x @ w_q @ (x @ w_k).mT).argmax(-1)  # by which word each word is given the most
    own = (highest == torch.arange(words)).double().mean().item()
    return Backing(own > 0.5, abs(own - 1 / words) < 0.02, {"own": own})


def itself_included(words: int = 4) -> Backing:
    x, see = normal(words, 8), causal(words, words)[0, 0]
    weights = (x @ x.T).softmax(-1)
    others = weights - weights.diag().diag()
    seen = bool(see.diag().all())  # the ones on the diagonal of the mask
    return Backing(close(others.sum(-1), torch.ones(words)), seen and close(weights.sum(-1), torch.ones(words)))


def gradient_by_weight(scale: float = 1.0) -> Backing:
    a, v = (scale * normal(5)).softmax(0), normal(5, 3).requires_grad_()
    (to_v,) = torch.autograd.grad((a @ v)[0], v)
    numbers = {"smallest": to_v[:, 0].min().item(), "largest": to_v[:, 0].max().item()}
    return Backing(close(to_v[:, 0], 0 * a + 1 / 5), close(to_v[:, 0], a), numbers)


def same_source_other_numbers() -> Backing:
    layer, memory = seeded(lambda: MultiHeadAttention(16, 4)).double(), normal(1, 5, 16)
    k, v = layer.keys_and_values(memory, None)
    from_memory = [layer.split_heads(memory @ w.weight.T + w.bias) for w in (layer.key, layer.value)]
    numbers = {"largest_difference": (k - v).abs().max().item()}
    return Backing(close(k, v), close(k, from_memory[0]) and close(v, from_memory[1]), numbers)


def where_q_comes_from() -> Backing:
    seen: dict[str, Tensor] = {}
    model = small_transformer()
    layer: Any = model.decoder.layers[1]
    layer.register_forward_pre_hook(lambda _, given: seen.update(block=given[0]))
    layer.around_self_attention.register_forward_hook(lambda *call: seen.update(masked=call[2]))
    layer.cross_attention.query.register_forward_pre_hook(lambda _, given: seen.update(q_from=given[0]))
    model(IDS, IDS)
    return Backing(close(seen["q_from"], seen["block"]), close(seen["q_from"], seen["masked"]))


def mask_on_scores(words: int = 5, at: int = 1) -> Backing:
    x, see = normal(words, 8), causal(words, words)[0, 0, at]
    prefix = (x[: at + 1] @ x[at]).softmax(0) @ x[: at + 1]  # as if there were no later words
    zeroed = x * see[:, None]  # later words times 0: their scores are 0, and e⁰ = 1
    weights = (zeroed @ x[at]).softmax(0)
    by_infinity = (x @ x[at]).masked_fill(~see, float("-inf")).softmax(0) @ x
    lost = weights[~see].sum().item()
    return Backing(close(weights @ zeroed, prefix), close(by_infinity, prefix), {"lost_by_product": lost})


def rows_in_any_order(words: int = 5) -> Backing:
    x = normal(words, 8)
    at_once = (x @ x.T).softmax(-1) @ x
    one_by_one = {at: (x[at] @ x.T).softmax(-1) @ x for at in reversed(range(words))}  # the last word first
    same = close(torch.stack([one_by_one[at] for at in range(words)]), at_once)
    return Backing(not same, same)


def one_head_sees_all(words: int = 6) -> Backing:
    layer, memory = seeded(lambda: MultiHeadAttention(16, num_heads=1)).double(), normal(1, words, 16).requires_grad_()
    (gradient,) = torch.autograd.grad(layer(normal(1, 1, 16), memory).sum(), memory)
    seen = int((gradient.norm(dim=-1) > 0).sum())  # positions of the encoder that reach the decoder's one position
    return Backing(seen < words, seen == words, {"seen_by_one_head": seen})


def mask_on_keys(query: Sequence[float] = (-1.0, 0.0)) -> Backing:
    q, keys = numbers_of(query), numbers_of(((1.0, 1.0), (-1e9, -1e9)))  # "minus infinity" in the key to be hidden
    on_key = (keys @ q).softmax(0)[1].item()
    on_score = numbers_of(((keys @ q)[0].item(), -1e9)).softmax(0)[1].item()
    return Backing(on_key == 0, on_score == 0, {"on_key": on_key, "on_score": on_score})


def two_masks() -> Backing:
    words = torch.tensor([[5, 7, 6, 0]])  # three words and a padding
    padding, ahead = real(words, 0)[0, 0].expand(4, 4), causal(4, 4)[0, 0]
    numbers = {"first_word_sees_by_padding_mask": padding[0].sum().item(), "by_look_ahead_mask": ahead[0].sum().item()}
    return Backing(torch.equal(ahead, padding), torch.equal(padding[0], words[0] != 0), numbers)


def multiplications(num_heads: int = 8, n: int = 50) -> Backing:
    layers = {heads: seeded(partial(MultiHeadAttention, 512, heads)) for heads in (1, num_heads)}
    counts, x = [], torch.zeros(1, n, 512)
    for heads in (1, num_heads):
        with FlopCounterMode(display=False) as counter:
            layers[heads](x, x, record=[])
        counts.append(counter.get_total_flops())
    return Backing(counts[1] < counts[0], counts[1] == counts[0], {"one_head": counts[0], "all_heads": counts[1]})


def pairs_remain(n: int = 1000, d: int = 64) -> Backing:
    counts = []
    for words in (n, 2 * n):
        with FlopCounterMode(display=False) as counter:
            (torch.zeros(words, d) @ torch.zeros(d, words)).softmax(-1) @ torch.zeros(words, d)
        counts.append(counter.get_total_flops())
    times = counts[1] / counts[0]  # twice as many words
    return Backing(times == 2, times == 4, {"times": times})
