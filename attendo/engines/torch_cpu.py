"""The same model laid out for decoding on a CPU: what the torch engine does for speed there, and nobody else needs.

A decoding step multiplies the few rows of its hypotheses with every matrix of the decoder. So little is computed that
the calls from part to part take as long as the arithmetic of a small model, and matrix libraries are made for many
rows. Here, for a model that is used, and neither trained nor moved:

    lay_out_for_decoding   goes through a model and puts the following in place; names and values of the weights stay
    PackedLinear           a matrix cut into blocks, for a few rows
    PositionTable          the paper's sines and cosines, looked up
    FlatDecoderLayer       the paper's decoder layer without the calls between its parts
    PartwiseEncoding       a batch encoded with little padding, a part of like length at a time
"""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.model.add_and_norm import PostNorm
from attendo.model.decoder import CachesOfLayer, Decoder, DecoderLayer
from attendo.model.feed_forward import FeedForward
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.norms import LayerNorm
from attendo.model.positions import Positions, SinusoidalPositions, sinusoidal_encoding
from attendo.model.transformer import Transformer, TransformerState
from attendo.special_tokens import SPECIAL

Map = Callable[[Tensor], Tensor]

PACKED_FROM = 2**17  # numbers in a matrix: with a smaller one the calls take as long as the arithmetic
FEW_ROWS = 64  # with more the usual product is as quick
TABLE_ROWS = 1_024  # positions; beyond them they are computed as ever
ENOUGH_TOKENS = 192  # with so many rows the matrix products of a CPU are nearly at their best
ALIKE = 0.8  # of the longest: so much padding costs no more than another part


def lay_out_for_decoding(model: nn.Module) -> None:
    """In place, for a model on a CPU. Shapes and values stay.

    Each matrix W [outputs, inputs] with no fewer outputs than inputs is stored column by column: with few rows x the
    product x Wᵀ is up to twice as fast when Wᵀ lies in memory row by row. A tied output projection is from now on a
    copy of the embedding.
    """
    if any(parameter.device.type != "cpu" for parameter in model.parameters()):
        return
    for parent in list(model.modules()):
        for name, part in parent.named_children():
            if isinstance(part, nn.Linear):
                if part.out_features >= part.in_features:
                    by_columns = part.weight.detach().t().contiguous().t()
                    part.weight = nn.Parameter(by_columns, requires_grad=False)
                setattr(parent, name, pack(part))
            elif isinstance(part, SinusoidalPositions):
                setattr(parent, name, PositionTable(part))
    for module in [each for each in model.modules() if isinstance(each, Decoder)]:
        module.layers = nn.ModuleList(map(flatten_layer, module.layers))


def pack(linear: nn.Linear) -> "nn.Linear | PackedLinear":
    """The same map, packed if its matrix can be and is large enough for it to pay."""
    weight = linear.weight
    can_be = torch.backends.mkldnn.is_available() and weight.device.type == "cpu" and weight.dtype == torch.float32
    return PackedLinear(linear) if can_be and weight.numel() >= PACKED_FROM else linear


class PackedLinear(nn.Module):
    """x Wᵀ + b. W [outputs, inputs] is there twice: a few rows take it cut into small blocks, one and many as it is.

    With a few rows most of the time goes into reading W, and 4 rows need not take longer than 1; what `nn.Linear`
    calls takes two to four times as long. The blocks lie in the order in which oneDNN reads them.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.weight, self.bias = linear.weight, linear.bias
        self.blocks = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach().contiguous())

    def forward(self, x: Tensor) -> Tensor:
        rows = x.numel() // x.shape[-1]
        if 1 < rows <= FEW_ROWS:
            return cast(Tensor, torch.ops.mkldnn._linear_pointwise(x, self.blocks, self.bias, "none", [], None))
        return F.linear(x, self.weight, self.bias)


class PositionTable(Positions):
    """A decoding step has one position, and computing its sines and cosines takes a dozen calls."""

    def __init__(self, positions: SinusoidalPositions) -> None:
        super().__init__()
        self.positions = positions
        ids = torch.arange(TABLE_ROWS)[None]
        self.table = sinusoidal_encoding(ids, positions.d_model, by_halves=positions.by_halves)[0]

    def forward(self, x: Tensor, position_ids: Tensor, end: int) -> Tensor:
        if end > TABLE_ROWS or x.dtype != self.table.dtype:
            return self.positions.forward(x, position_ids, end)
        return x + F.embedding(position_ids, self.table)


def flatten_layer(layer: nn.Module) -> nn.Module:
    """The layer written out, if it is as in the paper: post-norm by LayerNorm, two matrices feed forward, biases."""
    if (
        isinstance(layer, DecoderLayer)
        and isinstance(layer.around_self_attention, PostNorm)
        and all(type(around.norm) is LayerNorm for around in surroundings(layer))
        and type(layer.feed_forward) is FeedForward
        and type(layer.self_attention) is type(layer.cross_attention) is MultiHeadAttention
        and layer.self_attention.query.bias is not None
    ):
        return FlatDecoderLayer(layer)
    return layer


class FlatDecoderLayer(nn.Module):
    """The numbers of `DecoderLayer` in a row, W_Q, W_K and W_V of self-attention being one matrix.

    It has the parts of the layer that it is made from, and whatever is not a plain step is left to that layer.
    """

    def __init__(self, layer: DecoderLayer) -> None:
        super().__init__()
        for name, part in layer.named_children():
            self.add_module(name, part)
        self.train(layer.training)
        self.in_parts = layer.forward
        past, source = (cast(MultiHeadAttention, each) for each in (layer.self_attention, layer.cross_attention))
        feed_forward = cast(FeedForward, layer.feed_forward)
        self.num_heads, self.source_keys_values = past.num_heads, source.keys_and_values
        self.query_key_value, self.past_output = join_projections(past), affine(past.output)
        self.source_query, self.source_output = affine(source.query), affine(source.output)
        self.inner, self.outer = affine(feed_forward.inner), affine(feed_forward.outer)
        self.activation = feed_forward.activation
        self.norm_1, self.norm_2, self.norm_3 = (norm_of(cast(LayerNorm, each.norm)) for each in surroundings(layer))

    def forward(
        self, x: Tensor, memory: Tensor, causal: Tensor | None, source_is_real: Tensor | None,
        *, cache: CachesOfLayer | None = None, **others: Any,
    ) -> Tensor:  # fmt: skip
        """As a DecoderLayer's; with a rotation or a record among the others, it is one."""
        plain_step = x.shape[1] == 1 and causal is None and not self.training
        if cache is None or not plain_step or any(other is not None for other in others.values()):
            return self.in_parts(x, memory, causal, source_is_real, cache=cache, **others)

        q, *new = self.query_key_value(x).view(len(x), 3, self.num_heads, 1, -1).unbind(1)
        k, v = cache.past.fetch(lambda: (new[0], new[1]))
        seen = F.scaled_dot_product_attention(q, k, v)
        x = self.norm_1(x + self.past_output(seen.reshape(x.shape)))

        q = self.source_query(x).view(len(memory), -1, self.num_heads, q.shape[-1]).transpose(1, 2)
        k, v = cache.memory.fetch(partial(self.source_keys_values, memory, None))
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=source_is_real).transpose(1, 2)
        x = self.norm_2(x + self.source_output(seen.reshape(x.shape)))

        return self.norm_3(x + self.outer(self.activation(self.inner(x))))


