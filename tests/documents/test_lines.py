"""Streams of lines: N in, N out, in order, whatever the bytes (X1-X6), and in memory that does not grow."""

import gzip
import io
import os
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.documents.file_translation import FileTranslation
from attendo.documents.line_reader import BLOCK, LONGEST_LINE, LineReader, chunk_of_texts, opened
from attendo.documents.pipeline import StreamOutput, translate_chunks
from attendo.errors import DataError
from attendo.text.normalize import LINE_BREAKS, repair
from attendo.text.sentences import Segment
from attendo.translation.options import TranslationOptions
from tests.translation.fake_engine import (
    FakeEngine,
    Listener,
    backwards,
    fake_translator,
    for_ever,
    same,
    write_fake_model,
)
from tests.translation.small_translator import random_translator

ROOT = Path(__file__).parent.parent.parent
NASTY = [
    b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x00", b"\xef\xbf\xbe", b"\xe2\x80\xae", b"\xc2\x85", b"\xe2\x80\xa8", b"\r",
    b"\x0b", b"\x0c", b"\x1c", b"\x1e", b"\xef\xbb\xbf", b"\xff\xfe", b"a", b" ", b"\t", b". ", b"12", b"\n", b"\n\n",
    "我".encode(), "。".encode(), "😀".encode(), b"\x1b[31m", b"</s>", b">>en<<",
]  # fmt: skip
# Files as people make them, and as nobody should: pieces of trouble, or any bytes at all.
FILES = st.lists(st.sampled_from(NASTY), max_size=40).map(b"".join) | st.binary(max_size=60)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("lines") / "model")


def translated(model, data, engine=None, **settings):
    """The bytes that come out, the account, and who listened."""
    out, watch = io.BytesIO(), Listener()
    settings = {"to": "en", "from_": "zh"} | settings
    account = FileTranslation(**settings).run(fake_translator(model, engine), io.BytesIO(data), out, watch)
    return out.getvalue(), account, watch


def says_line_breaks(ids):
    """Every line break there is, as bytes, before, between and after: what no line may show."""
    breaks = [6 + byte for byte in LINE_BREAKS.encode()]  # ids of bytes stand after 4 control ids and 2 tags
    return (*breaks, *(number for one in ids for number in (one, *breaks)))


# --- reading


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


# --- X1: N lines in, N lines out


@pytest.mark.parametrize("say", [same, backwards, says_line_breaks])
def test_n_lines_in_n_lines_out(model, say, evidence):
    """By whatever sign a reader ends lines: LF as we do, or all that Python knows."""

    @settings(max_examples=100, deadline=None)
    @given(FILES)
    def check(data):
        out, account, _ = translated(model, data, FakeEngine(say, tokens_per_batch=5))
        lines, output = data.split(b"\n"), out.split(b"\n")
        assert len(output) == len(lines)
        assert out.endswith(b"\n") == data.endswith(b"\n")
        assert account.lines == account.ledger.lines_in == account.ledger.lines_out
        assert account.ledger.adds_up
        for line, answer in zip(lines, output, strict=True):
            text = repair(line.decode(errors="surrogateescape"))[0]
            breaks = f"[{LINE_BREAKS}]"
            assert re.findall(breaks, answer.decode()) == re.findall(breaks, text)
            assert not Segment(text).is_silent or answer.decode() == text

    check()
    evidence("X1", f"drawn files with a line lost, added or broken, fake model ({say.__name__})", "0 of 100")


def test_n_lines_in_n_lines_out_of_a_real_model(tmp_path_factory, evidence):
    """It has learnt nothing, and says bytes as they come."""
    translator = random_translator(tmp_path_factory.mktemp("real") / "model", ends=9.0)
    task = FileTranslation(to="en", from_="zh", options=TranslationOptions(beam=1))

    @settings(max_examples=40, deadline=None)
    @given(FILES)
    def check(data):
        out = io.BytesIO()
        account = task.run(translator, io.BytesIO(data), out, Listener())
        output = out.getvalue().decode()
        assert output.count("\n") == data.count(b"\n")
        assert len(output.splitlines()) == len(data.decode(errors="replace").splitlines())
        assert output.endswith("\n") == data.endswith(b"\n")
        assert account.ledger.adds_up

    check()
    evidence("X1", "drawn files with a line lost, added or broken, random model", "0 of 40")


