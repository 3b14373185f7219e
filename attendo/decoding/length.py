"""Lengths: how long an answer may be, and which sentences are decoded together.

The one definition of each, for translating, validating and looking inside alike.
"""

from collections.abc import Iterator, Sequence

from attendo.decoding.options import LONGEST
from attendo.errors import InputError

# Of 13,048 translations by people (Chinese, German, English; a vocabulary of 8,000 pieces; the source with tag and
# </s>) none is longer than 2 * source + 20. In characters 3 * source + 24 would cut 6 % of those from Chinese to
# English, and 6 * source + 32 one of 3,759.
PER_PIECE, PER_CHARACTER, SPARE_TOKENS, ROUNDED_TO = 3, 6, 32, 128
MOST_TOGETHER = 1_024  # sentences of a batch; more gain little on a GPU, and nothing elsewhere


def longest_output(source_tokens: int, kind: str) -> int:
    """The most tokens, </s> included, that a translation of a source with so many (tag and </s> counted) may have.

        3 * source + 32, and 6 * source + 32 where the kind of tokenizer is "char", rounded up to a multiple of 128

    Rounded, because only sentences of one bound can be decoded together by an engine that takes one for all.
    """
    per_token = PER_CHARACTER if kind == "char" else PER_PIECE
    return -(-(per_token * source_tokens + SPARE_TOKENS) // ROUNDED_TO) * ROUNDED_TO


def max_lengths(max_length: int | Sequence[int], sentences: int) -> list[int]:
    """One maximum for each sentence, </s> included; a single number serves all.

    5, 3 -> [5, 5, 5]
    """
    lengths = [max_length] * sentences if isinstance(max_length, int) else list(max_length)
    if len(lengths) != sentences:
        raise InputError(f"{len(lengths)} maximum lengths for {sentences} sentences: expected one for each")
    for length in lengths:
        if not 1 <= length <= LONGEST:
            raise InputError(f"max_length = {length}: expected at least 1 and at most {LONGEST:,}")
    return lengths


def group_by_length(lengths: Sequence[int], tokens: int, *, powers_of_two: bool = False) -> Iterator[list[int]]:
    """Indices, the longest first, as many together as their padded tokens allow.

    [3, 9, 4], 12 -> [1], [2, 0]

    With `powers_of_two` the next power of two that is not below, for an engine that computes so many rows anyway.
    """
    indices = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    while indices:
        count = max(1, tokens // lengths[indices[0]])
        if powers_of_two:
            count = 1 << (count - 1).bit_length()
        count = min(count, MOST_TOGETHER)
        yield indices[:count]
        indices = indices[count:]
