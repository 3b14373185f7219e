"""Decoding several hypotheses of each sentence with tensors of fixed shape, in which nothing is ever moved.

Each step adds one token to each of a sentence's beams. Hypotheses branch and die, so the outputs form a tree. The
keys and values of a token stay where they were written, in

    slot = step × beams + beam,

and a mask tells every hypothesis which slots are its own past. To attention the beams of a sentence are so many
queries side by side over the same keys. When hypotheses change places only their lines of the mask do: a byte for each
slot instead of 2 × layers × d_model numbers.

The step is counted by a tensor. So all steps are the same program over other numbers, which a GPU can record once.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from attendo.decoding.beam_rules import PerSentence, TensorLayout
from attendo.engines.cuda.buffers import Buffers
from attendo.model import masks
from attendo.model.cache import KeysValues
from attendo.model.decoder import DecoderLayer
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL


@dataclass(frozen=True)
class TreeShape:
    """Room for so many sentences, beams of each, source tokens, and steps."""

    sentences: int
    beams: int
    source: int
    steps: int


@dataclass(frozen=True)
class Tree(PerSentence):
    """What decoding carries from step to step."""

    source: Tensor  # [sentences, source]: its ids
    length: Tensor  # [sentences]: tokens fed so far to each hypothesis, the same number in every line
    own_past: Tensor  # [sentences, 1, beams, slots]
    past: Tensor  # [sentences, layers, 2, heads, slots, head_dim]: keys and values of the output
    memory: Tensor  # [sentences, layers, 2, heads, source, head_dim]: those of the source, which all beams share
    source_is_real: Tensor  # [sentences, 1, 1, source]
    source_lengths: Tensor  # [sentences]: how much of it is

    @staticmethod
    def layout(model: Transformer, shape: TreeShape) -> TensorLayout:
        dtype, config = model.embedding.weight.dtype, model.config
        slots = shape.steps * shape.beams
        keys_values = shape.sentences, config.decoder_layers, 2, config.num_heads
        return {
            "source": ((shape.sentences, shape.source), torch.int64),
            "length": ((shape.sentences,), torch.int64),
            "own_past": ((shape.sentences, 1, shape.beams, slots), torch.bool),
            "past": ((*keys_values, slots, config.head_dim), dtype),
            "memory": ((*keys_values, shape.source, config.head_dim), dtype),
            "source_is_real": ((shape.sentences, 1, 1, shape.source), torch.bool),
            "source_lengths": ((shape.sentences,), torch.int64),
        }

    def reorder(self, parents: Tensor) -> None:
        """parents [sentences, beams]: from now on beam b goes on where beam parents[b] of its sentence stood."""
        self.own_past.copy_(self.own_past.gather(2, parents[:, None, :, None].expand_as(self.own_past)))


@dataclass(frozen=True)
class SlotCache:
    """Self-attention: new keys and values are written into their slots; all slots are there to be looked at."""

    past: Tensor  # [sentences, 2, heads, slots, head_dim]
    slots: Tensor  # [beams]: those of this step

    def fetch(self, compute: Callable[[], KeysValues]) -> KeysValues:
        keys, values = self.past.unbind(1)
        new_keys, new_values = compute()
        return keys.index_copy_(2, self.slots, new_keys), values.index_copy_(2, self.slots, new_values)


@dataclass(frozen=True)
class KeptCache:
    """Cross-attention: the memory's keys and values, computed when decoding started."""

    memory: Tensor  # [sentences, 2, heads, source, head_dim]

    def fetch(self, compute: Callable[[], KeysValues]) -> KeysValues:
        keys, values = self.memory.unbind(1)
        return keys, values


@dataclass(frozen=True)
class TreeLayerCache:
    past: SlotCache
    memory: KeptCache


def start_tree(model: Transformer, source: Tensor, shape: TreeShape, buffers: Buffers) -> Tree:
    """Source ids [batch, source], not yet read. The shape may have room for more than there is: that is padding."""
    tree = Tree(**buffers.zeros(Tree, Tree.layout(model, shape)))
    batch, width = source.shape
    tree.source[:batch, :width] = source
    return tree


def read_source(model: Transformer, tree: Tree, lines: int | None = None) -> None:
    """The encoder, once, and what every layer of the decoder needs of its output; of the first lines, or of all."""
    source = tree.source[:lines]
    memory = model.encode(source)
    tree.source_is_real.copy_(masks.real(tree.source, SPECIAL.pad))
    tree.source_lengths.copy_((tree.source != SPECIAL.pad).sum(1))
    for index, layer in enumerate(cast(Iterable[DecoderLayer], model.decoder.layers)):
        keys, values = cast(MultiHeadAttention, layer.cross_attention).keys_and_values(memory, None)
        tree.memory[:lines, index, 0].copy_(keys)
        tree.memory[:lines, index, 1].copy_(values)


def next_logits(model: Transformer, tokens: Tensor, tree: Tree, end: int) -> Tensor:
    """Feed each hypothesis its next token [sentences, beams]; logits of what follows: [sentences, beams, vocab].

    No position reaches `end`: the host knows it, where reading the tensor would make it wait.
    """
    sentences, beams = tokens.shape
    index = torch.arange(beams, device=tokens.device)
    slots = tree.length[:1] * beams + index
    itself = index[:, None] == index
    tree.own_past.index_copy_(3, slots, itself.expand(sentences, 1, beams, beams))

    position_ids = tree.length[:1, None]
    x = model.embedding(tokens)
    rotation = model.target_positions.rotation(position_ids, x.dtype)
    x = model.target_positions(x, position_ids, end)
    caches = [
        TreeLayerCache(SlotCache(tree.past[:, layer], slots), KeptCache(tree.memory[:, layer]))
        for layer in range(tree.past.shape[1])
    ]
    # In the memory's place stands anything with a line for each sentence: its keys and values are known already.
    x = model.decoder(x, x, tree.own_past, tree.source_is_real, rotation=rotation, caches=caches)
    tree.length.add_(1)
    return model.output(x)
