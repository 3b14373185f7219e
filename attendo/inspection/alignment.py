"""An attention record and the pieces it speaks of -> named matrices that a person can read.

Where several tokens are shown as one, what it looks at is the mean over its tokens, and what is looked at in it is
their sum; so a row that summed to 1 still does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attendo.inspection.readable import Unit, words
from attendo.model.record import AttentionRecord


@dataclass(frozen=True)
class AttentionMaps:
    """One use of attention (3.2.3) in all layers and heads: rows look, columns are looked at."""

    name: str  # encoder-self, decoder-self, cross; self for a decoder alone
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: Tensor  # [layers, heads, rows, columns]

    @property
    def causal(self) -> bool:
        """Whether a mask keeps each row from looking at what comes after it; rows and columns are the same then."""
        return self.name in ("decoder-self", "self", "language-model")


@dataclass(frozen=True)
class Alignment:
    """Which words of the source the model looked at for each word of the target."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: Tensor  # [rows, columns]


def attention_maps(
    record: AttentionRecord, source: Sequence[Unit], output: Sequence[Unit], target_in: Sequence[Unit]
) -> list[AttentionMaps]:
    """All the uses that the model makes of attention.

    A row of cross-attention bears the token that is being produced (target_out, here `output`). In self-attention a row
    bears the token that is read there, as the columns do: of the target that is target_in, which begins with <s>.
    """
    if not record.cross:
        both = [*source, *target_in]
        return [label_maps("self", record.decoder_self, both, both)]
    uses = [
        ("encoder-self", record.encoder_self, source, source),
        ("decoder-self", record.decoder_self, target_in, target_in),
        ("cross", record.cross, output, source),
    ]
    return [label_maps(*use) for use in uses if use[1]]  # an LSTM has cross-attention alone


def label_maps(name: str, layers: Sequence[Tensor], rows: Sequence[Unit], columns: Sequence[Unit]) -> AttentionMaps:
    """Layers of [1, heads, queries, keys]; joined one by one, so that only the joined ones are held together."""
    weights = torch.stack([join_tokens(layer[0], rows, columns) for layer in layers])
    row_labels, column_labels = (tuple(unit.piece_label for unit in units) for units in (rows, columns))
    return AttentionMaps(name, row_labels, column_labels, weights)


def join_tokens(weights: Tensor, rows: Sequence[Unit], columns: Sequence[Unit]) -> Tensor:
    """[…, queries, keys] -> […, rows, columns]: the mean over a row's tokens of the sum over a column's."""
    row_counts, column_counts = (torch.tensor([unit.count for unit in units]) for units in (rows, columns))
    sums = sum_neighbours(sum_neighbours(weights.cpu(), column_counts, -1), row_counts, -2)
    return sums / row_counts[:, None]


def sum_neighbours(x: Tensor, counts: Tensor, dim: int) -> Tensor:
    """Neighbours along a dimension: counts [2, 1] of [a, b, c] -> [a + b, c]."""
    shape = list(x.shape)
    shape[dim] = len(counts)
    return x.new_zeros(shape).index_add(dim, torch.arange(len(counts)).repeat_interleave(counts), x)


def align(record: AttentionRecord, source: Sequence[Unit], output: Sequence[Unit]) -> Alignment:
    """Cross-attention, the mean over all layers and heads, joined into words where the source has several.

    A decoder alone has no cross-attention: there it is what its self-attention, where a target token is being produced,
    gives to the source. The rest of such a row went to the target itself.
    """
    layers = record.cross or record.decoder_self
    mean = torch.stack([layer[0].cpu().mean(0) for layer in layers]).mean(0)  # [queries, keys]
    mean = mean[-sum(unit.count for unit in output) :, : sum(unit.count for unit in source)]
    rows, columns = output, source
    if sum(not unit.control for unit in words(columns)) > 1:  # a source of one word is looked at piece by piece
        rows, columns = words(rows), words(columns)
    weights = join_tokens(mean, rows, columns)
    return Alignment(tuple(unit.word_label for unit in rows), tuple(unit.word_label for unit in columns), weights)
