"""A model of somebody else in the form that all of ours have.

What is only a matter of order is put into our order, so that nothing that runs a model need know of it:

    ids        pad 0, <s> 1, </s> 2, <unk> 3, tags, bytes, pieces. What a decoder begins with (Marian: padding, or
               nothing at all) becomes the row of <s>. A source with a vocabulary of its own gets a table of its own,
               over the pieces of both.

What is another computation (swish, sines before cosines, a bias of the output, pre-norm) is the configuration's. A row
that their vocabulary does not have gets a bias that no search overcomes, so that the probabilities of all others are
theirs.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attendo.files.tensor_arrays import Arrays
from attendo.model.config import TransformerConfig
from attendo.special_tokens import SPECIAL
from attendo.text.sentence_pieces import BYTE_NAMES, SentencePieces
from attendo.text.tokenizer import FIRST_TAG, Layout

NEVER = -1_000.0  # in the place of a logit; exp of it is 0
Table = NDArray[np.float32]


@dataclass(frozen=True)
class ForeignSide:
    """The vocabulary and the table of one side; a row for each token."""

    tokens: tuple[str, ...]
    table: Table
    end: int  # the row of </s>
    unknown: int
    scored: tuple[tuple[str, float], ...]  # how SentencePiece cuts it


@dataclass(frozen=True)
class ForeignModel:
    """All that is known of it. Where the two sides share a table, it is one and the same array."""

    settings: dict[str, Any]  # of a TransformerConfig: sizes, activation, …
    layers: Arrays  # by our names: all but tables and output
    source: ForeignSide
    target: ForeignSide
    start: int | None  # row of the target's table that a decoder begins with; none: zeros
    languages: tuple[str, ...]
    directions: tuple[tuple[str, str], ...]
    normaliser: dict[str, str]
    output: Table | None = None  # none: the table of the target
    output_bias: Table | None = None
    tags: dict[str, str] = field(default_factory=dict)  # language -> its token on the source side
    never: frozenset[int] = frozenset()  # rows of the target that are no words, such as padding
    bytes: bool = False
    by_halves: bool = True  # sines first, then cosines
    scaled: bool = True  # embeddings times √d_model

    def pieces(self) -> tuple[str, ...]:
        """Every token that is one of text, those of the source first."""
        controls = set(self.tags.values())
        for side in (self.source, self.target):
            controls |= {side.tokens[side.end], side.tokens[side.unknown], "<s>", "</s>", "<unk>", "<pad>", "<blank>"}
        controls |= set(BYTE_NAMES)
        union = dict.fromkeys((*self.source.tokens, *self.target.tokens))
        return tuple(piece for piece in union if piece not in controls)

    def subwords(self) -> SentencePieces:
        pieces, source, target = self.pieces(), set(self.source.tokens), set(self.target.tokens)
        return SentencePieces(
            pieces,
            self.source.scored,
            self.target.scored,
            self.normaliser,
            tuple(self.tags),
            self.bytes,
            only_source=tuple(index for index, piece in enumerate(pieces) if piece not in target),
            only_target=tuple(index for index, piece in enumerate(pieces) if piece not in source),
        )

    def rows(self, side: ForeignSide) -> NDArray[np.int64]:
        """For each id of ours the row of theirs; -1 where they have none."""
        layout = Layout(self.languages, len(self.pieces()))
        found = np.full(layout.size, -1, dtype=np.int64)
        index = {token: row for row, token in enumerate(side.tokens)}
        found[SPECIAL.eos], found[SPECIAL.unk] = side.end, side.unknown
        for place, language in enumerate(self.languages):
            found[FIRST_TAG + place] = index.get(self.tags.get(language, ""), -1)
        for byte, name in enumerate(BYTE_NAMES):
            found[layout.first_byte + byte] = index.get(name, -1)
        for place, piece in enumerate(self.pieces()):
            found[layout.first_piece + place] = index.get(piece, -1)
        return found

    def config(self) -> TransformerConfig:
        size = Layout(self.languages, len(self.pieces())).size
        return TransformerConfig(
            vocab_size=size,
            **self.settings,
            positions="sinusoidal-halves" if self.by_halves else "sinusoidal",
            tied_output=self.output is None and self.scaled,
            shared_embedding=self.source.table is self.target.table and self.source.tokens == self.target.tokens,
            output_bias=True,
        )

    def weights(self) -> Arrays:
        config = self.config()
        source_rows, target_rows = self.rows(self.source), self.rows(self.target)
        scale = np.float32(1 if self.scaled else config.d_model**-0.5)
        embedding = take(self.target.table, target_rows)
        if self.start is not None:
            embedding[SPECIAL.bos] = self.target.table[self.start]
        found = {"embedding.weight": embedding * scale, "output.bias": self.bias(target_rows)}
        if not config.shared_embedding:
            found["source_embedding.weight"] = take(self.source.table, source_rows) * scale
        if not config.tied_output:
            found["output.weight"] = take(self.target.table if self.output is None else self.output, target_rows)
        return found | self.layers

    def bias(self, rows: NDArray[np.int64]) -> Table:
        theirs = np.zeros(len(self.target.tokens), np.float32) if self.output_bias is None else self.output_bias
        bias = np.where(rows >= 0, theirs[rows], np.float32(NEVER)).astype(np.float32)
        bias[np.isin(rows, list(self.never))] = NEVER
        bias[[SPECIAL.pad, SPECIAL.bos]] = NEVER
        return bias


def take(table: Table, rows: NDArray[np.int64]) -> Table:
    """The rows; zeros where there is none."""
    found = np.zeros((len(rows), table.shape[1]), dtype=np.float32)
    found[rows >= 0] = table[rows[rows >= 0]]
    return found
