"""Teacher forcing in few programs, for a GPU in bfloat16; `TeacherForcing` is the same, written out.

What torch.compile makes of the written-out model keeps the residual stream in float32, masks attention across whole
rows, and stores all logits. Here all rows of a batch lie in one line: attention reads a sentence's own keys
(kernels/interval_attention.py), each sublayer is one function forward and backward (sublayers.py), and logits are there
for a chunk at a time (ends.py). A model whose parts are others takes the written-out way.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.engines.cuda.training.ends import (
    Criterion,
    CrossEntropyCriterion,
    Embed,
    Embedded,
    OutputLoss,
    RDropCriterion,
)
from attendo.engines.cuda.training.intervals import BatchIntervals, Intervals
from attendo.engines.cuda.training.programs import OnDevice, Programs
from attendo.engines.cuda.training.sublayers import (
    Around,
    AttentionCopies,
    CrossAttentionPass,
    FeedForwardCopies,
    FeedForwardPass,
    SelfAttentionPass,
)
from attendo.engines.plain import is_the_papers
from attendo.model.add_and_norm import AddAndNorm, PreNorm
from attendo.model.config import ModelConfig, TransformerConfig
from attendo.model.decoder import Decoder, DecoderLayer
from attendo.model.encoder import Encoder, EncoderLayer
from attendo.model.feed_forward import FeedForward
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.norms import LayerNorm
from attendo.model.transformer import Transformer
from attendo.training.config import TrainingConfig
from attendo.training.device import Machine

HEADS = (16, 32, 64, 128)  # sizes of a head that a GPU multiplies as they are
DROPOUTS_A_LAYER = 3
MOST_TOKENS = 2**17  # of a batch: the programs count places in 32 bits, up to 2^14 a token


def fused_if_possible(machine: Machine, config: ModelConfig, training: TrainingConfig) -> Machine:
    """The machine with programs made for such a training instead of the compiler's, where there are some.

    `compile = "on"` in a recipe asks for the compiler's all the same.
    """
    possible = (
        training.compile == "auto"
        and machine.compiled  # then there is a GPU, Triton and what it needs
        and machine.device.type == "cuda"
        and machine.precision == torch.bfloat16
        and is_plain(config)
        and training.tokens_per_batch * (2 if training.r_drop else 1) <= MOST_TOKENS
    )
    return replace(machine, compiled=False, step="fused") if possible else machine


def is_plain(config: ModelConfig) -> bool:
    """The paper's own but for sizes, which the programs must take, and the order of its norms."""
    return (
        isinstance(config, TransformerConfig)
        and is_the_papers(config)
        and config.head_dim in HEADS
        and max(3 * config.d_model, config.d_ff) <= 2**14
        and config.d_model % 8 == config.d_ff % 8 == config.vocab_size % 8 == 0  # as matrix units read them
    )


@dataclass(frozen=True)
class FusedTeacherForcing:
    """An objective, called with a Transformer that `is_plain` and one batch: the sum over real target tokens."""

    label_smoothing: float = 0.0
    dtype: torch.dtype = torch.bfloat16
    programs: Programs = field(default_factory=OnDevice)

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        criterion = CrossEntropyCriterion(self.programs, self.label_smoothing)
        return FusedPass.of(cast(Transformer, model), batch, self.programs, self.dtype).loss(
            batch.target_out, criterion
        )


@dataclass(frozen=True)
class FusedRDrop:
    """`RDrop` in the same programs: every pair twice in one batch, each copy with a dropout of its own."""

    alpha: float
    label_smoothing: float = 0.0
    dtype: torch.dtype = torch.bfloat16
    programs: Programs = field(default_factory=OnDevice)

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        criterion = RDropCriterion(self.programs, self.label_smoothing, self.alpha)
        twice = batch.each(lambda tensor: torch.cat((tensor, tensor)))
        return FusedPass.of(cast(Transformer, model), twice, self.programs, self.dtype).loss(
            batch.target_out, criterion
        )


