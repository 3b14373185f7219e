"""The same text twice: pairs that stand in the corpus more than once, and sources copied to the target side."""

from array import array

import numpy as np
from numpy.typing import NDArray

from attendo.data.corpus import Pair


def is_copy(pair: Pair) -> bool:
    """The target is the source, but for case and outer white space, and has a letter: 12:30 is not translated."""
    source = pair.source.strip()
    return source.casefold() == pair.target.strip().casefold() and any(letter.isalpha() for letter in source)


def find_duplicates(fingerprints: "array[int]") -> NDArray[np.int64]:
    """The rows whose fingerprint stood in an earlier row already; eight bytes a pair are all that is kept."""
    if len(fingerprints) == 0:
        return np.zeros(0, dtype=np.int64)
    values = np.frombuffer(fingerprints, dtype=np.uint64)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    return np.sort(order[1:][ordered[1:] == ordered[:-1]])
