"""The parts of a zip file (.docx, .epub, .odt, .pptx), read with care; and the file again with some of them changed.

zipfile would compress every part anew and write headers of its own. Here a part that nobody changed keeps its bytes:
local header, name, extra fields, compressed data. The order stays, so `mimetype` stays first, and what a part was
compressed by, it is compressed by again.

    parts = ZipParts.read(data, "book.epub")
    parts["OPS/one.xhtml"]                       # bytes
    parts.written({"OPS/one.xhtml": b"<html>…"})  # the file

A stranger's file may say anything of itself: sizes are checked before anything is unpacked, and counted while it is.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from attendo.errors import DataError

MOST_ENTRIES = 2_000
LARGEST_PART = 100_000_000  # bytes, unpacked
LARGEST_TOTAL = 500_000_000
HIGHEST_RATIO = 200  # unpacked to packed, of a part that is not small; text reaches 20
SMALL = 1_000_000
LONGEST_NAME = 1_000
STORED, DEFLATED = 0, 8
ENCRYPTED, DESCRIPTOR, STRONG = 0x1, 0x8, 0x40
KIND_OF_FILE = 0o170000
NO_FILES = (0o120000, 0o020000, 0o060000, 0o010000, 0o140000)  # links, devices, pipes, sockets
END = struct.Struct("<4s4H2LH")  # of the central directory
CENTRAL = struct.Struct("<4s6H3L5H2L")
LOCAL = struct.Struct("<4s5H3L2H")
LONGEST_COMMENT = 65_535


@dataclass(frozen=True)
class ZipEntry:
    """A part as the central directory names it, and where its bytes lie."""

    name: str
    central: bytes  # its record there, with name, extra and comment
    method: int
    checksum: int
    packed: int  # bytes
    unpacked: int
    start: int  # of its local header
    data: int  # of its packed bytes
    end: int  # of all that belongs to it, a data descriptor too


@dataclass(frozen=True)
class ZipParts(Mapping[str, bytes]):
    """Names in the order of the file; folders are no parts."""

    data: bytes
    name: str  # of the file, for messages
    entries: tuple[ZipEntry, ...]
    directory: int  # where the central directory begins
    tail: bytes  # the end record, with its comment

    @classmethod
    def read(cls, data: bytes, name: str) -> "ZipParts":
        """The directory of a file; what cannot be trusted is an error."""
        at, count, directory = end_record(data, name)
        if count > MOST_ENTRIES:
            raise DataError(f"{name} has {count:,} parts: expected at most {MOST_ENTRIES:,}")
        entries = tuple(central_entries(data, name, directory, count))
        check_entries(entries, name, directory)
        return cls(data, name, entries, directory, data[at:])

    def __getitem__(self, key: str) -> bytes:
        for entry in self.entries:
            if entry.name == key:
                return self.unpack(entry)
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return (entry.name for entry in self.entries if not entry.name.endswith("/"))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def unpack(self, entry: ZipEntry) -> bytes:
        packed = self.data[entry.data : entry.data + entry.packed]
        if entry.method == STORED:
            found = packed
        else:
            unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
            try:
                found = unpacker.decompress(packed, entry.unpacked + 1)
            except zlib.error as error:
                raise DataError(f"{self.name}: the part {entry.name} is damaged") from error
        if len(found) != entry.unpacked or zlib.crc32(found) != entry.checksum:
            raise DataError(f"{self.name}: the part {entry.name} is damaged")
        return found

    def written(self, changed: Mapping[str, bytes]) -> bytes:
        """The file with these parts; all else byte for byte."""
        pieces: list[bytes] = []
        centrals: list[bytes] = []
        at = size = 0
        for entry in sorted(self.entries, key=lambda one: one.start):
            gap = self.data[at : entry.start]
            body = self.data[entry.start : entry.end]
            central = entry.central
            start = size + len(gap)
            if entry.name in changed and changed[entry.name] != self.unpack(entry):
                body, central = self.repacked(entry, changed[entry.name])
            pieces += [gap, body]
            centrals.append(CENTRAL.pack(*CENTRAL.unpack_from(central)[:-1], start) + central[CENTRAL.size :])
            at, size = entry.end, start + len(body)
        order = {entry.name: central for entry, central in zip(by_start(self.entries), centrals, strict=True)}
        gap = self.data[at : self.directory]
        listing = b"".join(order[entry.name] for entry in self.entries)
        begin = size + len(gap)
        head = END.unpack_from(self.tail)
        tail = END.pack(*head[:5], len(listing), begin, head[7]) + self.tail[END.size :]
        return b"".join([*pieces, gap, listing, tail])

    def repacked(self, entry: ZipEntry, new: bytes) -> tuple[bytes, bytes]:
        """The bytes of a part that changed, and its record in the directory; sizes stand in its header, as if they
        had been known."""
        packed = new
        if entry.method == DEFLATED:
            packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
            packed = packer.compress(new) + packer.flush()
        sums = (zlib.crc32(new), len(packed), len(new))
        local = list(LOCAL.unpack_from(self.data, entry.start))
        local[2] &= ~DESCRIPTOR
        local[6:9] = sums
        rest = self.data[entry.start + LOCAL.size : entry.data]
        central = list(CENTRAL.unpack_from(entry.central))
        central[3] &= ~DESCRIPTOR
        central[7:10] = sums
        return LOCAL.pack(*local) + rest + packed, CENTRAL.pack(*central) + entry.central[CENTRAL.size :]


def by_start(entries: tuple[ZipEntry, ...]) -> list[ZipEntry]:
    return sorted(entries, key=lambda one: one.start)


def end_record(data: bytes, name: str) -> tuple[int, int, int]:
    """Where it stands, how many entries there are, and where the directory begins."""
    at = data.rfind(b"PK\x05\x06", max(0, len(data) - END.size - LONGEST_COMMENT))
    if at < 0 or at + END.size > len(data):
        raise DataError(f"{name} is no whole zip file: it has no directory at its end")
    _, disk, first_disk, here, count, size, directory, comment = END.unpack_from(data, at)
    if 0xFFFF in (here, count) or 0xFFFFFFFF in (size, directory):
        raise DataError(f"{name} is a zip file of the large kind (zip64): expected a smaller one")
    if disk or first_disk or here != count or directory + size != at or at + END.size + comment != len(data):
        raise DataError(f"{name} is no whole zip file: its directory is not where it should be")
    return at, count, directory


def central_entries(data: bytes, name: str, at: int, count: int) -> Iterator[ZipEntry]:
    for number in range(1, count + 1):
        if data[at : at + 4] != b"PK\x01\x02" or at + CENTRAL.size > len(data):
            raise DataError(f"{name} is damaged: entry {number} of its directory is none")
        record = CENTRAL.unpack_from(data, at)
        flags, method = record[3], record[4]
        checksum, packed, unpacked, name_length, extra, comment = record[7:13]
        start = record[-1]
        end = at + CENTRAL.size + name_length + extra + comment
        part = part_name(data[at + CENTRAL.size : at + CENTRAL.size + name_length], flags, name)
        if flags & (ENCRYPTED | STRONG):
            raise DataError(f"{name}: the part {part} is encrypted")
        if method not in (STORED, DEFLATED):
            raise DataError(f"{name}: the part {part} is compressed by method {method}: expected 0 or 8")
        if (record[15] >> 16) & KIND_OF_FILE in NO_FILES:
            raise DataError(f"{name}: the part {part} is a link or a device: expected a file")
        body = local_data(data, start, name, part)
        yield ZipEntry(
            part, data[at:end], method, checksum, packed, unpacked, start, body,
            body + packed + descriptor_size(data, start, body + packed, checksum),
        )  # fmt: skip
        at = end


def local_data(data: bytes, start: int, name: str, part: str) -> int:
    """Where the packed bytes of a part begin."""
    if data[start : start + 4] != b"PK\x03\x04" or start + LOCAL.size > len(data):
        raise DataError(f"{name} is damaged: the part {part} is not where the directory says")
    record = LOCAL.unpack_from(data, start)
    return start + LOCAL.size + record[9] + record[10]


def descriptor_size(data: bytes, start: int, end: int, checksum: int) -> int:
    """Sizes that stand after the data, as a program writes that could not know them before."""
    if not LOCAL.unpack_from(data, start)[2] & DESCRIPTOR:
        return 0
    if data[end : end + 4] == b"PK\x07\x08":
        return 16
    return 12 if data[end : end + 4] == struct.pack("<L", checksum) else 0


def part_name(raw: bytes, flags: int, file: str) -> str:
    """A name inside the archive; none that leads out of it."""
    name = raw.decode("utf-8" if flags & 0x800 else "cp437", errors="replace")
    steps = name.split("/")
    wrong = not name or len(name) > LONGEST_NAME or "\0" in name or "\\" in name or ".." in steps or "." in steps
    if wrong or name.startswith("/") or ":" in steps[0] or "" in steps[:-1]:
        raise DataError(f"{file} has a part whose name leads elsewhere or is none: {name[:100]!r}")
    return name


def check_entries(entries: tuple[ZipEntry, ...], name: str, directory: int) -> None:
    """Sizes, before anything is unpacked; and no two parts of one name, or in one place."""
    total = 0
    for entry in entries:
        total += entry.unpacked
        bomb = entry.unpacked > SMALL and entry.unpacked > HIGHEST_RATIO * max(entry.packed, 1)
        if entry.unpacked > LARGEST_PART or total > LARGEST_TOTAL or bomb:
            raise DataError(f"{name}: the part {entry.name} is too large when it is unpacked: {entry.unpacked:,} bytes")
        if entry.method == STORED and entry.packed != entry.unpacked:
            raise DataError(f"{name}: the part {entry.name} is damaged")
    if len({entry.name.casefold() for entry in entries}) < len(entries):  # which Windows, and Office, cannot tell apart
        raise DataError(f"{name} has two parts of one name, if capitals do not count")
    at = 0
    for entry in by_start(entries):
        if entry.start < at or entry.data + entry.packed > directory:
            raise DataError(f"{name}: the part {entry.name} overlaps another")
        at = entry.end
