"""A file that is read as it was when it was opened: one that is cut short or rewritten meanwhile is an error.

What is added at its end meanwhile is not read, and that is said. A file that another takes the place of, as when an
editor saves, stays the one that was opened.
"""

import hashlib
import io
import logging
import os
import sys
from typing import TYPE_CHECKING

from attendo.errors import DataError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

logger = logging.getLogger("attendo")

BLOCK = 2**20  # bytes, where a file is read a second time


class WholeFile(io.RawIOBase):
    """The bytes of an open regular file from where it stands to the end that it has now.

    Whether it changed is asked when its end is reached. Times alone prove nothing (`touch`), so a file whose times or
    size are others by then is read again, and what it holds decides.
    """

    def __init__(self, file: io.FileIO, name: str) -> None:
        self.file, self.name = file, name
        self.before = os.fstat(file.fileno())
        self.start = self.position = file.tell()  # stdin may have been read from already
        # Files that a kernel makes up (/proc) say that they have no bytes: those end where they end.
        self.end = max(self.start, self.before.st_size) if self.before.st_size else sys.maxsize
        self.hash = hashlib.sha256()
        self.added = 0  # bytes that came after the end, known once the end is reached

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.file.fileno()

    def readinto(self, buffer: "WriteableBuffer") -> int:
        room = memoryview(buffer).cast("B")[: self.end - self.position]
        count = (self.file.readinto(room) or 0) if room else 0
        self.hash.update(room[:count])
        self.position += count
        if not count:
            self.check()
        return count

    def check(self) -> None:
        """At the end: it was this file all the time."""
        now = os.fstat(self.file.fileno())
        if now.st_size < self.before.st_size:
            sizes = f"{self.before.st_size:,} bytes at the beginning, {now.st_size:,} now"
            raise DataError(f"{self.name} was cut short while it was read: {sizes}")
        if stamp(now) == stamp(self.before):
            return
        if self.hash_again() != self.hash.hexdigest():
            raise DataError(f"{self.name} was changed while it was read: what was read of it is not in it any more")
        self.before, self.added = now, now.st_size - self.position
        if self.added > 0:
            logger.warning(
                f"{self.name} grew by {self.added:,} bytes while it was read: what it held at the beginning was read, "
                "the rest was not"
            )

    def hash_again(self) -> str:
        again, left = hashlib.sha256(), self.position - self.start
        self.file.seek(self.start)
        while left and (block := self.file.read(min(BLOCK, left))):
            again.update(block)
            left -= len(block)
        self.file.seek(self.position)
        return again.hexdigest()

    def close(self) -> None:
        super().close()
        self.file.close()


def stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