class OnTheWay(NamedTuple):
    """Between two sublayers: what the next one reads, and in a pre-norm model the sum of which it is the norm."""

    x: Tensor
    stream: Tensor | None = None


@dataclass(frozen=True)
class FusedPass:
    """One batch on its way through a model."""

    model: Transformer
    batch: Batch
    intervals: BatchIntervals
    halves: dict[Tensor, Tensor]
    seeds: Iterator[Tensor]  # one for each dropout, drawn by torch's generator
    programs: Programs
    dtype: torch.dtype

    @classmethod
    def of(cls, model: Transformer, batch: Batch, programs: Programs, dtype: torch.dtype) -> "FusedPass":
        count = 2 + DROPOUTS_A_LAYER * (len(model.encoder.layers) + len(model.decoder.layers))
        seeds = torch.randint(2**31 - 1, (count, 4), dtype=torch.int32, device=batch.source.device)
        return cls(model, batch, BatchIntervals.of(batch), in_half(model, dtype), iter(seeds), programs, dtype)

    def loss(self, target_out: Tensor, criterion: Criterion) -> Tensor:
        """Summed over the tokens of target_out [batch, target], of which this batch may hold several copies."""
        weight = self.model.output.weight
        with torch.autocast(target_out.device.type, enabled=False):  # every program here knows its types
            return OutputLoss.apply(  # type: ignore[no-untyped-call]
                self.decoded(), weight, self.halves[weight], target_out.flatten(), criterion
            )

    def decoded(self) -> Tensor:
        """What the output projection is given: [target tokens, d_model]."""
        batch, intervals, model = self.batch, self.intervals, self.model
        norms = norms_of(model.encoder)
        source = self.begin(self.embedded(batch.source, intervals.source_places), model.encoder)
        for encoder in cast(Iterable[EncoderLayer], model.encoder.layers):
            source = self.look_at_itself(source, encoder, next(norms), intervals.source)
            source = self.think(source, encoder, next(norms))
        norms = norms_of(model.decoder)
        target = self.begin(self.embedded(batch.target_in, intervals.target_places), model.decoder)
        for layer in cast(Iterable[DecoderLayer], model.decoder.layers):
            target = self.look_at_itself(target, layer, next(norms), intervals.target)
            target = self.look_at_memory(target, source.x, layer, next(norms))
            target = self.think(target, layer, next(norms))
        return target.x

    def begin(self, embedded: Tensor, stack: Encoder | Decoder) -> OnTheWay:
        """What the first sublayer reads."""
        first = arounds_of(stack.layers[0])[0]
        if isinstance(first, PreNorm):
            norm = cast(LayerNorm, first.norm)
            return OnTheWay(norm(embedded.to(norm.gain.dtype)).to(embedded.dtype), embedded)
        return OnTheWay(embedded)

    def embedded(self, tokens: Tensor, places: Tensor) -> Tensor:
        model, length = self.model, tokens.shape[1]
        weight = model.embedding.weight
        nothing = weight.new_zeros(1, length, weight.shape[1])
        positions = model.source_positions(nothing, torch.arange(length, device=tokens.device)[None], length)[0]
        how = Embedded(
            self.programs, tokens.flatten(), places, positions, weight.shape[1] ** 0.5,
            self.dropout(model.dropout), next(self.seeds), self.dtype,
        )  # fmt: skip
        return Embed.apply(weight, how)  # type: ignore[no-untyped-call]

    def look_at_itself(
        self, now: OnTheWay, layer: EncoderLayer | DecoderLayer, norm: LayerNorm, sees: Intervals
    ) -> OnTheWay:
        attention, around = cast(MultiHeadAttention, layer.self_attention), layer.around_self_attention
        given = self.look(attention, sees), self.around(around, norm), *attention_weights(attention)
        return on_the_way(SelfAttentionPass.apply(*now, *given, norm.gain, norm.bias))  # type: ignore[no-untyped-call]

    def look_at_memory(self, now: OnTheWay, memory: Tensor, layer: DecoderLayer, norm: LayerNorm) -> OnTheWay:
        attention, around = cast(MultiHeadAttention, layer.cross_attention), layer.around_cross_attention
        look = self.look(attention, self.intervals.cross)
        given = memory, look, self.around(around, norm), *attention_weights(attention)
        return on_the_way(CrossAttentionPass.apply(*now, *given, norm.gain, norm.bias))  # type: ignore[no-untyped-call]

    def think(self, now: OnTheWay, layer: EncoderLayer | DecoderLayer, norm: LayerNorm) -> OnTheWay:
        part, around = cast(FeedForward, layer.feed_forward), layer.around_feed_forward
        inner, outer = part.inner, part.outer
        think = FeedForwardCopies(*(self.halves[each] for each in (inner.weight, inner.bias, outer.weight)))
        given = think, self.around(around, norm), inner.weight, inner.bias, outer.weight, outer.bias
        return on_the_way(FeedForwardPass.apply(*now, *given, norm.gain, norm.bias))  # type: ignore[no-untyped-call]

    def look(self, attention: MultiHeadAttention, sees: Intervals) -> AttentionCopies:
        joined, bias = (self.halves[each] for each in (attention.query.weight, attention.query.bias))
        return AttentionCopies(sees, attention.num_heads, joined, bias, self.halves[attention.output.weight])

    def around(self, around: AddAndNorm, norm: LayerNorm) -> Around:
        return Around(self.programs, norm.eps, self.dropout(around.dropout), next(self.seeds))

    def dropout(self, part: nn.Dropout) -> float:
        return part.p if part.training else 0.0


