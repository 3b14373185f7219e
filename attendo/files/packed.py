"""Compressed files, unpacked as they are read: every member of them, and nothing else.

A file may be several members one after the other, as `cat a.xz b.xz` makes it. Python's own reader of .xz takes what
it does not know after a member for the end, so that a member whose first byte is damaged would vanish without a word.
"""

import gzip
import io
import lzma
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from attendo.errors import DataError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

zstd: Any
try:
    from backports import zstd
except ModuleNotFoundError:
    zstd = None

ENDINGS = (".gz", ".xz", ".zst")
DAMAGE = (OSError, EOFError, lzma.LZMAError, zlib.error, *((zstd.ZstdError,) if zstd else ()))
BLOCK = 2**16  # bytes of a packed file read at once
PADDING = 4  # bytes: between the members of an .xz there may be zeros, in multiples of it


def unpack(file: io.BufferedReader, ending: str, name: str) -> io.RawIOBase:
    """The bytes in a packed file."""
    match ending:
        case ".gz" if not file.peek(1):  # which Python takes for a file of no lines; gzip itself writes 20 bytes
            raise DataError(f"{name} is damaged or not what its name says: it is empty")
        case ".gz":
            return cast(io.RawIOBase, gzip.GzipFile(fileobj=file, mode="rb"))
        case ".xz":
            return XzMembers(file)
        case _ if zstd is None:
            raise DataError(f"{name}: reading .zst needs backports.zstd: pip install 'attendo[train]'")
        case _:
            return cast(io.RawIOBase, zstd.ZstdFile(file))


class XzMembers(io.RawIOBase):
    """The members of an .xz ("streams" in its specification), one after the other."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.member = lzma.LZMADecompressor()
        self.waiting = b""  # read of the file, not unpacked yet
        self.ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        room = memoryview(buffer).cast("B")
        while not self.ended and (not self.member.eof or self.next_member()):
            packed = b""
            if self.member.needs_input:
                packed, self.waiting = self.waiting or self.file.read(BLOCK), b""
                if not packed:
                    raise EOFError("it ends in the middle")
            found = self.member.decompress(packed, len(room))
            if found:
                room[: len(found)] = found
                return len(found)
        return 0

    def next_member(self) -> bool:
        """Whether there is one. What is neither a member nor padding is an error."""
        zeros, rest = 0, self.member.unused_data
        while True:
            found = rest.lstrip(b"\0")
            zeros += len(rest) - len(found)
            if found or not (rest := self.file.read(BLOCK)):
                break
        if zeros % PADDING:
            raise lzma.LZMAError(f"{zeros} zero bytes after a member: expected a multiple of {PADDING}")
        if not found:
            self.ended = True
            return False
        self.member, self.waiting = lzma.LZMADecompressor(lzma.FORMAT_XZ), found
        return True
