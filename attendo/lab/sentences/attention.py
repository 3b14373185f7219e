"""Sentences about attention: who has a say in what, what comes out of it, and what it is like."""

import time
from collections.abc import Callable

import torch
from torch import Tensor
from torch.autograd.functional import jacobian

from attendo.lab.errata.backing import close, normal, seeded
from attendo.lab.sentences.tried import Tried
from attendo.model.additive_attention import AdditiveAttention
from attendo.model.attention import dot_product_attention
from attendo.model.masks import causal, real
from attendo.model.multi_head import MultiHeadAttention


def attend(q: Tensor, k: Tensor, v: Tensor, see: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """[words, width] each -> output and weights."""
    output, weights = dot_product_attention(q[None, None], k[None, None], v[None, None], see)
    return output[0, 0], weights[0, 0]


def who_has_a_say(changed: str = "query") -> Tried:
    q, k, v = (normal(5, 4, seed=seed) for seed in (1, 2, 3))
    output, weights = attend(q, k, v)
    other = {"query": q.clone(), "key": k.clone(), "value": v.clone()}
    other[changed][2] += 1  # of the third word alone
    new_output, new_weights = attend(other["query"], other["key"], other["value"])
    rows = int(((new_weights - weights).abs() > 1e-9).any(1).sum())
    expected = {"query": 1, "key": 5, "value": 0}[changed]  # rows of weights that move
    return Tried(rows == expected and not close(new_output, output), {"rows_of_weights": rows})


def a_key_changes_every_row() -> Tried:
    return who_has_a_say("key")


def a_value_changes_no_weight() -> Tried:
    return who_has_a_say("value")


def as_wide_as_a_value(d_k: int = 3, d_v: int = 5, queries: int = 4, keys: int = 7) -> Tried:
    output, weights = attend(normal(queries, d_k), normal(keys, d_k, seed=2), normal(keys, d_v, seed=3))
    holds = output.shape == (queries, d_v) and weights.shape == (queries, keys)
    return Tried(holds, {"width_of_output": output.shape[1], "queries": queries, "keys": keys})


def products_need_equal_widths(d_q: int = 4, d_k: int = 3) -> Tried:
    try:
        fits = attend(normal(4, d_q), normal(7, d_k), normal(7, 5))[0].shape == (4, 5)
    except RuntimeError:  # what PyTorch says of matrices that do not fit
        fits = False
    return Tried(not fits, {"d_q": d_q, "d_k": d_k})


def additive_takes_other_widths(d_q: int = 4, d_k: int = 3) -> Tried:
    layer = seeded(lambda: AdditiveAttention(d_q, d_k, d_hidden=8)).double()  # w · tanh(W_q q + W_k k + b)
    output = layer(normal(1, 4, d_q), normal(1, 7, d_k, seed=2))
    return Tried(d_q != d_k and output.shape == (1, 4, d_k), {"d_q": d_q, "d_k": d_k})


def one_formula_for_all_heads() -> Tried:
    layer, x = seeded(lambda: MultiHeadAttention(16, num_heads=1)).double(), normal(1, 5, 16)
    by_formula, _ = attend(*(w(x)[0] for w in (layer.query, layer.key, layer.value)))
    return Tried(close(layer(x, x)[0], layer.output(by_formula)))


def heads_do_not_meet(num_heads: int = 4) -> Tried:
    layer, x = seeded(lambda: MultiHeadAttention(16, num_heads, bias=False)).double(), normal(1, 5, 16)
    q, k, v = (layer.split_heads(w(x)) for w in (layer.query, layer.key, layer.value))
    first = dot_product_attention(q, k, v)[0][0, 0]  # what the first head gives
    (gradient,) = torch.autograd.grad(first.sum(), layer.query.weight)
    of_head = gradient.unflatten(0, (num_heads, -1)).norm(dim=(1, 2))
    return Tried(bool(of_head[0] > 0 and (of_head[1:] == 0).all()), {"heads": num_heads, "width": 16 // num_heads})


def one_matrix_or_row_by_row(words: int = 256) -> Tried:
    x = normal(words, 32)

    def whole() -> Tensor:
        return (x @ x.T).softmax(-1) @ x

    def one_by_one() -> Tensor:
        return torch.stack([(row @ x.T).softmax(-1) @ x for row in x])

    faster = seconds(one_by_one) > 2 * seconds(whole)
    return Tried(faster and close(whole(), one_by_one()), {"words": words})


def seconds(work: Callable[[], Tensor]) -> float:
    """The best of a few: what else the machine does can only make it longer."""
    taken = []
    for _ in range(5):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def weighted_mean(draws: int = 20_000) -> Tried:
    x = normal(6, 4)
    output, weights = attend(x, x, x)
    by_dimension = torch.stack([sum(a * v for a, v in zip(weights[0], x, strict=True))])[0]  # of the first word
    inside = bool((output <= x.amax(0) + 1e-12).all() and (output >= x.amin(0) - 1e-12).all())
    drawn = torch.multinomial(weights[0], draws, True, generator=torch.Generator().manual_seed(1))
    off = (x[drawn].mean(0) - output[0]).abs().max().item()  # the mean of values drawn by the weights
    return Tried(inside and close(output[0], by_dimension) and off < 0.05, {"off_by": off, "draws": draws})


def as_many_numbers_as_before() -> Tried:
    x = normal(6, 64) / 8  # of length 1, or nearly
    y = (x @ x.T).softmax(-1) @ x
    shorter = (y.norm(dim=1) / x.norm(dim=1)).mean().item()
    return Tried(y.shape == x.shape, {"numbers": y.shape[1], "length": shorter})


def no_notion_of_distance() -> Tried:
    x, order = normal(6, 8), torch.tensor([0, 4, 2, 5, 1, 3])  # the first word stays, the others change places
    return Tried(close(attend(x, x, x)[0][0], attend(x[order], x[order], x[order])[0][0]))


def as_a_graph_network(queries_matter: bool = False) -> Tried:
    edges = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]], dtype=torch.bool)
    x = normal(4, 5)
    q = x if queries_matter else 0 * x  # equal scores: all neighbours count the same
    mean_of_neighbours = edges.double() @ x / edges.sum(1, keepdim=True)
    return Tried(close(attend(q, x, x, edges[None, None])[0], mean_of_neighbours))


