"""The other way round than normaliser_table.py: pairs (what is replaced, by what) packed as SentencePiece reads them.

The trie is laid into one array: the children of a node stand at base XOR byte, and the base is the first at which none
of them meets another's place. Bases are tried upward from where the array has room left.
"""

import struct

FREE_FROM = 256  # room that is searched for the children of a node begins so far before the end of what is full
LEAF, TAKEN = 1 << 8, 1 << 31

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
    units, full = [TAKEN], [True]
    first = 1
    waiting: list[tuple[int, Trie]] = [(0, root)]
    while waiting:
        place, children = waiting.pop()
        while first < len(full) and full[first]:
            first += 1
        base = base_for(list(children), full, max(first - FREE_FROM, 0), place)
        units[place] |= offset_bits(place ^ base)
        for byte, below in children.items():
            at = base ^ byte
            if at >= len(full):
                more = (at | 255) + 1 - len(full)
                full += [False] * more
                units += [TAKEN | 0xFF] * more  # a label that no search for its parent asks for
            full[at] = True
            if isinstance(below, int):
                units[at] = TAKEN | below
                units[place] |= LEAF
            else:
                units[at] = byte
                waiting.append((at, below))
    return units


def base_for(labels: list[int], full: list[bool], start: int, place: int) -> int:
    """The first at which every child finds a free place; 0 and the node itself are none."""
    base = max(start, 1)
    while True:
        if base ^ place and fits(place ^ base) and all(
            (base ^ label) >= len(full) or not full[base ^ label] for label in labels
        ):  # fmt: skip
            return base
        base += 1


def fits(offset: int) -> bool:
    return offset < 1 << 21 or (offset % 256 == 0 and offset < 1 << 29)


def offset_bits(offset: int) -> int:
    """As a unit has it: 22 bits, the last of which says that they count 256s."""
    return offset << 10 if offset < 1 << 21 else (offset >> 8) << 10 | 1 << 9
