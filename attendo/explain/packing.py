"""Numbers as text for a page: base64 of three bytes a number, or of two or one where that loses nothing.

    f24   the upper three bytes of a float32, rounded: 16 significant bits, about 4.8 decimal digits
    f16   a float16, where every number is one already: weights of a model that is stored so
    i8    a float32 for each row, its scale, then whole numbers of 8 bits: of a model that is stored so

Little-endian. `page_parts/numbers.js` reads it back.
"""

import base64
from typing import Any

import numpy as np

from attendo.glass.trace import Array
from attendo.model_folder.eight_bits import rounded

RELATIVE_ERROR = 2.0**-16  # of a number as f24


def packed(array: Array) -> dict[str, Any]:
    """{"shape": [6, 256], "type": "f24", "data": "…"}"""
    values = np.ascontiguousarray(array, dtype="<f4")
    halves = values.astype("<f2") if np.abs(values).max(initial=0) < 60_000 else values
    if np.array_equal(halves.astype("<f4"), values):
        kind, raw = "f16", halves.astype("<f2").tobytes()
    elif (eighths := in_eight_bits(values)) is not None:
        kind, raw = "i8", eighths
    else:
        kind, raw = "f24", upper_bytes(values)
    return {"shape": list(array.shape), "type": kind, "data": base64.b64encode(raw).decode("ascii")}


def in_eight_bits(matrix: Array) -> bytes | None:
    """Nothing, if a number would be another. The largest of a row, 127 times its scale, may leave the last bit open."""
    if matrix.ndim != 2:
        return None
    whole, scales = rounded(matrix)
    for tried in (scales, np.nextafter(scales, np.float32(0)), np.nextafter(scales, np.float32(1e9))):
        fits = (whole * tried[:, None] == matrix).all(axis=1)
        scales = np.where(fits, tried, scales)
    if not np.array_equal(whole * scales[:, None], matrix):
        return None
    return scales.astype("<f4").tobytes() + whole.tobytes()


def upper_bytes(values: Array) -> bytes:
    words = values.view("<u4") + np.uint32(0x80)
    return words.reshape(-1, 1).view(np.uint8).reshape(-1, 4)[:, 1:].tobytes()


def unpacked(stored: dict[str, Any]) -> Array:
    """The same back, for tests and for programs that read a page."""
    raw = base64.b64decode(stored["data"])
    if stored["type"] == "f16":
        return np.frombuffer(raw, "<f2").astype(np.float32).reshape(stored["shape"])
    if stored["type"] == "i8":
        rows, width = stored["shape"]
        whole, scales = np.frombuffer(raw, np.int8, offset=4 * rows), np.frombuffer(raw, "<f4", rows)
        return whole.reshape(rows, width) * scales[:, None]
    three = np.frombuffer(raw, np.uint8).reshape(-1, 3)
    four = np.concatenate((np.zeros((len(three), 1), np.uint8), three), axis=1)
    return four.view("<f4").reshape(stored["shape"])
