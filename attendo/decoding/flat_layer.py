"""The paper's decoder layer written out flat, for decoding one token at a time on a CPU.

A step for a few hypotheses computes little. In `DecoderLayer`, made of parts so that each can be read alone, the calls
from part to part then take as long as the arithmetic of a small model. Here the same numbers stand in a row, and W_Q,
W_K and W_V of self-attention are one matrix. Whatever is not a plain step is left to `DecoderLayer`.
"""

from collections.abc import Callable
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.decoding.packed import PackedLinear, packed
from attendo.model.add_and_norm import PostNorm
from attendo.model.attention import fused_attention
from attendo.model.decoder import CachesOfLayer, DecoderLayer
from attendo.model.feed_forward import FeedForward
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.norms import LayerNorm
from attendo.model.positions import Rotation
from attendo.model.record import AttentionRecord

Map = Callable[[Tensor], Tensor]


def flat(layer: nn.Module) -> nn.Module:
    """The layer written out, if it is as in the paper: post-norm by LayerNorm, two matrices feed forward, biases."""
    if (
        isinstance(layer, DecoderLayer)
        and isinstance(layer.around_self_attention, PostNorm)
        and isinstance(layer.around_self_attention.norm, LayerNorm)
        and isinstance(layer.feed_forward, FeedForward)
        and layer.self_attention.query.bias is not None
    ):
        return FlatDecoderLayer(layer)
    return layer


class FlatDecoderLayer(DecoderLayer):
    """Has the parts of the layer it is made from; for a model that is used, and neither trained nor moved."""

    def __init__(self, layer: DecoderLayer) -> None:
        nn.Module.__init__(self)
        for name, part in layer.named_children():
            self.add_module(name, part)
        self.train(layer.training)
        back, source, think = layer.self_attention, layer.cross_attention, cast(FeedForward, layer.feed_forward)
        self.num_heads = back.num_heads
        self.query_key_value, self.back_output = joined(back), affine(back.output)
        self.source_query, self.source_output = affine(source.query), affine(source.output)
        self.inner, self.activation, self.outer = affine(think.inner), think.activation, affine(think.outer)
        around = (layer.around_self_attention, layer.around_cross_attention, layer.around_feed_forward)
        self.norm_1, self.norm_2, self.norm_3 = (normed(cast(LayerNorm, each.norm)) for each in around)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        causal: Tensor | None,
        source_is_real: Tensor | None,
        *,
        rotation: Rotation | None = None,
        cache: CachesOfLayer | None = None,
        record: AttentionRecord | None = None,
    ) -> Tensor:
        plain_step = x.shape[1] == 1 and causal is None and rotation is None and record is None and not self.training
        if cache is None or not plain_step:
            return super().forward(x, memory, causal, source_is_real, rotation=rotation, cache=cache, record=record)

        q, *new = self.query_key_value(x).view(len(x), 3, self.num_heads, 1, -1).unbind(1)
        k, v = cache.past.fetch(lambda: (new[0], new[1]))
        x = self.norm_1(x + self.back_output(fused_attention(q, k, v).reshape(x.shape)))

        q = self.source_query(x).view(len(memory), -1, self.num_heads, q.shape[-1]).transpose(1, 2)
        k, v = cache.memory.fetch(partial(self.cross_attention.keys_and_values, memory, None))
        seen = fused_attention(q, k, v, source_is_real).transpose(1, 2)
        x = self.norm_2(x + self.source_output(seen.reshape(x.shape)))

        return self.norm_3(x + self.outer(self.activation(self.inner(x))))


def affine(linear: nn.Linear) -> Map:
    """x Wᵀ + b, without the module around it."""
    if isinstance(linear, PackedLinear):
        return linear.forward
    weight, bias = linear.weight.detach(), linear.bias.detach()
    return lambda x: F.linear(x, weight, bias)


def joined(attention: MultiHeadAttention) -> Map:
    """W_Q, W_K and W_V side by side in one product; from now on they are parts of the one, so none is there twice."""
    parts = attention.query, attention.key, attention.value
    one = linear_of(
        torch.cat([part.weight.detach().t() for part in parts], dim=1).t(),  # stored column by column
        torch.cat([part.bias.detach() for part in parts]),
    )
    attention.query, attention.key, attention.value = map(linear_of, one.weight.chunk(3), one.bias.chunk(3))
    return affine(packed(one))


def linear_of(weight: Tensor, bias: Tensor) -> nn.Linear:
    linear = nn.Linear(weight.shape[1], weight.shape[0], device="meta")  # without numbers of its own
    linear.weight, linear.bias = (nn.Parameter(each, requires_grad=False) for each in (weight, bias))
    return linear


def normed(norm: LayerNorm) -> Map:
    shape, gain, bias, eps = norm.gain.shape, norm.gain.detach(), norm.bias.detach(), norm.eps
    return lambda x: torch.layer_norm(x, shape, gain, bias, eps)