def surroundings(layer: DecoderLayer) -> tuple[nn.Module, nn.Module, nn.Module]:
    return layer.around_self_attention, layer.around_cross_attention, layer.around_feed_forward


def affine(linear: nn.Module) -> Map:
    """x Wᵀ + b, without the module around it."""
    if isinstance(linear, PackedLinear):
        return linear.forward
    weight, bias = (cast(Tensor, each).detach() for each in (linear.weight, linear.bias))
    return lambda x: F.linear(x, weight, bias)


def join_projections(attention: MultiHeadAttention) -> Map:
    """W_Q, W_K and W_V side by side in one product; from now on they are parts of the one, so none is there twice."""
    parts = attention.query, attention.key, attention.value
    one = linear_of(
        torch.cat([part.weight.detach().t() for part in parts], dim=1).t(),  # stored column by column
        torch.cat([part.bias.detach() for part in parts]),
    )
    attention.query, attention.key, attention.value = map(linear_of, one.weight.chunk(3), one.bias.chunk(3))
    return affine(pack(one))


def linear_of(weight: Tensor, bias: Tensor) -> nn.Linear:
    linear = nn.Linear(weight.shape[1], weight.shape[0], device="meta")  # without numbers of its own
    linear.weight, linear.bias = (nn.Parameter(each, requires_grad=False) for each in (weight, bias))
    return linear


def norm_of(norm: LayerNorm) -> Map:
    shape, gain, bias, eps = norm.gain.shape, norm.gain.detach(), norm.bias.detach(), norm.eps
    return lambda x: torch.layer_norm(x, shape, gain, bias, eps)


class PartwiseEncoding:
    """A Transformer, as search knows it, that encodes a batch in parts."""

    def __init__(self, model: Transformer) -> None:
        self.model, self.next_token_logits = model, model.next_token_logits

    def start_decoding(self, source: Tensor) -> TransformerState:
        return self.model.state_after(source, encode_in_parts(self.model.encode, source))


def encode_in_parts(encode: Map, source: Tensor) -> Tensor:
    """What `encode(source)` gives, memory [batch, source, d_model]; but zeros, perhaps, where the source is padded.

    Sentences of like length together: a part is as wide as its longest sentence. A batch of sentences as they come is
    often more padding than text, and padding costs as much to encode.
    """
    lengths = (source != SPECIAL.pad).sum(1).clamp(min=1)
    order = lengths.argsort(descending=True)
    sizes = part_sizes(lengths[order].tolist())
    if len(sizes) == 1:
        return encode(source)
    parts = order.split(sizes)
    encoded = [encode(source[rows, : int(lengths[rows[0]])]) for rows in parts]
    memory = encoded[0].new_zeros(*source.shape, encoded[0].shape[-1])
    for rows, part in zip(parts, encoded, strict=True):
        memory[rows, : part.shape[1]] = part
    return memory


def part_sizes(lengths: list[int]) -> list[int]:
    """How many sentences a part has, the longest first: enough for many tokens, and more that are nearly as long.

    100, 95, 90, 60, 50 -> 3, 2
    """
    sizes, tokens, longest = [0], 0, 0
    for length in lengths:
        if tokens >= ENOUGH_TOKENS and length < ALIKE * longest:
            sizes.append(0)
            tokens = 0
        if tokens == 0:
            longest = length
        sizes[-1] += 1
        tokens += length
    return sizes
