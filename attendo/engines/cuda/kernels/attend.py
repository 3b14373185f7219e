"""Attention of a decoding step: the beams of a sentence are a few queries, side by side, over the same keys.

PyTorch's fused kernels are made for many queries. For four of them they spend most of their time on rows that are not
there, look at all slots that there is room for, and want a mask for each head. Here one program takes one head of one
sentence, and reads keys and values as far as there are any.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 64  # keys at a time
FEWEST_ROWS = 16  # of a matrix that the GPU multiplies


@triton.jit
def weighed(scores, values, highest, total, output):
    """A softmax that goes on, with more scores [rows, keys] and values [keys, head].

    Gives the highest score so far, the sum of exp(score - highest), and the sum of the values so weighed.
    """
    higher = tl.maximum(highest, tl.max(scores, axis=1))
    shrink = tl.exp(highest - higher)
    shares = tl.exp(scores - higher[:, None])
    total = total * shrink + tl.sum(shares, axis=1)
    output = output * shrink[:, None] + tl.dot(shares.to(values.dtype), values, input_precision="ieee")
    return higher, total, output


@triton.jit
def attend_past_kernel(
    qkv, past, own_past, length, out, past_sentence, past_kind, past_head, mask_sentence, mask_beam, d_model, scale,
    BEAMS: tl.constexpr, ROWS: tl.constexpr, HEAD: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    sentence, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    steps = tl.load(length).to(tl.int32)
    rows, dims = tl.arange(0, ROWS), tl.arange(0, HEAD)
    real = (rows < BEAMS)[:, None]
    at = (sentence * BEAMS + rows)[:, None] * (3 * d_model) + head * HEAD + dims[None, :]
    q = tl.load(qkv + at, mask=real, other=0.0)
    k = tl.load(qkv + at + d_model, mask=real, other=0.0)
    v = tl.load(qkv + at + 2 * d_model, mask=real, other=0.0)
    keys = past + sentence * past_sentence + head * past_head
    values = keys + past_kind
    new = (steps * BEAMS + rows)[:, None] * HEAD + dims[None, :]
    tl.store(keys + new, k, mask=real)
    tl.store(values + new, v, mask=real)

    # Of the new keys each beam sees its own: with it the running softmax begins.
    highest = tl.sum(q.to(tl.float32) * k.to(tl.float32), axis=1) * scale
    total = tl.full((ROWS,), 1.0, tl.float32)
    output = v.to(tl.float32)
    for first in range(0, steps * BEAMS, BLOCK):
        slots = first + tl.arange(0, BLOCK)
        there = slots < steps * BEAMS
        block = slots[:, None] * HEAD + dims[None, :]
        some_keys = tl.load(keys + block, mask=there[:, None], other=0.0)
        own = tl.load(
            own_past + sentence * mask_sentence + rows[:, None] * mask_beam + slots[None, :],
            mask=real & there[None, :],
            other=0,
        )
        scores = tl.where(own != 0, tl.dot(q, tl.trans(some_keys), input_precision="ieee") * scale, float("-inf"))
        some_values = tl.load(values + block, mask=there[:, None], other=0.0)
        highest, total, output = weighed(scores, some_values, highest, total, output)
    to = (sentence * BEAMS + rows)[:, None] * d_model + head * HEAD + dims[None, :]
    tl.store(out + to, (output / total[:, None]).to(q.dtype), mask=real)


def attend_past(qkv: Tensor, past: Tensor, own_past: Tensor, length: Tensor) -> Tensor:
    """Queries, keys and values of a step [sentences × beams, 3 × d_model] -> [sentences × beams, d_model].

    past [sentences, 2, heads, slots, head_dim] gets the new keys and values, in the slots length × beams and on;
    own_past [sentences, 1, beams, slots] tells which earlier slots each beam may see; length [sentences], of which the
    first counts, is the number of steps before this one.
    """
    sentences, _, heads, _, head_dim = past.shape
    rows, beams = len(qkv), own_past.shape[2]
    out = qkv.new_empty(rows, heads * head_dim)
    attend_past_kernel[(sentences, heads)](
        qkv, past, own_past.view(torch.uint8), length, out, past.stride(0), past.stride(1), past.stride(2),
        own_past.stride(0), own_past.stride(2), heads * head_dim, head_dim**-0.5,
        BEAMS=beams, ROWS=rows_for(beams), HEAD=head_dim, BLOCK=BLOCK, num_warps=2,
    )  # fmt: skip
    return out


@triton.jit
def attend_memory_kernel(
    queries, memory, lengths, out, memory_sentence, memory_kind, memory_head, d_model, scale,
    BEAMS: tl.constexpr, ROWS: tl.constexpr, HEAD: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    sentence, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    count = tl.load(lengths + sentence).to(tl.int32)
    rows, dims = tl.arange(0, ROWS), tl.arange(0, HEAD)
    real = (rows < BEAMS)[:, None]
    at = (sentence * BEAMS + rows)[:, None] * d_model + head * HEAD + dims[None, :]
    q = tl.load(queries + at, mask=real, other=0.0)
    keys = memory + sentence * memory_sentence + head * memory_head
    values = keys + memory_kind
    highest = tl.full((ROWS,), -1e30, tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    output = tl.zeros((ROWS, HEAD), tl.float32)
    for first in range(0, count, BLOCK):
        places = first + tl.arange(0, BLOCK)
        there = places < count
        block = places[:, None] * HEAD + dims[None, :]
        some_keys = tl.load(keys + block, mask=there[:, None], other=0.0)
        scores = tl.dot(q, tl.trans(some_keys), input_precision="ieee") * scale
        scores = tl.where(there[None, :], scores, float("-inf"))
        some_values = tl.load(values + block, mask=there[:, None], other=0.0)
        highest, total, output = weighed(scores, some_values, highest, total, output)
    output = output / tl.where(total > 0, total, 1.0)[:, None]  # nothing to look at: zeros
    tl.store(out + at, output.to(q.dtype), mask=real)


def attend_memory(queries: Tensor, memory: Tensor, lengths: Tensor) -> Tensor:
    """Queries [sentences × beams, d_model] look at memory [sentences, 2, heads, source, head_dim], as far as each
    sentence's length [sentences] says."""
    sentences, _, heads, source, head_dim = memory.shape
    beams = len(queries) // sentences
    out = torch.empty_like(queries)
    attend_memory_kernel[(sentences, heads)](
        queries, memory, lengths, out, memory.stride(0), memory.stride(1), memory.stride(2), heads * head_dim,
        head_dim**-0.5, BEAMS=beams, ROWS=rows_for(beams), HEAD=head_dim, BLOCK=16 if source <= 16 else 32, num_warps=2,
    )  # fmt: skip
    return out


def rows_for(beams: int) -> int:
    return max(triton.next_power_of_2(beams), FEWEST_ROWS)
