"""Encode a batch with little padding: sentences of like length together, a part of the batch at a time."""

from collections.abc import Callable

from torch import Tensor

ENOUGH = 192  # tokens: with so many rows the matrix products of a CPU are nearly at their best


def encode_in_parts(encode: Callable[[Tensor], Tensor], source: Tensor, pad: int) -> Tensor:
    """What `encode(source)` gives, memory [batch, source, d_model]; but zeros, perhaps, where the source is padded.

    The longest sentences first, as many as make enough tokens together, and so on; a part is as wide as its longest.
    A batch of sentences as they come is often more padding than text, and padding costs as much to encode.
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
    """How many sentences a part has: lengths 100, 95, 90, 60, 50 -> 2, 3."""
    sizes, tokens = [0], 0
    for length in lengths:
        if tokens >= ENOUGH:
            sizes.append(0)
            tokens = 0
        sizes[-1] += 1
        tokens += length
    return sizes
