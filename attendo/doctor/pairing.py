"""How well each sentence predicts its own partner, and its neighbours' partners, by a word model of this corpus.

Text is cut into words roughly, fast, and in the same way for every language: a Latin (or Greek, Cyrillic …) word in
lower case, a Chinese character or Japanese sign each. For the statistics of translation a word counts by its first
letters: "Haus" and "Hauses" stay two words, but "Nation", "Nationen" and the English "nation" become one.

Which word stands for which is IBM model 1, learned from the corpus itself (Brown et al. 1993):

    p(t | s_1 … s_n) = (1/n) Σ_i p(t | s_i)

Expectation maximisation in numpy: every pair of words that stands in the same pair of sentences is a cell; a cell's
probability is its expected count over the expected count of its source word. A pair of sentences is scored by

    Σ_t  log( (1 - λ) p(t | source) + λ p(t) ) - log p(t)

summed over the target's words: how much better the source predicts the target than the target's own frequencies.

Each pair is scored by a model that has not seen it or the lines around it (five folds of contiguous stretches):
otherwise a rare word would have learned its wrong partner by heart, and a shifted block would look right.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_WORDS = 5_000  # of the vocabulary of a side
LONGEST = 16  # words of a sentence
FOLDS = 5
LONGEST_STRETCH = 200  # lines of a fold in a row
MOST_TO_LEARN_FROM = 20_000  # pairs, and …
MOST_CELLS = 1_500_000  # … as many co-occurrences of words, which bounds memory and time
FEWEST_TO_LEARN_FROM = 200  # pairs; fewer teach nothing

STEM = 5  # letters
NO_WORD = -1
WORD = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]|\d+|[^\W\d_぀-ヿ㐀-鿿豈-﫿]+")

Words = NDArray[np.int32]  # [sentences, longest]: ids of distinct words, NO_WORD after the last

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNSEEN = 0.1  # λ: the share of a target's words that the source does not explain
SAME_SPELLING = 5.0  # pretended sightings of a word with itself: names, digits, loan words
ROUNDS = 4
ROWS_AT_ONCE = 4096


def words_of(text: str) -> list[str]:
    """All words in order: "Das Haus, 12 房子" -> das haus 12 房 子."""
    return WORD.findall(text.lower())


def stems_of(text: str) -> set[str]:
    """The distinct words, cut to their first letters; numbers stay whole."""
    return {word if word.isdigit() else word[:STEM] for word in WORD.findall(text.lower())}


def index_words(texts: Sequence[str], most_words: int, longest: int) -> tuple[list[str], Words]:
    """The vocabulary, most frequent word first, and each text as the ids of its most telling words.

    Words seen once are left out: they could only be learned by heart. Of a long sentence the rarest `longest` words
    are kept, which say most about what it means. Texts are cut twice, because keeping the words of a large corpus
    would take more memory than the corpus.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(stems_of(text))
    frequent = sorted((word for word, count in counts.items() if count > 1), key=lambda word: (-counts[word], word))
    vocabulary = frequent[:most_words]
    ids = {word: index for index, word in enumerate(vocabulary)}
    table = np.full((len(texts), longest), NO_WORD, dtype=np.int32)
    for row, text in enumerate(texts):
        known = sorted((ids[word] for word in stems_of(text) if word in ids), reverse=True)[:longest]
        table[row, : len(known)] = known
    return vocabulary, table


