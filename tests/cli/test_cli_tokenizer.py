"""The command: lines in, lines out, in a real process."""

import subprocess
import sys

import pytest

from tests.text.conftest import synthetic_texts


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenizer")
    texts = list(synthetic_texts(300))
    tsv = "".join(f"{zh}\t{en}\n" for zh, en in zip(texts[::2], texts[1::2], strict=True))
    (folder / "corpus.tsv").write_text(tsv, encoding="utf-8")
    done = attendo(
        "train", folder / "corpus.tsv", "--languages", "zh,en", "--vocab-size", 500, "--out", folder / "t.json"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == f"{folder / 't.json'}: kind bpe, 500 ids, languages zh,en\n"
    return folder / "t.json"


def attendo(*arguments, stdin=b""):
    command = [sys.executable, "-m", "attendo", "tokenizer", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


@pytest.mark.parametrize("final", [b"", b"\n"])
def test_lines_there_and_back(trained, final):
    lines = (
        "我爱注意力。\n  two  spaces\t\n\nU+2028:\u2028 NEL:\x85 VT:\x0b FF:\x0c CR:\rx\n<s> </s> >>en<<\n😀".encode()
    )
    ids = attendo("encode", trained, stdin=lines + final)
    assert (ids.returncode, ids.stderr) == (0, b"")
    assert ids.stdout.count(b"\n") == 6
    back = attendo("decode", trained, stdin=ids.stdout)
    assert (back.returncode, back.stdout) == (0, lines + b"\n")


def test_broken_text_is_said_and_no_line_is_lost(trained):
    done = attendo("encode", trained, stdin=b"good\nb\xffd\nn\0l\nlast\n")
    assert (done.returncode, done.stdout.count(b"\n")) == (0, 4)
    assert b"stdin, line 2" in done.stderr
    assert b"stdin, line 3" in done.stderr
    strict = attendo("encode", trained, "--strict", stdin=b"good\nb\xffd\n")
    assert strict.returncode == 1
    assert strict.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("ids", "words"), [(b"300 x", b"'x' is no id: expected whole numbers"), (b"5 99999", b"outside the vocabulary")]
)
def test_wrong_ids_are_one_line(trained, ids, words):
    done = attendo("decode", trained, stdin=b"300\n" + ids + b"\n")
    assert done.returncode == 1
    assert done.stderr.startswith(b"attendo: stdin, line 2: ")
    assert words in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_a_line_feed_among_the_ids_stays_inside_its_line(trained):
    line_feed = 6 + 0x0A
    assert attendo("decode", trained, stdin=f"{line_feed} {line_feed}\n".encode()).stdout == b"  \n"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, b"Missing command"),
        (("train", "x.tsv", "--out", "y"), 2, b"--languages"),
        (("train", "x.tsv", "--languages", "zh,zh", "--out", "y"), 2, b"different codes"),
        (("train", "x.tsv", "--languages", "zh,en", "--kind", "bep", "--out", "y"), 2, b"expected one of bpe"),
        (("train", "missing.tsv", "--languages", "zh,en", "--out", "y"), 1, b"cannot read missing.tsv"),
        (("train", "x.tsv", "--languages", "zh,en", "--out", "."), 2, b"a folder"),
        (("encode", "missing.json"), 1, b"cannot read missing.json"),
    ],
)
def test_mistakes_are_one_line(arguments, code, words):
    done = attendo(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (code, b"", 1)
    assert words in done.stderr


def test_pieces(trained):
    text = "我爱 two books 😀\n"
    done = attendo("encode", trained, "--pieces", stdin=text.encode())
    ids = attendo("encode", trained, stdin=text.encode())
    pieces = done.stdout.decode().removesuffix("\n").split(" ")
    assert len(pieces) == len(ids.stdout.split())
    assert pieces[:2] == ["我爱", "␣t"]
    assert [*"😀".encode()] == [int(piece[3:5], 16) for piece in pieces[-4:]]  # a rare character, by its bytes
