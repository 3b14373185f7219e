"""Random numbers of a sentence's own: they follow from the seed and the sentence, not from what is decoded beside it.

There is no torch here, and both engines draw by the same numbers.
"""

import hashlib
from collections.abc import Sequence
from random import Random


def sentence_seed(seed: int, ids: Sequence[int], draw: str | int = 0) -> int:
    """Of one draw of one sentence, 64 bits: another seed, another sentence or another draw has another.

    By a hash, so that it does not matter where the sentence stands in a file, nor in which batch, chunk or resumed run
    it is decoded.
    """
    named = f"{seed} {draw} {' '.join(map(str, ids))}"
    return int.from_bytes(hashlib.sha256(named.encode()).digest()[:8], "big")


def random_numbers(seed: int) -> Random:
    """A generator whose `random()` Python promises to be the same in all its versions."""
    return Random(seed)  # noqa: S311 - nothing secret is made of it
