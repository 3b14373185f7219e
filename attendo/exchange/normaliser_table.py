"""The table of a SentencePiece normaliser: from its packed form to pairs (what is replaced, by what).

It is a trie of bytes in the form of the library darts-clone, an array of 32-bit units, and behind it the replacements,
each ended by a zero byte. A unit tells the byte that leads to it, how far its children are, and whether a value is
among them. All children of all nodes of a depth are looked up at once; a file may claim any array, so that depth and
number of the keys are bounded.
"""

from functools import lru_cache

import numpy as np

from attendo.text.subword_models import LONGEST_PIECE, MOST_PIECES

LONGEST_KEY = 4 * LONGEST_PIECE  # bytes
MOST_NODES = 4_000_000


@lru_cache(maxsize=1)  # source and target nearly always have the same
def read_normaliser_table(raw: bytes) -> dict[str, str]:
    """Empty, where nothing is replaced."""
    if not raw:
        return {}
    size = int.from_bytes(raw[:4], "little")
    if size % 4 or size > len(raw) - 4:
        raise ValueError("the table of its normaliser is shorter than it says")
    units = np.frombuffer(raw, "<u4", size // 4, offset=4)
    replacements = raw[4 + size :]
    return {key.decode("utf-8"): replacement(replacements, at) for key, at in keys(units)}


def replacement(raw: bytes, at: int) -> str:
    end = raw.find(b"\0", at)
    if at > len(raw) or end < 0 or end - at > LONGEST_KEY:
        raise ValueError("a replacement of its normaliser is not there")
    return raw[at:end].decode("utf-8")


def keys(units: np.ndarray) -> list[tuple[bytes, int]]:
    """Every key with its value, by depth."""
    if not len(units):
        return []
    labels, offsets = units & 0x800000FF, (units >> 10) << ((units & 512) >> 6)
    nodes, names = np.array([int(offsets[0])], dtype=np.int64), [b""]
    letters = np.arange(1, 256)
    found: list[tuple[bytes, int]] = []
    seen = 0
    while names:
        children = nodes[:, None] ^ letters
        inside = children < len(units)
        there = inside & (labels[np.where(inside, children, 0)] == letters)
        rows, columns = np.nonzero(there)
        seen += len(rows)
        if seen > MOST_NODES or (len(rows) and len(names[0]) >= LONGEST_KEY):
            raise ValueError("the table of its normaliser has no end")
        at = children[rows, columns]
        names = [names[row] + bytes([column + 1]) for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
        nodes = at ^ offsets[at].astype(np.int64)
        for index in np.nonzero((units[at] >> 8) & 1)[0].tolist():
            place = int(nodes[index])
            if place >= len(units) or len(found) >= MOST_PIECES:
                raise ValueError("a value of its normaliser is not there")
            found.append((names[index], int(units[place] & 0x7FFFFFFF)))
    return found