def what_helps_is_strengthened() -> Tried:
    scores, v, target = normal(5).requires_grad_(), normal(5, 3, seed=2), normal(3, seed=3)
    z = scores.softmax(0) @ v
    loss = ((z - target) ** 2).sum()
    (to_scores,) = torch.autograd.grad(loss, scores)
    to_z = 2 * (z - target)
    helps = -(v - z) @ to_z  # by how much the loss falls where z moves towards this value
    grows = (scores - 0.01 * to_scores) > scores
    return Tried(
        bool((grows == (helps > 0)).all()), {"strengthened": int(grows.sum()), "weakened": int((~grows).sum())}
    )


def transposed_linear_layer() -> Tried:
    x, w = normal(4, 6), normal(4, 4, seed=2)
    return Tried(close(w @ x, (x.T @ w.T).T))


def rows_stay_apart(left: bool = False) -> Tried:
    x, w, u = normal(4, 6), normal(6, 6, seed=2), normal(4, 4, seed=3)
    first = jacobian(lambda x: (u @ x if left else x @ w)[0], x)  # of the first item, by all items
    return Tried(close(first[:, 1:], 0 * first[:, 1:]))


def too_many_weights(width: int = 768, context: int = 4096) -> Tried:
    numbers, pixels = width * context, 1024 * 768
    return Tried(
        numbers == 3_145_728, {"numbers": numbers, "dense_1e12": numbers**2 / 1e12, "image_1e11": pixels**2 / 1e11}
    )


def nothing_from_later_words(words: int = 5) -> Tried:
    layer, x = seeded(lambda: MultiHeadAttention(16, 4)).double(), normal(1, words, 16)
    kept: list[Tensor] = []
    layer(x, x, causal(words, words), record=kept)
    later = kept[0].triu(1)
    return Tried(close(later, 0 * later) and close(kept[0].sum(-1), 0 * kept[0].sum(-1) + 1))


def both_masks_at_once() -> Tried:
    words = torch.tensor([[5, 7, 6, 0]])
    see = causal(4, 4) & real(words, 0)
    layer, x = seeded(lambda: MultiHeadAttention(16, 4)).double(), normal(1, 4, 16)
    kept: list[Tensor] = []
    layer(x, x, see, record=kept)
    hidden = kept[0].masked_select(~see)
    return Tried(close(hidden, 0 * hidden), {"allowed": int(see.sum()), "of": see.numel()})