def test_a_translator_that_loses_a_line_is_found_out():
    """The guard of the guard: its own ledger would not tell."""
    output = StreamOutput(io.BytesIO())
    with pytest.raises(RuntimeError, match="2 lines were asked for and 0 came back"):
        translate_chunks([chunk_of_texts(["a", "b"])], lambda texts: [], output, Listener())
    assert output.stream.getvalue() == b""


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_every_false_line_end_stays_inside_its_line(model, end, evidence):
    lines = [f"a{sign}b 我{sign}{sign}" for sign in LINE_BREAKS.replace("\n", "")] + ["", "\r", "x\r"]
    out, account, _ = translated(model, "\n".join(lines).encode() + end)
    assert out.decode() == "\n".join(lines) + end.decode()
    assert account.ledger.is_clean
    evidence("X1", f"lines with VT, FF, CR, U+0085, U+2028 and their like inside ({end!r} at the end)", "all kept")


def test_json_lines_are_lines_for_everybody(model):
    text = "a\u2028b\x85c\x0bd\r"
    out, _, _ = translated(model, f"{text}\n\n".encode(), as_json=True)
    assert len(out.decode().splitlines()) == 2
    import json

    assert [json.loads(line)["text"] for line in out.decode().splitlines()] == [text, ""]


def test_an_empty_file_stays_empty(model):
    out, account, _ = translated(model, b"")
    assert (out, account.ledger.is_clean, account.lines) == (b"", True, 0)
    assert translated(model, b"\n")[0] == b"\n"


def test_texts_become_lines(model):
    """A text of several lines is one line of output; its JSON keeps them."""
    out, account, _ = translated(model, b"", texts=("我爱你。\r\n你好吗？", "", "x\ny"))
    assert out.decode() == "我爱你。 你好吗？\n\nx y\n"
    assert account.ledger.lines_in == 3


# --- X2: nothing to say


def test_nothing_to_say_does_not_reach_the_model(model, evidence):
    nothing = [
        "",
        " ",
        "\u00a0",
        "\u3000",
        "\u200b",
        "\t \t",
        "\x01\x02",
        "\ufeff",
        "\u2028",
        "\u202e",
        "...",
        "。！？",
    ]
    engine = FakeEngine(says_line_breaks)
    data = "".join(f"{text}\n" for text in nothing).encode()
    out, account, _ = translated(model, data, engine)
    assert (out, engine.asked, account.ledger.is_clean) == (data, [], True)
    evidence("X2", "lines of nothing to say that change in a file, or reach the model", f"0 of {len(nothing)}")


# --- X3: broken text


def test_broken_lines_are_named_and_none_is_dropped(model, evidence):
    draw = random.Random(3)
    pieces = [piece for piece in NASTY if b"\n" not in piece]
    lines = [b"".join(draw.choices(pieces, k=draw.randrange(12))) for _ in range(2_000)]
    out, account, watch = translated(model, b"\n".join(lines), FakeEngine(tokens_per_batch=200))
    assert len(out.split(b"\n")) == len(lines)
    broken = {n for n, line in enumerate(lines, 1) if b"\0" in line or is_broken(line)}
    assert {n for n, remark in watch.remarks if "broken characters replaced by U+FFFD" in remark} == broken
    assert account.ledger.repaired >= len(broken) > 100
    assert not account.ledger.is_clean
    evidence("X3", "lines of a file of random bytes dropped, or crashes", f"0 of {len(lines):,}")
    evidence("X3", "lines of it that are broken, named by number", f"{len(broken):,} of {len(broken):,}")


def is_broken(line):
    try:
        line.decode()
    except UnicodeDecodeError:
        return True
    return False


@pytest.mark.parametrize(("bad", "words"), [(b"b\xffd", "character 2 is not UTF-8"), (b"nu\0l", "character 3 is NUL")])
def test_strict_names_the_line(model, bad, words):
    with pytest.raises(DataError, match=f"stdin, line 3: {words}"):
        translated(model, b"good\ngood\n" + bad + b"\ngood\n", strict=True)
    with pytest.raises(DataError, match=f"text 2: {words}"):
        translated(model, b"", texts=("good", bad.decode(errors="surrogateescape")), strict=True)
    assert translated(model, b"good\n", strict=True)[0] == b"good\n"


# --- X4: long; X5: repetitive


def test_long_lines_are_cut_by_the_rule_and_every_cut_is_counted(model, evidence):
    line = "机器学习" * 500 + "x" * 5_000
    out, account, watch = translated(model, f"a\n{line}\nb\n".encode(), FakeEngine())
    assert out.decode().replace(" ", "") == f"a\n{line}\nb\n"  # English puts spaces between what was Chinese
    assert account.ledger.cut > 10
    assert watch.remarks == [(2, f"{account.ledger.cut} cuts in sentences that were too long")]
    evidence("X4", "cuts in a long line of a file that are not counted, or not said", f"0 of {account.ledger.cut}")


