"""The sublayers of a Transformer, each forward and backward in few programs.

    post-norm    x                       ->  LayerNorm(x + dropout(Sublayer(x)))
    pre-norm     stream, x = its norm    ->  stream + dropout(Sublayer(x)), and its norm, which the next sublayer reads

So the same program ends both: it adds to what goes on, and norms the sum. In a pre-norm model the norm is that of the
next sublayer, or the last one of the stack; in a post-norm model x itself is what goes on (`stream` is None).

All tokens of a batch lie in one line, x [tokens, d_model]. Autograd would see each program on its own; here a function
takes a whole sublayer, so that its queries, keys and values are one product, and what the residual connection carries
back is added by the product that it meets.

Each function is given the weights themselves, whose gradients it returns, and copies of them in half precision.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attendo.engines.cuda.training.intervals import Intervals
from attendo.engines.cuda.training.products import linear, linear_relu, weight_gradient
from attendo.engines.cuda.training.programs import Programs


@dataclass(frozen=True)
class Around:
    """What stands around a sublayer: its norm, and dropout by a seed [4]."""

    programs: Programs
    eps: float
    dropout: float
    seed: Tensor


@dataclass(frozen=True)
class AttentionCopies:
    """Attention: who sees whom, with how many heads, and the weights in half precision.

    Self-attention has one product for queries, keys and values, `joined` [3 · d_model, d_model]; attention to a memory
    has the first third for x and the rest for the memory.
    """

    sees: Intervals
    heads: int
    joined: Tensor
    joined_bias: Tensor
    output: Tensor


class SelfAttentionPass(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, stream: Tensor | None, look: AttentionCopies, around: Around,
        w_q: Tensor, w_k: Tensor, w_v: Tensor, b_q: Tensor, b_k: Tensor, b_v: Tensor, w_o: Tensor, b_o: Tensor,
        gain: Tensor, offset: Tensor,
    ) -> Any:  # fmt: skip
        programs = around.programs
        qkv = linear(x, look.joined, look.joined_bias)
        q, k, v = qkv.chunk(3, dim=1)
        seen, log_total = programs.attend(q, k, v, look.sees, look.heads)
        y = seen @ look.output.t()
        total, normed = added(ctx, x, stream, y, b_o, gain, offset, around)
        ctx.look, ctx.around = look, around
        ctx.save_for_backward(x, qkv, seen, log_total, total, gain)
        return (total, normed) if ctx.is_pre_norm else normed

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor | None) -> Any:
        look, around, (x, qkv, seen, log_total, total, gain) = ctx.look, ctx.around, ctx.saved_tensors
        d_stream, d_y, sums = norm_gradient(d_outputs, total, gain, around)
        d_w_o, d_seen = weight_gradient(d_y, seen), d_y @ look.output
        d_qkv = torch.empty_like(qkv)
        d_b_q, d_b_kv = around.programs.attend_gradient(
            d_seen, *qkv.chunk(3, dim=1), seen, log_total, look.sees, look.heads, d_qkv.chunk(3, dim=1)
        )
        d_weights, d_biases = weight_gradient(d_qkv, x).chunk(3), (d_b_q, *d_b_kv.chunk(2))
        return (
            *before(ctx, d_stream, d_qkv, look.joined),
            None,
            None,
            *d_weights,
            *d_biases,
            d_w_o,
            sums[2],
            sums[0],
            sums[1],
        )


class CrossAttentionPass(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, stream: Tensor | None, memory: Tensor, look: AttentionCopies, around: Around,
        w_q: Tensor, w_k: Tensor, w_v: Tensor, b_q: Tensor, b_k: Tensor, b_v: Tensor, w_o: Tensor, b_o: Tensor,
        gain: Tensor, offset: Tensor,
    ) -> Any:  # fmt: skip
        programs, width = around.programs, x.shape[1]
        q = linear(x, look.joined[:width], look.joined_bias[:width])
        kv = linear(memory, look.joined[width:], look.joined_bias[width:])
        k, v = kv.chunk(2, dim=1)
        seen, log_total = programs.attend(q, k, v, look.sees, look.heads)
        y = seen @ look.output.t()
        total, normed = added(ctx, x, stream, y, b_o, gain, offset, around)
        ctx.look, ctx.around = look, around
        ctx.save_for_backward(x, memory, q, kv, seen, log_total, total, gain)
        return (total, normed) if ctx.is_pre_norm else normed

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor | None) -> Any:
        look, around, (x, memory, q, kv, seen, log_total, total, gain) = ctx.look, ctx.around, ctx.saved_tensors
        width = x.shape[1]
        d_stream, d_y, sums = norm_gradient(d_outputs, total, gain, around)
        d_w_o, d_seen = weight_gradient(d_y, seen), d_y @ look.output
        d_q, d_kv = torch.empty_like(q), torch.empty_like(kv)
        into = d_q, *d_kv.chunk(2, dim=1)
        d_b_q, d_b_kv = around.programs.attend_gradient(
            d_seen, q, *kv.chunk(2, dim=1), seen, log_total, look.sees, look.heads, into
        )
        d_weights = weight_gradient(d_q, x), *weight_gradient(d_kv, memory).chunk(2)
        d_biases = d_b_q, *d_b_kv.chunk(2)
        d_memory = d_kv @ look.joined[width:]
        d_before = before(ctx, d_stream, d_q, look.joined[:width])
        return *d_before, d_memory, None, None, *d_weights, *d_biases, d_w_o, sums[2], sums[0], sums[1]


@dataclass(frozen=True)
class FeedForwardCopies:
    """Feed-forward: the weights in half precision."""

    inner: Tensor
    inner_bias: Tensor
    outer: Tensor


class FeedForwardPass(torch.autograd.Function):
    """With ReLU: of what does not come through nothing goes back."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, stream: Tensor | None, think: FeedForwardCopies, around: Around,
        w_1: Tensor, b_1: Tensor, w_2: Tensor, b_2: Tensor, gain: Tensor, offset: Tensor,
    ) -> Any:  # fmt: skip
        activated = linear_relu(x, think.inner, think.inner_bias)
        y = activated @ think.outer.t()
        total, normed = added(ctx, x, stream, y, b_2, gain, offset, around)
        ctx.think, ctx.around = think, around
        ctx.save_for_backward(x, activated, total, gain)
        return (total, normed) if ctx.is_pre_norm else normed

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor | None) -> Any:
        think, around, (x, activated, total, gain) = ctx.think, ctx.around, ctx.saved_tensors
        d_stream, d_y, sums = norm_gradient(d_outputs, total, gain, around)
        d_w_2, d_inner = weight_gradient(d_y, activated), d_y @ think.outer
        d_b_1 = around.programs.relu_gradient_(d_inner, activated)
        d_w_1 = weight_gradient(d_inner, x)
        return *before(ctx, d_stream, d_inner, think.inner), None, None, d_w_1, d_b_1, d_w_2, sums[2], sums[0], sums[1]


