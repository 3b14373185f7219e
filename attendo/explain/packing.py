"""Numbers as text for a page: base64 of three bytes a number, or of two where that loses nothing.

    f24   the upper three bytes of a float32, rounded: 16 significant bits, about 4.8 decimal digits
    f16   a float16, where every number is one already: weights of a model that is stored so

Little-endian. `page_parts/numbers.js` reads it back.
"""

import base64
from typing import Any

import numpy as np

from attendo.glass.trace import Array

RELATIVE_ERROR = 2.0**-16  # of a number as f24


def packed(array: Array) -> dict[str, Any]:
    """{"shape": [6, 256], "type": "f24", "data": "…"}"""
    values = np.ascontiguousarray(array, dtype="<f4")
    halves = values.astype("<f2") if np.abs(values).max(initial=0) < 60_000 else values
    if np.array_equal(halves.astype("<f4"), values):
        kind, raw = "f16", halves.astype("<f2").tobytes()
    else:
        kind, raw = "f24", upper_bytes(values)
    return {"shape": list(array.shape), "type": kind, "data": base64.b64encode(raw).decode("ascii")}


def upper_bytes(values: Array) -> bytes:
    rounded = values.view("<u4") + np.uint32(0x80)
    return rounded.reshape(-1, 1).view(np.uint8).reshape(-1, 4)[:, 1:].tobytes()


def unpacked(stored: dict[str, Any]) -> Array:
    """The same back, for tests and for programs that read a page."""
    raw = base64.b64decode(stored["data"])
    if stored["type"] == "f16":
        return np.frombuffer(raw, "<f2").astype(np.float32).reshape(stored["shape"])
    three = np.frombuffer(raw, np.uint8).reshape(-1, 3)
    four = np.concatenate((np.zeros((len(three), 1), np.uint8), three), axis=1)
    return four.view("<f4").reshape(stored["shape"])
