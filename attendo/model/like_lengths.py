"""Encode a batch with little padding: sentences of like length together, a part of the batch at a time."""

from collections.abc import Callable

from torch import Tensor

ENOUGH = 192  # tokens: with so many rows the matrix products of a CPU are nearly at their best
ALIKE = 0.8  # of the longest: so much padding costs no more than another part


def encode_in_parts(encode: Callable[[Tensor], Tensor], source: Tensor, pad: int) -> Tensor:
    """What `encode(source)` gives, memory [batch, source, d_model]; but zeros, perhaps, where the source is padded.

    A part is as wide as its longest sentence. A batch of sentences as they come is often more padding than text, and
    padding costs as much to encode.
    """
    lengths = (source != pad).sum(1).clamp(min=1)
    order = lengths.argsort(descending=True)
    sizes = part_sizes(lengths[order].tolist())
    if len(sizes) == 1:
        return encode(source)
    parts = order.split(sizes)
    encoded = [encode(source[rows, : int(lengths[rows[0]])]) for rows in parts]
    memory = encoded[0].new_zeros(*source.shape, encoded[0].shape[-1])
    for rows, part in zip(parts, encoded, strict=True):
        memory[rows, : part.shape[1]] = part
    return memory


def part_sizes(lengths: list[int]) -> list[int]:
    """How many sentences a part has, the longest first: enough for many tokens, and more that are nearly as long.

    100, 95, 90, 60, 50 -> 3, 2
    """
    sizes, tokens, longest = [0], 0, 0
    for length in lengths:
        if tokens >= ENOUGH and length < ALIKE * longest:
            sizes.append(0)
            tokens = 0
        if tokens == 0:
            longest = length
        sizes[-1] += 1
        tokens += length
    return sizes