def added(
    ctx: Any, x: Tensor, stream: Tensor | None, y: Tensor, bias: Tensor, gain: Tensor, offset: Tensor, around: Around
) -> tuple[Tensor, Tensor]:
    """What goes on, and its norm."""
    ctx.is_pre_norm = stream is not None
    ctx.set_materialize_grads(False)  # nothing comes back to the end of a stack's stream but through its norm
    onto = x if stream is None else stream
    return around.programs.residual_norm(onto, y, bias, gain, offset, around.eps, around.seed, around.dropout)


def norm_gradient(
    d_outputs: tuple[Tensor | None, ...], total: Tensor, gain: Tensor, around: Around
) -> tuple[Tensor, Tensor, Tensor]:
    """Of what went on; of the sublayer's output, which may be the same tensor; and of gain, offset and bias.

    What nobody read has no gradient, which is None.
    """
    d_total, d_normed = (None, *d_outputs)[-2:]
    d_normed = torch.zeros_like(total) if d_normed is None else d_normed.contiguous()
    d_total = None if d_total is None else d_total.contiguous()
    return around.programs.residual_norm_gradient(
        d_normed, d_total, total, gain, around.eps, around.seed, around.dropout
    )


def before(ctx: Any, d_stream: Tensor, d_product: Tensor, weight: Tensor) -> tuple[Tensor, Tensor | None]:
    """Of x and of the stream; in a post-norm model they are one, and the product adds to it."""
    if ctx.is_pre_norm:
        return d_product @ weight, d_stream
    return d_stream.addmm_(d_product, weight), None
