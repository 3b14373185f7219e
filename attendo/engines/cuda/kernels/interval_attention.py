"""Attention in which query i sees the keys from first[i] to before[i], and its gradients.

Packed rows hold short sentences side by side, and a mask as wide as the row would be mostly False. Here all rows lie in
one line, [tokens, heads · head_dim], and a program takes one head of some neighbouring queries: it reads the keys from
the first that any of them sees to the last, and no others. Nothing is added up by several programs, so every number is
the same each time.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

from attendo.engines.cuda.kernels.column_sums import column_sums

NOWHERE = tl.constexpr(2**30)
LOG2_E = 1.4426950408889634  # exp2 is an instruction, exp is not


@triton.jit
def attend_kernel(
    q, k, v, first, before, out, log_total, num_queries, num_keys, q_row, k_row, v_row, out_row, scale,
    HEAD: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1)
    rows, dims = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES), tl.arange(0, HEAD)
    there = rows < num_queries
    lowest = tl.load(first + rows, mask=there, other=0)
    end = tl.load(before + rows, mask=there, other=0)
    begin_at = tl.min(tl.where(end > lowest, lowest, NOWHERE), axis=0)
    end_at = tl.max(end, axis=0)
    some_q = tl.load(q + rows[:, None] * q_row + head * HEAD + dims[None, :], mask=there[:, None], other=0.0)
    highest = tl.full((QUERIES,), -1e30, tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    output = tl.zeros((QUERIES, HEAD), tl.float32)
    for start in range(begin_at, end_at, KEYS):
        columns = start + tl.arange(0, KEYS)
        real = (columns < end_at)[:, None]
        some_k = tl.load(k + columns[:, None] * k_row + head * HEAD + dims[None, :], mask=real, other=0.0)
        some_v = tl.load(v + columns[:, None] * v_row + head * HEAD + dims[None, :], mask=real, other=0.0)
        scores = tl.dot(some_q, tl.trans(some_k), input_precision="ieee") * scale
        sees = (columns[None, :] >= lowest[:, None]) & (columns[None, :] < end[:, None])
        scores = tl.where(sees, scores, float("-inf"))
        higher = tl.maximum(highest, tl.max(scores, axis=1))
        shrink = tl.exp2(highest - higher)
        shares = tl.exp2(scores - higher[:, None])
        total = total * shrink + tl.sum(shares, axis=1)
        output = output * shrink[:, None] + tl.dot(shares.to(some_v.dtype), some_v, input_precision="ieee")
        highest = higher
    safe = tl.where(total > 0, total, 1.0)
    output = output / safe[:, None]  # nothing to look at: zeros
    tl.store(out + rows[:, None] * out_row + head * HEAD + dims[None, :], output.to(some_q.dtype), mask=there[:, None])
    # A query that sees nothing gets a total so large that its shares are 0 in the backward pass.
    tl.store(log_total + head * num_queries + rows, tl.where(total > 0, highest + tl.log2(safe), 1e30), mask=there)


@triton.jit
def query_gradient_kernel(
    q, k, v, out, d_out, first, before, log_total, inner, d_q, sums, num_queries, num_keys,
    q_row, k_row, v_row, out_row, d_out_row, d_q_row, sums_row, scale, natural,
    HEAD: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1)
    rows, dims = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES), tl.arange(0, HEAD)
    there = rows < num_queries
    lowest = tl.load(first + rows, mask=there, other=0)
    end = tl.load(before + rows, mask=there, other=0)
    begin_at = tl.min(tl.where(end > lowest, lowest, NOWHERE), axis=0)
    end_at = tl.max(end, axis=0)
    real_q, place = there[:, None], head * HEAD + dims[None, :]
    some_q = tl.load(q + rows[:, None] * q_row + place, mask=real_q, other=0.0)
    some_out = tl.load(out + rows[:, None] * out_row + place, mask=real_q, other=0.0)
    some_d = tl.load(d_out + rows[:, None] * d_out_row + place, mask=real_q, other=0.0)
    at = head * num_queries + rows
    logs = tl.load(log_total + at, mask=there, other=1e30)
    products = tl.sum(some_out.to(tl.float32) * some_d.to(tl.float32), axis=1)
    tl.store(inner + at, products, mask=there)
    gradient = tl.zeros((QUERIES, HEAD), tl.float32)
    for start in range(begin_at, end_at, KEYS):
        columns = start + tl.arange(0, KEYS)
        real = (columns < end_at)[:, None]
        some_k = tl.load(k + columns[:, None] * k_row + place, mask=real, other=0.0)
        some_v = tl.load(v + columns[:, None] * v_row + place, mask=real, other=0.0)
        scores = tl.dot(some_q, tl.trans(some_k), input_precision="ieee") * scale
        sees = (columns[None, :] >= lowest[:, None]) & (columns[None, :] < end[:, None])
        shares = tl.where(sees, tl.exp2(scores - logs[:, None]), 0.0)
        d_shares = tl.dot(some_d, tl.trans(some_v), input_precision="ieee")
        d_scores = shares * (d_shares - products[:, None]) * natural
        gradient += tl.dot(d_scores.to(some_k.dtype), some_k, input_precision="ieee")
    tl.store(d_q + rows[:, None] * d_q_row + place, gradient.to(some_q.dtype), mask=real_q)
    tl.store(sums + tl.program_id(0) * sums_row + head * HEAD + dims, tl.sum(gradient, axis=0))


@triton.jit
def key_gradient_kernel(
    q, k, v, d_out, first, before, first_query, before_query, log_total, inner, d_k, d_v, sums, num_queries, num_keys,
    q_row, k_row, v_row, d_out_row, d_k_row, d_v_row, sums_row, scale, natural,
    HEAD: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    head = tl.program_id(1)
    columns, dims = tl.program_id(0) * KEYS + tl.arange(0, KEYS), tl.arange(0, HEAD)
    there = columns < num_keys
    lowest_query = tl.load(first_query + columns, mask=there, other=0)
    end_query = tl.load(before_query + columns, mask=there, other=0)
    begin_at = tl.min(tl.where(end_query > lowest_query, lowest_query, NOWHERE), axis=0)
    end_at = tl.max(end_query, axis=0)
    real_k, place = there[:, None], head * HEAD + dims[None, :]
    some_k = tl.load(k + columns[:, None] * k_row + place, mask=real_k, other=0.0)
    some_v = tl.load(v + columns[:, None] * v_row + place, mask=real_k, other=0.0)
    of_keys = tl.zeros((KEYS, HEAD), tl.float32)
    of_values = tl.zeros((KEYS, HEAD), tl.float32)
    for start in range(begin_at, end_at, QUERIES):
        rows = start + tl.arange(0, QUERIES)
        real_row = rows < end_at
        real = real_row[:, None]
        some_q = tl.load(q + rows[:, None] * q_row + place, mask=real, other=0.0)
        some_d = tl.load(d_out + rows[:, None] * d_out_row + place, mask=real, other=0.0)
        at = head * num_queries + rows
        logs = tl.load(log_total + at, mask=real_row, other=1e30)
        products = tl.load(inner + at, mask=real_row, other=0.0)
        lowest = tl.load(first + rows, mask=real_row, other=0)
        end = tl.load(before + rows, mask=real_row, other=0)
        scores = tl.dot(some_k, tl.trans(some_q), input_precision="ieee") * scale  # [keys, queries]
        sees = (columns[:, None] >= lowest[None, :]) & (columns[:, None] < end[None, :])
        shares = tl.where(sees, tl.exp2(scores - logs[None, :]), 0.0)
        of_values += tl.dot(shares.to(some_d.dtype), some_d, input_precision="ieee")
        d_shares = tl.dot(some_v, tl.trans(some_d), input_precision="ieee")
        d_scores = shares * (d_shares - products[None, :]) * natural
        of_keys += tl.dot(d_scores.to(some_q.dtype), some_q, input_precision="ieee")
    tl.store(d_k + columns[:, None] * d_k_row + place, of_keys.to(some_k.dtype), mask=real_k)
    tl.store(d_v + columns[:, None] * d_v_row + place, of_values.to(some_k.dtype), mask=real_k)
    to = sums + tl.program_id(0) * sums_row + head * HEAD + dims
    tl.store(to, tl.sum(of_keys, axis=0))
    tl.store(to + sums_row // 2, tl.sum(of_values, axis=0))


def attend(q: Tensor, k: Tensor, v: Tensor, first: Tensor, before: Tensor, heads: int) -> tuple[Tensor, Tensor]:
    """q [queries, d_model], k and v [keys, d_model], first and before [queries] -> output [queries, d_model], and for
    the backward pass the logarithm, to base 2, of each softmax's denominator [heads, queries]."""
    queries, width = q.shape
    head_dim = width // heads
    out = q.new_empty(queries, width)
    log_total = q.new_empty(heads, queries, dtype=torch.float32)
    attend_kernel[(triton.cdiv(queries, 64), heads)](
        q, k, v, first, before, out, log_total, queries, len(k), q.stride(0), k.stride(0), v.stride(0), out.stride(0),
        head_dim**-0.5 * LOG2_E, HEAD=head_dim, QUERIES=64, KEYS=32, num_warps=4, num_stages=3,
    )  # fmt: skip
    return out, log_total


