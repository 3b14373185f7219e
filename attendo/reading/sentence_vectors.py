"""A vector for a sentence: the mean of what the encoder's last layer gives for its tokens.

    v = (1 / n) Σ_t h_t, over the n real tokens of the row: a language tag where the model reads one, pieces, </s>

Padding counts nothing. Unit length makes the cosine of two sentences the product of their vectors.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attendo.decoding.length import group_by_length
from attendo.engines.encoding import EncodingEngine
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model, repair
from attendo.text.tokenizer import Tokenizer

Vectors = NDArray[np.float32]  # [texts, d_model]


@dataclass
class SentenceReader:
    """Texts in, vectors out; it counts what it could not read whole."""

    tokenizer: Tokenizer
    engine: EncodingEngine
    tag: int | None = None  # which an encoder-decoder reads before a text
    unit: bool = False
    cut: int = 0  # texts of which only the beginning was read
    empty: int = 0  # texts without a word, whose vector is zero

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """In the order of the texts; what is too long for the model is cut, and an empty text has the vector 0."""
        rows = [self.row(text) for text in texts]
        whole = [index for index, row in enumerate(rows) if row]
        self.empty += len(rows) - len(whole)
        vectors = np.zeros((len(rows), self.width), dtype=np.float32)
        for index, mean in mean_vectors(self.engine, [rows[index] for index in whole]):
            vectors[whole[index]] = mean
        return unit_length(vectors) if self.unit else vectors

    @cached_property
    def width(self) -> int:
        """d_model, asked of the engine."""
        return int(self.engine.encode([[SPECIAL.eos]])[0].shape[1])

    def row(self, text: str) -> list[int]:
        """What the model reads of a text: nothing, if it is empty."""
        pieces = self.tokenizer.encode(for_model(repair(text)[0]))
        if not pieces:
            return []
        before = [] if self.tag is None else [self.tag]
        room = self.engine.longest - len(before) - 1
        self.cut += len(pieces) > room
        return [*before, *pieces[:room], SPECIAL.eos]


def mean_vectors(engine: EncodingEngine, rows: Sequence[Sequence[int]]) -> Iterator[tuple[int, Vectors]]:
    """(index of a row, its vector), rows of like length together."""
    for indices in group_by_length([len(row) for row in rows], engine.tokens_per_batch):
        for index, hidden in zip(indices, engine.encode([rows[index] for index in indices]), strict=True):
            yield index, hidden.mean(0)


def unit_length(vectors: Vectors) -> Vectors:
    """Each divided by its length; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)
