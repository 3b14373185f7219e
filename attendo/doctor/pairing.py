"""How well each sentence foretells its own partner, and its neighbours' partners, by a word model of this corpus.

Each pair is scored by a model that has not seen it or the lines around it (five folds of contiguous stretches):
otherwise a rare word would have learned its wrong partner by heart, and a shifted block would look right.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attendo.doctor.word_model import Floats, Ints, WordModel, learn
from attendo.doctor.words import NO_WORD, Words, number_words

MOST_WORDS = 5_000  # of the vocabulary of a side
LONGEST = 16  # words of a sentence
FOLDS = 5
LONGEST_STRETCH = 200  # lines of a fold in a row
MOST_TO_LEARN_FROM = 20_000  # pairs, and …
MOST_CELLS = 1_500_000  # … as many co-occurrences of words, which bounds memory and time
FEWEST_TO_LEARN_FROM = 200  # pairs; fewer teach nothing


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
        """How well the sources of `rows` and the targets of `partners` foretell each other, in nats."""
        fold = fold_of(len(self.source))
        scores = np.zeros(len(rows))
        for number in range(FOLDS):
            asked = np.flatnonzero(fold[rows] == number)
            if len(asked) == 0:
                continue
            forward, backward = self.models_without(fold == number)
            source, target = self.source[rows[asked]], self.target[partners[asked]]
            scores[asked] = forward.scores(source, target) + backward.scores(target, source)
        return scores

    def models_without(self, held_out: np.ndarray) -> tuple[WordModel, WordModel]:
        """Source foretells target, and the other way round; learned from all but the rows held out."""
        seen = np.flatnonzero(~held_out)
        cells = (self.source[seen] != NO_WORD).sum(axis=1) * (self.target[seen] != NO_WORD).sum(axis=1)
        most = min(MOST_TO_LEARN_FROM, int(MOST_CELLS / max(1.0, float(cells.mean()))))
        if len(seen) > most:
            seen = seen[np.linspace(0, len(seen) - 1, most).astype(np.int64)]
        source, target = self.source[seen], self.target[seen]
        num_source, num_target = len(self.source_vocabulary), len(self.target_vocabulary)
        same = spelled_alike(self.source_vocabulary, self.target_vocabulary)
        return (
            learn(source, target, num_source, num_target, same),
            learn(target, source, num_target, num_source, same[:, ::-1]),
        )


def cut_into_words(sources: Sequence[str], targets: Sequence[str]) -> Pairing:
    source_vocabulary, source = number_words(sources, MOST_WORDS, LONGEST)
    target_vocabulary, target = number_words(targets, MOST_WORDS, LONGEST)
    return Pairing(source, target, source_vocabulary, target_vocabulary)


def fold_of(num_rows: int) -> Ints:
    """[rows] 0 0 … 1 1 … 4 4 … 0 0 …: stretches in turn, short ones where there are few rows."""
    stretch = min(LONGEST_STRETCH, max(1, num_rows // (2 * FOLDS)))
    return np.arange(num_rows) // stretch % FOLDS


def spelled_alike(source: list[str], target: list[str]) -> Ints:
    """[n, 2] the ids of the words that both vocabularies have."""
    ids = {word: number for number, word in enumerate(target)}
    same = [(number, ids[word]) for number, word in enumerate(source) if word in ids]
    return np.array(same, dtype=np.int64).reshape(-1, 2)
