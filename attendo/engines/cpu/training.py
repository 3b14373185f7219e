"""Teacher forcing with fewer detours, for a CPU; `TeacherForcing` is the same, written out.

Four fifths of a step of `tiny` are matrix products, at the speed of the processor. Of the rest much can be spared:

    padding, but in attention                             lines.py
    a random number for every number that may be dropped  dropout.py
    logits that are written four times                    loss.py
    three products for queries, keys and values           here

What is dropped is drawn otherwise than torch does it, so a run ends elsewhere than a written-out one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Self, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.engines.cpu.dropout import FewBits
from attendo.engines.cpu.lines import Line
from attendo.engines.cpu.loss import LeanLoss
from attendo.engines.cpu.residual import ResidualNorm
from attendo.engines.plain import is_the_papers
from attendo.model import masks
from attendo.model.add_and_norm import AddAndNorm, PreNorm
from attendo.model.config import ModelConfig
from attendo.model.decoder import DecoderLayer
from attendo.model.encoder import EncoderLayer
from attendo.model.feed_forward import FeedForward
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.norms import LayerNorm
from attendo.model.positions import Positions
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from attendo.training.config import TrainingConfig
from attendo.training.device import Machine


def lean_if_possible(machine: Machine, config: ModelConfig, training: TrainingConfig) -> Machine:
    """The machine with this step instead of the written-out one, where it computes the same.

    `compile = "off"` or "on" in a recipe ask for the written-out one. R-Drop compares all logits of two passes.
    """
    possible = (
        training.compile == "auto"
        and machine.device.type == "cpu"
        and training.r_drop == 0
        and not training.shard
        and is_the_papers(config)
    )
    return replace(machine, step="lean") if possible else machine


@dataclass(frozen=True)
class LeanTeacherForcing:
    """An objective, called with a Transformer that `is_the_papers` and one batch: the sum over real target tokens."""

    label_smoothing: float = 0.0
    dtype: torch.dtype = torch.float32  # of products; all else is in the type of the weights

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        model = cast(Transformer, model)
        with torch.autocast("cpu", enabled=False):  # every product here knows its type
            through = LeanPass.of(model, batch, self.dtype)
            targets = through.target.of_grid(batch.target_out)
            given = through.decoded(), model.output.weight, targets, self.label_smoothing, self.dtype
            return LeanLoss.apply(*given)  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Sees:
    """Who may look at whom, as masks over the grids; None: all, or in the decoder all before."""

    source: Tensor | None
    target: Tensor | None
    cross: Tensor | None

    @classmethod
    def of(cls, batch: Batch, source: Line) -> Self:
        if batch.segments is None:  # padding stands after a sentence, where the causal mask hides it
            real = None if source.at is None else masks.real(batch.source, SPECIAL.pad)
            return cls(real, None, real)
        of_source, of_target = batch.segments
        causal = masks.causal(of_target.shape[1], of_target.shape[1])
        return cls(
            masks.same_segment(of_source, of_source),
            causal & masks.same_segment(of_target, of_target),
            masks.same_segment(of_target, of_source),
        )


@dataclass(frozen=True)
class LeanPass:
    """One batch on its way through a model; x is a line, [tokens, d_model]."""

    model: Transformer
    source: Line
    target: Line
    sees: Sees
    bits: FewBits
    dtype: torch.dtype

    @classmethod
    def of(cls, model: Transformer, batch: Batch, dtype: torch.dtype) -> Self:
        of_source, of_target = batch.segments or (None, None)
        source, target = Line.of(batch.source, of_source), Line.of(batch.target_in, of_target)
        return cls(model, source, target, Sees.of(batch, source), FewBits(), dtype)

    def decoded(self) -> Tensor:
        """What the output projection is given: [target tokens, d_model]."""
        model, sees = self.model, self.sees
        memory = self.embedded(self.source, model.source_positions)
        for encoder in cast(Iterable[EncoderLayer], model.encoder.layers):
            memory = self.look_at_itself(memory, encoder, self.source, sees.source)
            memory = self.think(memory, encoder)
        memory = model.encoder.norm(memory)
        x = self.embedded(self.target, model.target_positions)
        for layer in cast(Iterable[DecoderLayer], model.decoder.layers):
            x = self.look_at_itself(x, layer, self.target, sees.target, causal=sees.target is None)
            x = self.look_at_memory(x, memory, layer)
            x = self.think(x, layer)
        return cast(Tensor, model.decoder.norm(x))

    def embedded(self, line: Line, positions: Positions) -> Tensor:
        x = positions(self.model.embedding(line.tokens[None]), line.places[None], line.width)[0]
        factors = self.factors(x, self.model.dropout)
        return x if factors is None else x * factors

    def look_at_itself(
        self, x: Tensor, layer: EncoderLayer | DecoderLayer, line: Line, may_attend: Tensor | None, causal: bool = False
    ) -> Tensor:
        part = cast(MultiHeadAttention, layer.self_attention)

        def look_around(x: Tensor) -> Tensor:
            q, k, v = self.project(x, line, part.num_heads, part.query, part.key, part.value)
            heads = F.scaled_dot_product_attention(q, k, v, attn_mask=may_attend, is_causal=causal)
            return self.linear(line.gather(heads.transpose(1, 2)), part.output.weight, part.output.bias)

        return self.add_and_norm(x, look_around, layer.around_self_attention)

    def look_at_memory(self, x: Tensor, memory: Tensor, layer: DecoderLayer) -> Tensor:
        part = cast(MultiHeadAttention, layer.cross_attention)

        def look_at_source(x: Tensor) -> Tensor:
            (q,) = self.project(x, self.target, part.num_heads, part.query)
            k, v = self.project(memory, self.source, part.num_heads, part.key, part.value)
            heads = F.scaled_dot_product_attention(q, k, v, attn_mask=self.sees.cross)
            return self.linear(self.target.gather(heads.transpose(1, 2)), part.output.weight, part.output.bias)

        return self.add_and_norm(x, look_at_source, layer.around_cross_attention)

    def think(self, x: Tensor, layer: EncoderLayer | DecoderLayer) -> Tensor:
        part = cast(FeedForward, layer.feed_forward)

        def feed_forward(x: Tensor) -> Tensor:
            inner = F.relu_(self.linear(x, part.inner.weight, part.inner.bias))
            return self.linear(inner, part.outer.weight, part.outer.bias)

        return self.add_and_norm(x, feed_forward, layer.around_feed_forward)

    def add_and_norm(self, x: Tensor, sublayer: Callable[[Tensor], Tensor], around: AddAndNorm) -> Tensor:
        norm, factors = cast(LayerNorm, around.norm), self.factors(x, around.dropout)
        if isinstance(around, PreNorm):
            y = sublayer(norm(x)).to(x.dtype)
            return x + y if factors is None else torch.addcmul(x, y, factors)
        given = x, sublayer(x), factors, norm.gain, norm.bias, norm.eps
        return ResidualNorm.apply(*given)  # type: ignore[no-untyped-call]

    def project(self, x: Tensor, line: Line, heads: int, *parts: nn.Linear) -> Iterable[Tensor]:
        """Queries, keys, values or some of them by one product: [rows, heads, width, head_dim] each."""
        weight, bias = torch.cat([part.weight for part in parts]), torch.cat([part.bias for part in parts])
        joined = self.linear(x, weight, bias).to(x.dtype)  # attention in bfloat16 is slow on its way back
        return (each.unflatten(-1, (heads, -1)).transpose(1, 2) for each in line.spread(joined).chunk(len(parts), -1))

    def linear(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return F.linear(x.to(self.dtype), weight.to(self.dtype), bias.to(self.dtype))

    def factors(self, x: Tensor, dropout: nn.Dropout) -> Tensor | None:
        return self.bits.factors(x, dropout.p) if dropout.training else None
