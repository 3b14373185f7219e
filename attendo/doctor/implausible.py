"""Pairs whose words hardly ever translate each other: no better partners than strangers would be."""

import numpy as np
from numpy.typing import NDArray

from attendo.doctor.word_model import Floats, Ints

FEWEST_PAIRS = 3_000  # from fewer too little is learned to judge a single pair (a shifted block is still seen)
FEWEST_WORDS = 6  # known words of both sides together; fewer are too weak a witness
STRANGE = 0.4  # a pair is implausible when this share of strangers fit better


def find_implausible(own: Floats, strangers: Floats, num_words: Ints) -> NDArray[np.bool_]:
    """One flag a pair. Scores are compared a word, so that long sentences are not at an advantage."""
    if len(own) < FEWEST_PAIRS:
        return np.zeros(len(own), dtype=np.bool_)
    words = np.maximum(num_words, 1)
    limit = np.quantile(strangers / words, 1 - STRANGE)
    return (num_words >= FEWEST_WORDS) & (own / words < limit)
