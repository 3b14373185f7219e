"""The other way round than normaliser_table.py: pairs (what is replaced, by what) packed as SentencePiece reads them.

The trie is laid into one array: the children of a node stand at base XOR byte, and the base is one at which none of
them meets another's place.
"""

import struct

TRIES = 64  # free places that are tried for the children of a node
LOOKED_THROUGH = 4_096  # places at the end; what is free before them stays so
LEAF, TAKEN = 1 << 8, 1 << 31
NOBODY = TAKEN | 0xFF  # of a place that is free: no byte leads to it

Trie = dict[int, "Trie | int"]  # a byte -> what follows; 0 -> the value


def packed_normaliser(table: dict[str, str]) -> bytes:
    if not table:
        return b""
    strings, places = bytearray(), dict[str, int]()
    for value in table.values():
        if value not in places:
            places[value] = len(strings)
            strings += value.encode() + b"\0"
    root: Trie = {}
    for key, value in table.items():
        at = root
        for byte in key.encode():
            below = at.setdefault(byte, {})
            assert isinstance(below, dict)  # noqa: S101 - only the byte 0 leads to a number, and no key has it
            at = below
        at[0] = places[value]
    units = double_array(root)
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + bytes(strings)


def double_array(root: Trie) -> list[int]:
    units, full = [0], [True]
    bases = {0}  # each is one node's alone, or the children of one would be the other's, too
    first = 1  # no place before it is free
    waiting: list[tuple[int, Trie]] = [(0, root)]
    while waiting:
        place, children = waiting.pop()
        first = max(first, len(full) - LOOKED_THROUGH)
        while first < len(full) and full[first]:
            first += 1
        base = base_for(list(children), full, bases, first, place)
        bases.add(base)
        units[place] |= offset_bits(place ^ base)
        for byte, below in children.items():
            at = base ^ byte
            if at >= len(full):
                more = (at | 255) + 1 - len(full)
                full += [False] * more
                units += [NOBODY] * more
            full[at] = True
            if isinstance(below, int):
                units[at] = TAKEN | below
                units[place] |= LEAF
            else:
                units[at] = byte
                waiting.append((at, below))
    return units


def base_for(labels: list[int], full: list[bool], bases: set[int], first: int, place: int) -> int:
    """Where every child finds a free place: by the first places that are free, or else behind all."""
    at = first
    for _ in range(TRIES):
        while at < len(full) and full[at]:
            at += 1
        base = at ^ labels[0]
        if base not in bases and fits(place ^ base):
            places = [base ^ label for label in labels]
            if all(other >= len(full) or not full[other] for other in places):
                return base
        at += 1
    return -(-len(full) // 256) * 256


def fits(offset: int) -> bool:
    return offset < 1 << 21 or (offset % 256 == 0 and offset < 1 << 29)


def offset_bits(offset: int) -> int:
    """As a unit has it: 22 bits, the last of which says that they count 256s."""
    return offset << 10 if offset < 1 << 21 else (offset >> 8) << 10 | 1 << 9