def in_half(model: Transformer, dtype: torch.dtype) -> dict[Tensor, Tensor]:
    """Copies of the weights that products read, all made by one call, in one piece of memory.

    Those of queries, keys and values stand one after the other; under the name of the first the three are found.
    """
    groups = list(groups_of(model))
    sizes = [sum(weight.numel() for weight in group) for group in groups]
    memory = groups[0][0].new_empty(sum(sizes), dtype=dtype)
    halves: dict[Tensor, Tensor] = {}
    views: list[Tensor] = []
    for group, piece in zip(groups, memory.split(sizes), strict=True):
        halves[group[0]] = piece.view(-1, *group[0].shape[1:])
        views += (
            part.view(weight.shape)
            for weight, part in zip(group, piece.split([weight.numel() for weight in group]), strict=True)
        )
    with torch.no_grad():
        torch._foreach_copy_(views, [weight for group in groups for weight in group])
    return halves


def groups_of(model: Transformer) -> Iterator[list[Tensor]]:
    yield [model.output.weight]
    for part in model.modules():
        if isinstance(part, MultiHeadAttention):
            yield [part.query.weight, part.key.weight, part.value.weight]
            yield [part.query.bias, part.key.bias, part.value.bias]
            yield [part.output.weight]
        elif isinstance(part, FeedForward):
            yield [part.inner.weight]
            yield [part.inner.bias]
            yield [part.outer.weight]


def attention_weights(attention: MultiHeadAttention) -> tuple[Tensor, ...]:
    """In the order in which the sublayers want them."""
    parts = attention.query, attention.key, attention.value
    output = attention.output
    return *(part.weight for part in parts), *(part.bias for part in parts), output.weight, output.bias


def norms_of(stack: Encoder | Decoder) -> Iterator[LayerNorm]:
    """The norm that follows each sublayer: its own, or in a pre-norm stack that of the next one."""
    arounds = [around for layer in stack.layers for around in arounds_of(layer)]
    norms = [around.norm for around in arounds]
    return iter(cast(list[LayerNorm], [*norms[1:], stack.norm] if isinstance(arounds[0], PreNorm) else norms))


def arounds_of(layer: nn.Module) -> list[AddAndNorm]:
    """In the order in which the sublayers are gone through."""
    return [part for part in layer.children() if isinstance(part, AddAndNorm)]


def on_the_way(found: Tensor | tuple[Tensor, Tensor]) -> OnTheWay:
    return OnTheWay(found) if isinstance(found, Tensor) else OnTheWay(found[1], found[0])
