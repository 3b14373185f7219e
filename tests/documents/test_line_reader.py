"""Lines are read as they come: from files, pipes and packed files, in blocks, as soon as they are there."""

import gzip
import io
import os
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendo.documents.line_reader import BLOCK, LONGEST_LINE, LineReader, opened
from attendo.errors import DataError
from tests.documents.nasty_files import FILES
from tests.translation.fake_engine import (
    fake_translator,
    write_fake_model,
)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("lines") / "model")


@given(FILES, st.integers(1, 20))
def test_chunks_are_the_file(data, tokens):
    chunks = list(LineReader(io.BytesIO(data), "f").chunks(tokens))
    lines = [text for chunk in chunks for text in chunk.texts]
    assert "\n".join(lines).encode(errors="surrogateescape") == data.removesuffix(b"\n")
    assert all(chunk.ended for chunk in chunks[:-1])
    assert not chunks or chunks[-1].ended == data.endswith(b"\n")
    assert [chunk.first for chunk in chunks] == [1 + sum(len(c.texts) for c in chunks[:n]) for n in range(len(chunks))]
    assert all(chunk.size <= 4 * tokens or len(chunk.texts) == 1 for chunk in chunks)
    assert sum(chunk.size for chunk in chunks) == len(data)


@given(FILES, st.integers(0, 30), st.integers(1, 20))
def test_a_reader_that_passes_lines_by_stands_where_one_does_that_read_them(data, skipped, tokens):
    passes, reads = (LineReader(io.BytesIO(data), "f") for _ in range(2))
    passes.skip(skipped)
    read = [text for chunk in reads.chunks(tokens) for text in chunk.texts]
    rest = [text for chunk in passes.chunks(tokens) for text in chunk.texts]
    assert rest == read[skipped:]
    assert (passes.lines, passes.bytes, passes.read) == (reads.lines, reads.bytes, reads.read)


def test_what_is_there_is_translated_before_more_has_come(model):
    """Another program writes a line and waits for its translation before it writes the next."""
    ours, theirs = os.pipe()
    with os.fdopen(ours, "rb") as stream, os.fdopen(theirs, "wb") as pipe:
        translator = fake_translator(model)
        chunks = LineReader(stream, "the input").chunks(translator.engine.tokens_per_batch)
        answers = (answer for chunk in chunks for answer in translator.translate(chunk.texts, to="en"))
        for text in ("我爱你。", "", "你好"):
            pipe.write(text.encode() + b"\n")
            pipe.flush()
            assert next(answers).text == text
        pipe.close()
        assert list(answers) == []


def test_a_line_that_comes_in_pieces_is_one_line(model):
    ours, theirs = os.pipe()

    def write():
        with os.fdopen(theirs, "wb", buffering=0) as pipe:
            for byte in "机器学习\r\n很有趣".encode():
                pipe.write(bytes([byte]))
                time.sleep(0.001)

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(ours, "rb") as stream:
        texts = [text for chunk in LineReader(stream, "f").chunks(100) for text in chunk.texts]
    writer.join()
    assert texts == ["机器学习\r", "很有趣"]


def test_compressed_files_and_pipes_are_opened(tmp_path):
    with gzip.open(tmp_path / "a.gz", "wb") as file:
        file.write(b"one\ntwo")
    with opened(tmp_path / "a.gz") as stream:
        assert [chunk.texts for chunk in LineReader(stream, "a.gz").chunks(100)] == [["one", "two"]]
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(b"one\n"))
    writer.start()
    with opened(tmp_path / "pipe") as stream:
        assert [chunk.texts for chunk in LineReader(stream, "pipe").chunks(100)] == [["one"]]
    writer.join()
    (tmp_path / "b.gz").write_bytes(b"no gzip")
    with pytest.raises(DataError, match=r"b\.gz is damaged"), opened(tmp_path / "b.gz") as stream:
        list(LineReader(stream, str(tmp_path / "b.gz")).chunks(100))


def test_a_line_without_end_is_not_read_for_ever():
    class Zeros(io.RawIOBase):
        def read1(self, size):
            return b"\0" * size

    with pytest.raises(DataError, match=f"line of more than {LONGEST_LINE:,} bytes"):
        next(LineReader(Zeros(), "zero").chunks(100))


def test_blocks_are_larger_than_lines():
    """The guard of the guard: a test file of one block would not show what happens between blocks."""
    data = b"".join(b"%d\n" % n for n in range(30_000))
    assert len(data) > 2 * BLOCK
    assert [text for chunk in LineReader(io.BytesIO(data), "f").chunks(1_000) for text in chunk.texts] == [
        str(n) for n in range(30_000)
    ]
