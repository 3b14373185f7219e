"""One step of the decoder in few programs, for half precision on a GPU; `tree.next_logits` is the same, written out.

Queries, keys and values are one product; attention reads what is there and no more; x + y and its norm are one pass;
the best tokens are found in one pass over the logits. A model whose parts are others takes the written-out step.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.engines.cuda.buffers import Buffers
from attendo.engines.cuda.tree import Tree
from attendo.model.add_and_norm import PreNorm
from attendo.model.decoder import DecoderLayer
from attendo.model.embeddings import ScaledEmbedding
from attendo.model.feed_forward import FeedForward
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.norms import LayerNorm, RMSNorm
from attendo.model.transformer import Transformer

HALVES = (torch.float16, torch.bfloat16)
HEADS = (16, 32, 64, 128)  # sizes of a head that a GPU multiplies as they are
WIDEST = 16  # beams


def can_be_fused(model: Transformer, beams: int) -> bool:
    """Whether every part is one that the programs here compute."""
    weight = model.embedding.weight
    return (
        weight.is_cuda
        and weight.dtype in HALVES
        and has_triton()
        and 1 <= beams <= WIDEST
        and 2 * beams < model.config.vocab_size - 2
        and model.config.positions != "rotary"
        and type(model.embedding) is ScaledEmbedding
        and all(is_plain(layer) for layer in model.decoder.layers)
    )


def is_plain(layer: nn.Module) -> bool:
    if not isinstance(layer, DecoderLayer) or type(layer.feed_forward) is not FeedForward:
        return False
    attentions = (layer.self_attention, layer.cross_attention)
    norms = (layer.around_self_attention.norm, layer.around_cross_attention.norm, layer.around_feed_forward.norm)
    return (
        all(type(each) is MultiHeadAttention and each.kv_heads == each.num_heads for each in attentions)
        and layer.self_attention.head_dim in HEADS
        and all(type(each) in (LayerNorm, RMSNorm) for each in norms)
    )


def has_triton() -> bool:
    try:
        import triton  # noqa: F401
    except ImportError:
        return False
    return True


@dataclass(frozen=True)
class FusedDecoder:
    """A model, and copies of those of its weights that are read together. They are made anew for each search, in the
    same memory: a model in training has others each time."""

    model: Transformer
    qkv: tuple[tuple[Tensor, Tensor], ...]  # of each layer: weight [3 × d_model, d_model], bias
    positions: Tensor  # [steps, d_model]: what is added to the embedding at each step

    @classmethod
    def of(cls, model: Transformer, steps: int, buffers: Buffers) -> "FusedDecoder":
        width, dtype = model.config.d_model, model.embedding.weight.dtype
        joined = []
        for index, layer in enumerate(cast(Iterable[DecoderLayer], model.decoder.layers)):
            parts = cast(MultiHeadAttention, layer.self_attention)
            weight = buffers.cut(f"fused.{index}.weight", (3 * width, width), dtype)
            bias = buffers.cut(f"fused.{index}.bias", (3 * width,), dtype)
            linears = (parts.query, parts.key, parts.value)
            torch.cat([each.weight for each in linears], out=weight)
            zeros = weight.new_zeros(width)
            torch.cat([zeros if each.bias is None else each.bias for each in linears], out=bias)
            joined.append((weight, bias))
        table = buffers.cut("fused.positions", (steps, width), dtype)
        places = torch.arange(steps, device=table.device)[None]
        table.copy_(model.target_positions(table.new_zeros(1, steps, width), places, steps)[0])
        return cls(model, tuple(joined), table)

    def next_logits(self, tokens: Tensor, tree: Tree) -> Tensor:
        """Tokens [sentences, beams] -> logits [sentences × beams, vocab]; the tree has room for the step."""
        model = self.model
        x = model.embedding(tokens).flatten(0, 1) + self.positions.index_select(0, tree.length[:1])
        sublayers = self.sublayers(tree)
        is_pre = isinstance(next(iter(model.decoder.layers)).around_self_attention, PreNorm)
        if not is_pre:
            for sublayer, norm in sublayers:
                _, x = added_and_normed(x, sublayer(x), norm, keep_sum=False)
        else:
            # After each sum comes the norm of the sublayer that is next, and after the last one the decoder's own.
            norms = [norm for _, norm in sublayers[1:]] + [model.decoder.norm]
            normed = sublayers[0][1](x)
            for (sublayer, _), norm in zip(sublayers, norms, strict=True):
                x, normed = added_and_normed(x, sublayer(normed), norm, keep_sum=True)
            x = normed
        tree.length.add_(1)
        return model.output(x)

    def sublayers(self, tree: Tree) -> list[tuple[Callable[[Tensor], Tensor], nn.Module]]:
        """In their order, each with the norm that stands around it."""
        from attendo.engines.cuda.kernels.attend import attend_memory, attend_past

        found: list[tuple[Callable[[Tensor], Tensor], nn.Module]] = []
        for index, layer in enumerate(cast(Iterable[DecoderLayer], self.model.decoder.layers)):
            own, cross = (cast(MultiHeadAttention, each) for each in (layer.self_attention, layer.cross_attention))

            def look_back(x: Tensor, own: MultiHeadAttention = own, index: int = index) -> Tensor:
                qkv = F.linear(x, *self.qkv[index])
                return own.output(attend_past(qkv, tree.past[:, index], tree.own_past, tree.length))

            def look_at_source(x: Tensor, cross: MultiHeadAttention = cross, index: int = index) -> Tensor:
                return cross.output(attend_memory(cross.query(x), tree.memory[:, index], tree.source_lengths))

            def think(x: Tensor, part: nn.Module = layer.feed_forward) -> Tensor:
                return feed_forward(x, cast(FeedForward, part))

            found += [
                (look_back, layer.around_self_attention.norm),
                (look_at_source, layer.around_cross_attention.norm),
                (think, layer.around_feed_forward.norm),
            ]
        return found


def feed_forward(x: Tensor, part: FeedForward) -> Tensor:
    """The first product with its activation in one program where the library has it: max(0, x W_1 + b_1)."""
    if part.activation is F.relu and part.inner.bias is not None:
        return part.outer(torch._addmm_activation(part.inner.bias, x, part.inner.weight.t()))
    return part.outer(part.activation(part.inner(x)))


def added_and_normed(x: Tensor, y: Tensor, norm: nn.Module, *, keep_sum: bool) -> tuple[Tensor, Tensor]:
    from attendo.engines.cuda.kernels.add_and_norm import add_and_norm

    assert isinstance(norm, LayerNorm | RMSNorm)  # noqa: S101 - what can_be_fused says
    bias = norm.bias if isinstance(norm, LayerNorm) else None
    return add_and_norm(x, y, norm.gain, bias, norm.eps, keep_sum=keep_sum)
