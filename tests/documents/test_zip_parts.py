"""Zip files: what nobody changed stays byte for byte, zipfile reads what was written, and hostile ones are refused."""

import io
import struct
import zipfile
import zlib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.documents import zip_parts
from attendo.documents.zip_parts import ZipParts
from attendo.errors import AttendoError, DataError


def zipped(parts, *, streamed=False, comment=b""):
    """A file as zipfile writes it; streamed: with the sizes after the data."""
    kept = io.BytesIO()
    out = kept
    if streamed:
        out = io.BufferedWriter(Unseekable(kept))
    with zipfile.ZipFile(out, "w") as file:
        for name, data, method in parts:
            file.writestr(zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6)), data, method)
        file.comment = comment
    out.flush()
    return kept.getvalue()


class Unseekable(io.RawIOBase):
    def __init__(self, kept):
        self.kept = kept

    def writable(self):
        return True

    def write(self, data):
        return self.kept.write(data)


BOOK = [
    ("mimetype", b"application/epub+zip", zipfile.ZIP_STORED),
    ("OPS/", b"", zipfile.ZIP_STORED),
    ("OPS/one.xhtml", b"<p>one</p>" * 50, zipfile.ZIP_DEFLATED),
    ("OPS/größe.xhtml", b"<p>two</p>", zipfile.ZIP_STORED),
]


@pytest.mark.parametrize("streamed", [False, True])
def test_nothing_changed_is_the_same_file(streamed):
    data = zipped(BOOK, streamed=streamed, comment=b"hello")
    parts = ZipParts.read(data, "book.epub")
    assert parts.written({}) == data
    assert dict(parts) == {name: content for name, content, _ in BOOK if not name.endswith("/")}


@given(
    st.dictionaries(
        st.text("abcäöü/x", min_size=1, max_size=8).filter(lambda n: "//" not in n and n[0] != "/" and n[-1] != "/"),
        st.tuples(st.binary(max_size=300), st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])),
        max_size=6,
    ),
    st.booleans(),
    st.data(),
)
@settings(max_examples=40, deadline=None)
def test_only_what_changed_is_another(parts, streamed, draw):
    data = zipped([(name, content, method) for name, (content, method) in parts.items()], streamed=streamed)
    changed = draw.draw(st.dictionaries(st.sampled_from(sorted(parts)), st.binary(max_size=200))) if parts else {}
    found = ZipParts.read(data, "x.zip")
    assert found.written({}) == data
    new = found.written(changed)
    with zipfile.ZipFile(io.BytesIO(new)) as file:
        assert file.testzip() is None
        assert file.namelist() == list(parts)
        for name, (content, method) in parts.items():
            assert file.read(name) == changed.get(name, content)
            assert file.getinfo(name).compress_type == method
    before, after = (ZipParts.read(one, "x.zip") for one in (data, new))
    for old, entry in zip(before.entries, after.entries, strict=True):
        if entry.name not in changed:
            assert new[entry.start : entry.end] == data[old.start : old.end]


def patched(data, signature, offset, form, *values):
    at = data.index(signature) + offset
    return data[:at] + struct.pack(form, *values) + data[at + struct.calcsize(form) :]


def overlapping():
    data = zipped(BOOK)
    second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 4)
    return data[: second + 42] + struct.pack("<L", 0) + data[second + 46 :]


def renamed(name):
    return zipped([("x" * len(name), b"1", 0)]).replace(b"x" * len(name), name)


LINK = zipfile.ZipInfo("a")
LINK.external_attr = 0o120777 << 16


def with_link():
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as file:
        file.writestr(LINK, "/etc/passwd")
    return kept.getvalue()


def twice():
    return zipped([("a", b"1", 0), ("b", b"2", 0)]).replace(b"b", b"a")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04 no zip", "no directory"),
        (zipped(BOOK)[:-3], "no whole zip"),
        (zipped(BOOK) + b"more", "not where it should be"),
        (zipped([(f"{n}", b"", 0) for n in range(2_001)]), "2,001 parts"),
        (zipped([("a", b"\0" * 5_000_000, zipfile.ZIP_DEFLATED)]), "too large"),
        (patched(zipped(BOOK), b"PK\x01\x02", 8, "<H", 1), "encrypted"),
        (patched(zipped(BOOK), b"PK\x01\x02", 10, "<H", 12), "method 12"),
        (patched(zipped(BOOK), b"PK\x01\x02", 24, "<L", 200_000_000), "too large"),
        (patched(zipped(BOOK), b"PK\x05\x06", 10, "<H", 0xFFFF), "zip64"),
        (overlapping(), "overlaps"),
        (with_link(), "link"),
        (twice(), "two parts of one name"),
        *(
            (renamed(name), "leads elsewhere")
            for name in (b"../evil", b"/etc/passwd", b"a/../../b", b"a\\b", b"C:/x", b"a//b")
        ),
    ],
)
def test_hostile_files_are_refused_in_one_line(data, words):
    with pytest.raises(DataError, match=words) as found:
        ZipParts.read(data, "evil.zip")
    assert "\n" not in str(found.value)


def test_a_size_that_lies_is_seen_before_it_is_unpacked():
    """The directory says 100 bytes, and there are ten million."""
    data = zipped([("a", b"\0" * 10_000_000, zipfile.ZIP_DEFLATED)])
    for signature, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        data = patched(data, signature, offset, "<L", 100)
    with pytest.raises(DataError, match="damaged"):
        ZipParts.read(data, "evil.zip")["a"]


def test_a_wrong_checksum_is_damage():
    data = zipped([("a", b"hello", 0)]).replace(b"hello", b"hullo")
    with pytest.raises(DataError, match="damaged"):
        ZipParts.read(data, "a.zip")["a"]
    assert zlib.crc32(b"hello") != zlib.crc32(b"hullo")


@given(st.integers(0, 10**6), st.integers(0, 255), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_changed_byte_is_an_error_or_nothing(at, value, cut):
    data = bytearray(zipped(BOOK, streamed=True))
    at %= len(data)
    data[at] = value
    with suppress(AttendoError):
        parts = ZipParts.read(bytes(data[:at] if cut else data), "x.zip")
        parts.written({name: parts[name] for name in parts})


def test_limits_are_what_the_documents_say():
    assert (zip_parts.MOST_ENTRIES, zip_parts.LARGEST_PART) == (2_000, 100_000_000)