@dataclass(frozen=True)
class WordModel:
    """probability[s, t] of the target word t for the source word s, and log p(t) of each target word alone."""

    probability: NDArray[np.float32]
    alone: NDArray[np.float32]

    def scores(self, source: Words, target: Words) -> Floats:
        """One number a row: how well source[row] predicts target[row]. Zero where nothing is known."""
        parts = [
            self.some_scores(source[start : start + ROWS_AT_ONCE], target[start : start + ROWS_AT_ONCE])
            for start in range(0, len(source), ROWS_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def some_scores(self, source: Words, target: Words) -> Floats:
        real_source, real_target = source != NO_WORD, target != NO_WORD
        cells = self.probability[source[:, :, None], target[:, None, :]]  # [rows, source words, target words]
        cells = np.where(real_source[:, :, None], cells, 0.0)
        predicted = cells.sum(axis=1) / np.maximum(real_source.sum(axis=1), 1)[:, None]
        gain = np.log((1 - UNSEEN) * predicted + UNSEEN * self.alone[target]) - np.log(self.alone[target])
        return np.where(real_target, gain, 0.0).sum(axis=1).astype(np.float64)


def learn(source: Words, target: Words, num_source: int, num_target: int, same: Ints) -> WordModel:
    """Learn from aligned rows; `same` [n, 2] lists the (source, target) ids of words spelled alike."""
    alone = np.bincount(target[target != NO_WORD], minlength=num_target) + 0.5
    alone = alone / alone.sum()
    row, i, j = np.nonzero((source != NO_WORD)[:, :, None] & (target != NO_WORD)[:, None, :])
    cell = source[row, i].astype(np.int64) * num_target + target[row, j]
    position = row * target.shape[1] + j  # a word of a target sentence: its probability mass is shared by the sources
    cells, cell_index = np.unique(np.concatenate([cell, same[:, 0] * num_target + same[:, 1]]), return_inverse=True)
    prior = np.bincount(cell_index[len(cell) :], minlength=len(cells)) * SAME_SPELLING
    cell_index = cell_index[: len(cell)]
    of_source = cells // num_target

    probability = np.ones(len(cells))
    for _ in range(ROUNDS):
        weight = probability[cell_index]
        weight /= np.bincount(position, weight, minlength=source.shape[0] * target.shape[1])[position]
        count = np.bincount(cell_index, weight, minlength=len(cells)) + prior
        probability = count / (np.bincount(of_source, count, minlength=num_source) + 1.0)[of_source]

    table = np.zeros((num_source, num_target), dtype=np.float32)
    table.reshape(-1)[cells] = probability
    return WordModel(table, alone.astype(np.float32))


@dataclass(frozen=True)
class Pairing:
    """Sentences as words, ready to be scored against each other row by row."""

    source: Words
    target: Words
    source_vocabulary: list[str]
    target_vocabulary: list[str]

    @property
    def num_words(self) -> Ints:
        """[rows] of how many known words the score of a row is made."""
        return (self.source != NO_WORD).sum(axis=1) + (self.target != NO_WORD).sum(axis=1)

    def scores(self, rows: Ints, partners: Ints) -> Floats:
        """How well the sources of `rows` and the targets of `partners` predict each other, in nats."""
        fold = fold_of(len(self.source))
        scores = np.zeros(len(rows))
        for index in range(FOLDS):
            asked = np.flatnonzero(fold[rows] == index)
            if len(asked) == 0:
                continue
            forward, backward = self.models_without(fold == index)
            source, target = self.source[rows[asked]], self.target[partners[asked]]
            scores[asked] = forward.scores(source, target) + backward.scores(target, source)
        return scores

    def models_without(self, held_out: np.ndarray) -> tuple[WordModel, WordModel]:
        """Source predicts target, and the other way round; learned from all but the rows held out."""
        seen = np.flatnonzero(~held_out)
        cells = (self.source[seen] != NO_WORD).sum(axis=1) * (self.target[seen] != NO_WORD).sum(axis=1)
        most = min(MOST_TO_LEARN_FROM, int(MOST_CELLS / max(1.0, float(cells.mean()))))
        if len(seen) > most:
            seen = seen[np.linspace(0, len(seen) - 1, most).astype(np.int64)]
        source, target = self.source[seen], self.target[seen]
        num_source, num_target = len(self.source_vocabulary), len(self.target_vocabulary)
        same = spelled_alike(self.source_vocabulary, self.target_vocabulary)
        forward = learn(source, target, num_source, num_target, same)
        return forward, learn(target, source, num_target, num_source, same[:, ::-1])


def tokenize_pairs(sources: Sequence[str], targets: Sequence[str]) -> Pairing:
    source_vocabulary, source = index_words(sources, MOST_WORDS, LONGEST)
    target_vocabulary, target = index_words(targets, MOST_WORDS, LONGEST)
    return Pairing(source, target, source_vocabulary, target_vocabulary)


def fold_of(num_rows: int) -> Ints:
    """[rows] 0 0 … 1 1 … 4 4 … 0 0 …: stretches in turn, short ones where there are few rows."""
    stretch = min(LONGEST_STRETCH, max(1, num_rows // (2 * FOLDS)))
    return np.arange(num_rows) // stretch % FOLDS


def spelled_alike(source: list[str], target: list[str]) -> Ints:
    """[n, 2] the ids of the words that both vocabularies have."""
    ids = {word: index for index, word in enumerate(target)}
    same = [(index, ids[word]) for index, word in enumerate(source) if word in ids]
    return np.array(same, dtype=np.int64).reshape(-1, 2)
