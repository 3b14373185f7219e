"""Protocol buffers, written: the little that a SentencePiece model or an ONNX network needs. Reading is elsewhere."""

import struct
from collections.abc import Iterable


def varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    number %= 2**64
    low = []
    while number > 127:
        low.append(number % 128 + 128)
        number //= 128
    return bytes([*low, number])


def field(key: int, content: bytes | int) -> bytes:
    if isinstance(content, int):
        return varint(8 * key) + varint(content)
    return varint(8 * key + 2) + varint(len(content)) + content


def float_field(key: int, number: float) -> bytes:
    return varint(8 * key + 5) + struct.pack("<f", number)


def repeat(key: int, contents: Iterable[bytes | int]) -> bytes:
    return b"".join(field(key, content) for content in contents)
