"""Which pairs were seen before, in eight bytes each: a set of hashes that stays small for tens of millions."""

import hashlib

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
CHUNK = 2**20


def fingerprint(text: str) -> int:
    """64 bits of BLAKE2. Among 20 million texts the chance that any two differ and agree is about 1 in 90,000."""
    raw = text.encode("utf-8", errors="surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "little")


class HashSet:
    """An open-addressing table: a hash stands in its own slot or, where that is taken, in the next free one."""

    def __init__(self) -> None:
        self.table: Hashes = np.zeros(1024, dtype=np.uint64)
        self.count = 0

    def add(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Which of these are new, in order; of equal ones the first is."""
        hashes = np.where(hashes == 0, np.uint64(1), hashes)  # 0 marks a free slot
        unique, first = np.unique(hashes, return_index=True)
        while 3 * (self.count + len(unique)) > 2 * len(self.table):
            self.grow()
        new = np.zeros(len(hashes), dtype=np.bool_)
        new[first[self.insert(unique)]] = True
        return new

    def insert(self, hashes: Hashes) -> NDArray[np.intp]:
        """Put distinct hashes in; the indices of those that were not there."""
        waiting, slot = np.arange(len(hashes)), self.home(hashes)
        added: list[NDArray[np.intp]] = []
        while len(waiting):
            here = self.table[slot]
            found, free = here == hashes[waiting], here == 0
            # Of several that want the same free slot, one gets it and the others see it taken.
            _, winners = np.unique(slot[free], return_index=True)
            taken = np.flatnonzero(free)[winners]
            self.table[slot[taken]] = hashes[waiting[taken]]
            added.append(waiting[taken])
            stay = ~found
            stay[taken] = False
            moved = stay & ~free
            slot = np.where(moved, (slot + 1) & (len(self.table) - 1), slot)[stay]
            waiting = waiting[stay]
        new = np.concatenate(added) if added else waiting
        self.count += len(new)
        return new

    def home(self, hashes: Hashes) -> NDArray[np.intp]:
        return (hashes & np.uint64(len(self.table) - 1)).astype(np.intp)

    def grow(self) -> None:
        old = self.table
        self.table = np.zeros(2 * len(old), dtype=np.uint64)
        self.count = 0
        for start in range(0, len(old), CHUNK):  # all at once would need several times the table's own memory
            part = old[start : start + CHUNK]
            self.insert(part[part != 0])
