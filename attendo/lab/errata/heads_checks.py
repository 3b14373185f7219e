"""Errata about heads: what is cut, what is joined, and the width of it all."""

import torch

from attendo.lab.errata.backing import Backing, close, normal, seeded
from attendo.model.attention import dot_product_attention
from attendo.model.multi_head import MultiHeadAttention

D_MODEL, HEADS, D_K = 16, 4, 4


def layer_and_input() -> tuple[MultiHeadAttention, torch.Tensor]:
    return seeded(lambda: MultiHeadAttention(D_MODEL, HEADS, bias=False)).double(), normal(1, 5, D_MODEL)


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return dot_product_attention(q, k, v)[0]


def cut_after_projection() -> Backing:
    layer, x = layer_and_input()
    blocks = [[w.weight[i : i + D_K].T for w in (layer.query, layer.key, layer.value)] for i in range(0, D_MODEL, D_K)]
    projected = torch.cat([attend(x @ w_q, x @ w_k, x @ w_v) for w_q, w_k, w_v in blocks], dim=-1)
    cut = torch.cat([attend(part, part, part) for part in x.split(D_K, dim=-1)], dim=-1)
    output = layer(x, x)
    return Backing(close(layer.output(cut), output), close(layer.output(projected), output))


def concat_and_project() -> Backing:
    layer, x = layer_and_input()
    q, k, v = (layer.split_heads(w(x)) for w in (layer.query, layer.key, layer.value))
    heads = attend(q, k, v)[0]  # [heads, words, d_k]
    joined, w_o = torch.cat(list(heads), dim=-1), layer.output.weight.T.split(D_K)
    summed = sum((head @ w for head, w in zip(heads, w_o, strict=True)), torch.zeros(()))  # of each head its part
    output = layer(x, x)[0]
    return Backing(close(joined, output), close(summed, output), {"width_of_sum": heads.sum(0).shape[-1]})


def z_is_no_weight() -> Backing:
    layer, x = layer_and_input()
    z, other_z = (attend(layer.query(s), layer.key(s), layer.value(s)) for s in (x, 2 * x))  # of two sentences
    same_weights = close(layer.value(2 * x), 2 * layer.value(x))  # both are multiplied by one and the same W_V
    return Backing(close(z, other_z), same_weights)


def weight_shape(words: int = 7) -> Backing:
    w = seeded(
        lambda: MultiHeadAttention(512, 8)
    ).query.weight.T  # of all heads side by side; the first has the first 64 columns
    of_one_head = w[:, :64]
    q = normal(words, 512).float() @ of_one_head
    numbers = {"rows_of_w": len(of_one_head), "columns_of_w": of_one_head.shape[1], "words": words}
    return Backing(of_one_head.shape == (words, 64), of_one_head.shape == (512, 64) and q.shape == (words, 64), numbers)


def head_width(d_k: int = 100) -> Backing:
    x, w_o = normal(5, 512), normal(8 * d_k, 512, seed=2)
    heads = [attend(*(x @ normal(512, d_k, seed=3 * i + j) for j in range(3))) for i in range(8)]
    output = torch.cat(heads, dim=-1) @ w_o
    return Backing(output.shape == x.shape and d_k == 512 // 8, (x + output).shape == x.shape, {"d_k": d_k})


def width_of_attention() -> Backing:
    layer, x = layer_and_input()
    joined, output = HEADS * D_K, layer(x, x).shape[-1]
    return Backing(output > x.shape[-1], joined == output == x.shape[-1], {"input": D_MODEL, "output": output})