@pytest.mark.parametrize("unit", ["a", "ha ", "😀x", "哈"])
def test_a_model_that_never_ends_is_ended(model, unit, evidence):
    """Its words are not believed: the line stands as it was, and the ledger says so."""
    line = unit * 3_000
    engine = FakeEngine(for_ever, remembers=False)
    out, account, _ = translated(model, f"{line}\n".encode(), engine, options=TranslationOptions(beam=1))
    ledger = account.ledger
    assert ledger.adds_up
    assert len(out) < 4 * len(line.encode()) + 1_000
    assert not ledger.is_clean
    evidence(
        "X5",
        f"{unit!r} 3,000 times to a model that never ends: bytes out for a byte in",
        f"{len(out) / len(line.encode()):.1f}",
    )


CHILD = """
import io, sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
from attendo.documents.file_translation import FileTranslation
from tests.translation.fake_engine import FakeEngine, Listener, fake_translator
def peak():  # kilobytes; getrusage would count the parent that this process was forked from
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
class Lines(io.RawIOBase):  # made as they are read, so that only the translator's memory grows
    def __init__(self, total, line):
        self.left, self.line = total, line
    def read1(self, size):
        count = min(self.left, max(1, size // len(self.line)))
        self.left -= count
        return b"".join(self.line % (self.left + n) for n in range(count))
class Nowhere(io.RawIOBase):
    def write(self, data):
        return len(data)
class Deaf(Listener):
    def done(self, chunk, answers):
        pass
translator = fake_translator(Path(sys.argv[1]), FakeEngine(tokens_per_batch=4_000, remembers=False))
task = FileTranslation(to="en", from_="zh")
def go(stream):
    return task.run(translator, stream, Nowhere(), Deaf())
"""


def in_child(model, code, timeout=300):
    command = [sys.executable, "-c", CHILD.format(root=str(ROOT)) + code, str(model)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout.split()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", ["words", "no spaces", "Han", "marks"])
def test_a_line_of_a_megabyte(model, kind, evidence):
    code = f"""
line = {{"words": "word " * 200_000, "no spaces": "x" * 1_000_000, "Han": "学" * 333_333,
        "marks": "e" + "\\u0301" * 10_000}}[{kind!r}].encode()
go(io.BytesIO(b"warm up"))
before, start = peak(), time.perf_counter()
account = go(io.BytesIO(b"a\\n" + line + b"\\nb"))
assert account.ledger.adds_up and account.lines == 3
print(time.perf_counter() - start, (peak() - before) / 1024, account.ledger.cut)
"""
    seconds, megabytes, cuts = map(float, in_child(model, code))
    assert seconds < 30
    assert megabytes < 300
    assert cuts > 10
    evidence(
        "X4",
        f"one line of a file of about 1 MB ({kind}), fake model: seconds, MB on top",
        f"{seconds:.1f}, {megabytes:.0f}",
    )


FLAT = """
line = "我爱机器学习%d。 I love it, it is fun!\\n".encode()
go(Lines({few}, line))
before = peak()
account = go(Lines({many}, line))
assert account.lines == account.ledger.lines_out == {many} and account.ledger.adds_up
print((peak() - before) / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("few", "many"), [(2_000, 10_000), pytest.param(5_000, 100_000, marks=pytest.mark.slow)])
def test_memory_does_not_grow_with_the_number_of_lines(model, few, many, evidence):
    (megabytes,) = map(float, in_child(model, FLAT.format(few=few, many=many)))
    assert megabytes < 25
    evidence("X4", f"a file of {many:,} lines beside one of {few:,}, fake model: MB on top", f"{megabytes:.1f}")


# --- X6: text that looks like control tokens


def test_control_tokens_in_text_are_text(model, evidence):
    names = ["<s>", "</s>", "<pad>", "<unk>", ">>en<<", ">>zh<<", "\u2581", "<0x0A>", "<</s>s>", "</\u200ds>"]
    draw = random.Random(6)
    lines = ["".join(draw.choices([*names, "a ", "我", "1"], k=draw.randrange(1, 8))) for _ in range(500)]
    engine = FakeEngine()
    out, account, _ = translated(model, "\n".join(lines).encode(), engine)
    assert out.decode().split("\n") == lines
    assert account.ledger.adds_up
    control = sum(number < 6 for ids in engine.asked for number in ids[1:-1])
    assert control == 0
    assert all(ids[0] == 5 and ids[-1] == 2 for ids in engine.asked)  # >>en<< and </s> are ours
    evidence(
        "X6",
        "control ids from a file of look-alikes, and such shown in its translation",
        f"{control} of {len(lines)} lines",
    )


def test_blocks_are_larger_than_lines():
    """The guard of the guard: a test file of one block would not show what happens between blocks."""
    data = b"".join(b"%d\n" % n for n in range(30_000))
    assert len(data) > 2 * BLOCK
    assert [text for chunk in LineReader(io.BytesIO(data), "f").chunks(1_000) for text in chunk.texts] == [
        str(n) for n in range(30_000)
    ]
