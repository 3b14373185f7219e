"""Pairs to validate with, taken out of the corpora themselves; training sees none of their sentences.

Sentences are compared by a hash of their ids, so that this is cheap and needs no text. The choice hangs on the text
alone: another seed, another order or another corpus beside it leaves it as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attendo.data.encoded import EncodedCorpus, EncodedSide, Indices, ranges

Hashes = NDArray[np.uint64]

MOST = 2_000  # pairs of a corpus; more would only make every validation slow
CHUNK = 100_000  # sentences hashed at once


@dataclass(frozen=True)
class Split:
    held: Indices  # pairs to validate with, each source once, in an order that was drawn
    indices: Indices  # pairs to train on


def hold_out(
    corpora: Sequence[EncodedCorpus], columns: Sequence[tuple[str, str]], sources: set[str], share: float
) -> list[Split]:
    """A share of each corpus, whose columns are in these languages; `sources` are the languages to translate from.

    Training gets no pair that has a sentence to translate in common with a pair held out, of whichever corpus.
    """
    held = [choose_pairs(corpus, both[0] in sources, share) for corpus, both in zip(corpora, columns, strict=True)]
    secret = {
        language: np.concatenate(
            [
                hashes(side)[numbers]
                for corpus, both, numbers in zip(corpora, columns, held, strict=True)
                for side, name in zip((corpus.source, corpus.target), both, strict=True)
                if name == language
            ]
        )
        for language in sources
    }
    splits = []
    for corpus, both, numbers in zip(corpora, columns, held, strict=True):
        free = np.ones(len(corpus), dtype=np.bool_)
        for side, language in zip((corpus.source, corpus.target), both, strict=True):
            if language in sources:
                free &= ~np.isin(hashes(side), secret[language])
        splits.append(Split(numbers, np.flatnonzero(free)))
    return splits


def choose_pairs(corpus: EncodedCorpus, by_source: bool, share: float) -> Indices:
    """The pairs with the smallest hashes, one a sentence; at least one sentence is left for training."""
    distinct, first = np.unique(hashes(corpus.source if by_source else corpus.target), return_index=True)
    wanted = min(max(1, round(share * len(corpus))), MOST, max(0, len(distinct) - 1))
    return first[:wanted].astype(np.int64)


def hashes(side: EncodedSide) -> Hashes:
    """64 bits for each sentence: equal for equal ids, and by chance for about no others.

    Each id is mixed with its position, and a sentence's hash is their sum.
    """
    result = np.empty(len(side), dtype=np.uint64)
    for first in range(0, len(side), CHUNK):
        starts = side.starts[first : first + CHUNK + 1]
        lengths = np.diff(starts)
        ids = side.ids[starts[0] : starts[-1]].astype(np.uint64)
        positions = ranges(np.zeros_like(lengths), lengths).astype(np.uint64)
        sums = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(mix_bits(ids << np.uint64(32) | positions))))
        ends = starts - starts[0]
        result[first : first + CHUNK] = mix_bits(sums[ends[1:]] - sums[ends[:-1]])
    return result


def mix_bits(numbers: Hashes) -> Hashes:
    """The last step of the generator SplitMix64: every bit of the number changes half the bits of the result."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)
