"""IBM model 1: which word stands for which, learned from the corpus itself (Brown et al. 1993).

    p(t | s_1 … s_n) = (1/n) Σ_i p(t | s_i)

Expectation maximisation in numpy: every pair of words that stands in the same pair of sentences is a cell; a cell's
probability is its expected count over the expected count of its source word. A pair of sentences is scored by

    Σ_t  log( (1 - λ) p(t | source) + λ p(t) ) - log p(t)

summed over the target's words: how much better the source foretells the target than the target's own frequencies.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attendo.doctor.words import NO_WORD, Words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNSEEN = 0.1  # λ: the share of a target's words that the source does not explain
SAME_SPELLING = 5.0  # pretended sightings of a word with itself: names, digits, loan words
ROUNDS = 4
ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class WordModel:
    """probability[s, t] of the target word t for the source word s, and log p(t) of each target word alone."""

    probability: NDArray[np.float32]
    alone: NDArray[np.float32]

    def scores(self, source: Words, target: Words) -> Floats:
        """One number a row: how well source[row] foretells target[row]. Zero where nothing is known."""
        parts = [
            self.some_scores(source[start : start + ROWS_AT_ONCE], target[start : start + ROWS_AT_ONCE])
            for start in range(0, len(source), ROWS_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def some_scores(self, source: Words, target: Words) -> Floats:
        real_source, real_target = source != NO_WORD, target != NO_WORD
        cells = self.probability[source[:, :, None], target[:, None, :]]  # [rows, source words, target words]
        cells = np.where(real_source[:, :, None], cells, 0.0)
        foretold = cells.sum(axis=1) / np.maximum(real_source.sum(axis=1), 1)[:, None]
        gain = np.log((1 - UNSEEN) * foretold + UNSEEN * self.alone[target]) - np.log(self.alone[target])
        return np.where(real_target, gain, 0.0).sum(axis=1).astype(np.float64)


def learn(source: Words, target: Words, num_source: int, num_target: int, same: Ints) -> WordModel:
    """Learn from aligned rows; `same` [n, 2] lists the (source, target) ids of words spelled alike."""
    alone = np.bincount(target[target != NO_WORD], minlength=num_target) + 0.5
    alone = alone / alone.sum()
    row, i, j = np.nonzero((source != NO_WORD)[:, :, None] & (target != NO_WORD)[:, None, :])
    cell = source[row, i].astype(np.int64) * num_target + target[row, j]
    place = row * target.shape[1] + j  # a word of a target sentence: its probability mass is shared by the sources
    cells, number = np.unique(np.concatenate([cell, same[:, 0] * num_target + same[:, 1]]), return_inverse=True)
    number, prior = number[: len(cell)], np.bincount(number[len(cell) :], minlength=len(cells)) * SAME_SPELLING
    of_source = cells // num_target

    probability = np.ones(len(cells))
    for _ in range(ROUNDS):
        weight = probability[number]
        weight /= np.bincount(place, weight, minlength=source.shape[0] * target.shape[1])[place]
        count = np.bincount(number, weight, minlength=len(cells)) + prior
        probability = count / (np.bincount(of_source, count, minlength=num_source) + 1.0)[of_source]

    table = np.zeros((num_source, num_target), dtype=np.float32)
    table.reshape(-1)[cells] = probability
    return WordModel(table, alone.astype(np.float32))