def attend_gradient(
    d_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, log_total: Tensor,
    sees: tuple[Tensor, Tensor], seen_by: tuple[Tensor, Tensor], heads: int, into: tuple[Tensor, Tensor, Tensor],
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The gradients of q, k and v, written `into` tensors of their shapes; and their sums over all rows, which are
    their biases' gradients, in float32: q's [d_model], and k's and v's [2 · d_model].

    sees: first and before of each query, as above; seen_by: the queries that see each key, likewise [keys].
    """
    queries, width = q.shape
    head_dim = width // heads
    scale, natural = head_dim**-0.5 * LOG2_E, head_dim**-0.5
    inner = torch.empty_like(log_total)
    d_q, d_k, d_v = into
    query_tiles, key_tiles = triton.cdiv(queries, 64), triton.cdiv(len(k), 32)
    of_queries = torch.empty(query_tiles, width, dtype=torch.float32, device=q.device)
    of_keys = torch.empty(key_tiles, 2 * width, dtype=torch.float32, device=q.device)
    query_gradient_kernel[(query_tiles, heads)](
        q, k, v, out, d_out, *sees, log_total, inner, d_q, of_queries, queries, len(k), q.stride(0), k.stride(0),
        v.stride(0), out.stride(0), d_out.stride(0), d_q.stride(0), width, scale, natural,
        HEAD=head_dim, QUERIES=64, KEYS=32, num_warps=4, num_stages=3,
    )  # fmt: skip
    key_gradient_kernel[(key_tiles, heads)](
        q, k, v, d_out, *sees, *seen_by, log_total, inner, d_k, d_v, of_keys, queries, len(k), q.stride(0), k.stride(0),
        v.stride(0), d_out.stride(0), d_k.stride(0), d_v.stride(0), 2 * width, scale, natural,
        HEAD=head_dim, QUERIES=64, KEYS=32, num_warps=2, num_stages=2,
    )  # fmt: skip
    return column_sums(of_queries), column_sums(of_keys)
