"""Streams of lines: N in, N out, in order, whatever the bytes (X1-X6), and in memory that does not grow."""

import io
import random
import re

import pytest
from hypothesis import given, settings

from attendo.documents.file_translation import FileTranslation
from attendo.documents.line_reader import chunk_of_texts
from attendo.documents.pipeline import StreamOutput, one_by_one, translate_chunks
from attendo.errors import DataError
from attendo.text.normalize import LINE_BREAKS, repair
from attendo.text.sentences import Segment
from attendo.translation.options import TranslationOptions
from tests.documents.nasty_files import FILES, NASTY, says_line_breaks, translated
from tests.translation.fake_engine import (
    FakeEngine,
    Listener,
    backwards,
    same,
    write_fake_model,
)
from tests.translation.small_translator import random_translator


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("lines") / "model")


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
        translate_chunks(one_by_one([chunk_of_texts(["a", "b"])], lambda texts: []), output, Listener())
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
    assert {n for n, remark in watch.warnings if "broken characters replaced by U+FFFD" in remark} == broken
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
