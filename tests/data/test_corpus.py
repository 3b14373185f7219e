"""T13, X1, X3: nothing is lost, nothing shifts, and every broken line is named."""

import gzip
import json
import lzma

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from attendo.data.corpus import AlignedFiles, CorpusFile
from attendo.data.lines import count_lines, read_lines
from attendo.errors import DataError

# Everything that str.splitlines() takes for the end of a line, and LF alone is.
FALSE_ENDS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r"


def write(path, data):
    """By the end of its name."""
    pack = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstd.compress}.get(path.suffix, bytes)
    path.write_bytes(pack(data))
    return path


def lines_and_problems(path):
    problems = []
    return list(read_lines(path, problems.append)), problems


def pairs_and_problems(corpus):
    problems = []
    pairs = [(pair.line, pair.source, pair.target) for pair in corpus.pairs(problems.append)]
    return pairs, [(problem.kind, problem.line) for problem in problems]


@pytest.mark.parametrize("end", ["", ".gz", ".xz", ".zst"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_lines_come_back_as_they_are(end, newline, final, tmp_path, evidence):
    lines = ["one", "", f"zwei {FALSE_ENDS}drei", "我爱 U+2028:\u2028 end", " spaces\t "]
    path = write(tmp_path / f"a.txt{end}", (newline.join(lines) + newline * final).encode())
    assert lines_and_problems(path) == (lines, [])
    assert count_lines(path) == len(lines)
    how = f"{end or 'plain'}, {newline!r} ends{'' if final else ', none at the end of the file'}"
    evidence("X1", f"lines lost, added or changed, with every false line end inside ({how})", f"0 of {len(lines)}")


@given(st.lists(st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"])), max_size=8))
def test_n_lines_in_are_n_lines_out(tmp_path_factory, lines):
    lines = [line.rstrip("\r").removeprefix("\ufeff") for line in lines]
    path = write(tmp_path_factory.mktemp("x") / "a.txt", "".join(line + "\n" for line in lines).encode())
    assert lines_and_problems(path) == (lines, [])
    assert count_lines(path) == len(lines)


@given(st.binary(max_size=200))
def test_any_bytes_give_as_many_lines_as_line_feeds(tmp_path_factory, data):
    path = write(tmp_path_factory.mktemp("x") / "a.txt", data)
    if data.removeprefix(b"\xef\xbb\xbf").startswith((b"\xff\xfe", b"\xfe\xff")):
        with pytest.raises(DataError, match="UTF-16"):
            lines_and_problems(path)
        return
    lines, _ = lines_and_problems(path)
    assert len(lines) == count_lines(path) == data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))
    assert not any("\n" in line or "\0" in line for line in lines)


def test_broken_bytes_are_named_and_the_line_is_kept(tmp_path):
    path = write(tmp_path / "a.txt", b"\xef\xbb\xbffirst\nb\xffd\nn\0l\nlast")
    lines, problems = lines_and_problems(path)
    assert lines == ["first", "b\ufffdd", "n\ufffdl", "last"]
    assert [(problem.kind, problem.line) for problem in problems] == [("invalid_utf8", 2), ("nul", 3)]
    assert str(problems[0]) == f"{path}, line 2: byte 2 is not UTF-8; replaced by U+FFFD"


def test_an_endless_line_is_cut_and_said(tmp_path, monkeypatch):
    monkeypatch.setattr("attendo.data.lines.LONGEST_LINE", 100)
    path = write(tmp_path / "a.txt", b"x" * 1000 + b"\nnext\n" + b"y" * 99 + b"\n" + b"z" * 100 + b"\n" + b"w" * 250)
    lines, problems = lines_and_problems(path)
    assert lines == ["x" * 100, "next", "y" * 99, "z" * 100, "w" * 100]
    assert [problem.line for problem in problems if problem.kind == "long_line"] == [1, 5]


def test_tsv(tmp_path):
    path = write(tmp_path / "a.tsv.xz", b"a\tb\nno tab\nx\ty\tz\n\tempty\nq\t \nlast\tline")
    pairs, problems = pairs_and_problems(CorpusFile(path))
    assert pairs == [
        (1, "a", "b"),
        (2, "no tab", ""),
        (3, "x", "y"),
        (4, "", "empty"),
        (5, "q", " "),
        (6, "last", "line"),
    ]
    assert problems == [
        ("one_column", 2), ("empty_target", 2), ("extra_column", 3), ("empty_source", 4), ("empty_target", 5),
    ]  # fmt: skip


def test_two_files(tmp_path):
    source, target = write(tmp_path / "a.zh", "一\n二\u2028二\n".encode()), write(tmp_path / "a.en.gz", b"one\ntwo")
    assert pairs_and_problems(AlignedFiles(source, target)) == (
        [(1, "一", "one"), (2, "二\u2028二", "two")],
        [],
    )


def test_unequal_counts_stop_before_any_work(tmp_path, evidence):
    source, target = write(tmp_path / "a.zh", "一\n二\n三\n".encode()), write(tmp_path / "a.en", b"one\ntwo\n")
    with pytest.raises(DataError, match=r"has 3 lines and .* has 2: .* without a partner is 3"):
        next(AlignedFiles(source, target).pairs(lambda problem: None))
    evidence("T13", "files of unequal line counts stopped before any work", "1 of 1")


def test_jsonl_can_spell_what_is_no_character(tmp_path):
    path = write(tmp_path / "a.jsonl", rb'{"source": "a\u0000b", "target": "c\ud800d"}')
    pairs, problems = pairs_and_problems(CorpusFile(path))
    assert pairs == [(1, "a\ufffdb", "c\ufffdd")]
    assert problems == [("nul", 1), ("surrogate", 1)]


def test_an_empty_side_is_reported_in_its_own_file(tmp_path):
    files = AlignedFiles(write(tmp_path / "a.zh", "一\n".encode()), write(tmp_path / "a.en", b"\n"))
    problems = []
    list(files.pairs(problems.append))
    assert [problem.file for problem in problems] == [str(tmp_path / "a.en")]


def test_jsonl(tmp_path):
    rows = [
        {"source": "a", "target": "b"}, {"translation": {"zh": "一", "en": "one"}}, {"zh": "二", "en": "two"},
        {"zh": "三"}, [1], {"source": 1, "target": "x"},
    ]  # fmt: skip
    text = "\n".join(json.dumps(row) for row in rows) + "\n{broken\n" + "[" * 100_000
    path = write(tmp_path / "a.jsonl", text.encode())
    pairs, problems = pairs_and_problems(CorpusFile(path, languages=("zh", "en")))
    assert pairs == [(1, "a", "b"), (2, "一", "one"), (3, "二", "two"), *((line, "", "") for line in range(4, 9))]
    assert [line for kind, line in problems if kind == "not_a_pair"] == [4, 5, 6, 7, 8]


TMX = """<?xml version="1.0" encoding="UTF-8"?><tmx version="1.4"><header/><body>
<tu><tuv xml:lang="zh-CN"><seg>你好，<bpt i="1">&lt;b&gt;</bpt>世<hi>界</hi><ept i="1">&lt;/b&gt;</ept></seg></tuv>
<tuv xml:lang="en-US"><seg>Hello
world</seg></tuv></tu>
<tu><tuv xml:lang="de"><seg>nur</seg></tuv><tuv xml:lang="EN"><seg>only &amp; alone</seg></tuv></tu>
</body></tmx>"""


def test_tmx(tmp_path):
    path = write(tmp_path / "a.tmx.gz", TMX.encode())
    pairs, problems = pairs_and_problems(CorpusFile(path, languages=("zh", "en")))
    assert pairs == [(1, "你好，世界", "Hello world"), (2, "", "only & alone")]
    assert problems == [("missing_language", 2), ("empty_source", 2)]
    with pytest.raises(DataError, match="name two"):
        pairs_and_problems(CorpusFile(path))


def test_tmx_with_a_namespace_and_a_language_twice(tmp_path):
    text = TMX.replace('<tmx version="1.4">', '<tmx version="1.4" xmlns="http://www.lisa.org/tmx14">')
    text = text.replace("</tu>", '<tuv xml:lang="en"><seg>again</seg></tuv></tu>', 1)
    path = write(tmp_path / "a.tmx", text.encode())
    pairs, problems = pairs_and_problems(CorpusFile(path, ("zh-CN", "en-GB")))
    assert pairs == [(1, "你好，世界", "Hello world"), (2, "", "only & alone")]
    assert ("language_twice", 1) in problems


def test_xml_without_units_is_no_tmx(tmp_path):
    with pytest.raises(DataError, match="no translation units"):
        pairs_and_problems(CorpusFile(write(tmp_path / "a.tmx", b"<html><p>no</p></html>"), ("zh", "en")))


def test_hostile_tmx_expands_nothing(tmp_path):
    secret = write(tmp_path / "secret", b"SECRET")
    bomb = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    text = (
        f'<!DOCTYPE tmx [<!ENTITY a0 "ha">{bomb}<!ENTITY file SYSTEM "file://{secret}">]><tmx><body><tu>'
        f'<tuv xml:lang="zh"><seg>x&a11;</seg></tuv><tuv xml:lang="en"><seg>y&file;</seg></tuv></tu></body></tmx>'
    )
    path = write(tmp_path / "a.tmx", text.encode())
    try:
        pairs, _ = pairs_and_problems(CorpusFile(path, languages=("zh", "en")))
    except DataError:
        return
    assert "SECRET" not in str(pairs)
    assert len(str(pairs)) < 1000


@pytest.mark.parametrize("name", ["a.tsv.gz", "a.tsv.xz", "a.tsv.zst", "a.tmx", "a.tmx.gz", "a.tmx.xz", "a.tmx.zst"])
@pytest.mark.parametrize("damage", ["cut", "garbage"])
def test_a_damaged_file_is_one_sentence(name, damage, tmp_path):
    whole = write(tmp_path / name, TMX.encode() if "tmx" in name else b"a\tb\n" * 5000).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2] if damage == "cut" else b"garbage" * 100)
    with pytest.raises(DataError, match=r"damaged|well-formed"):
        pairs_and_problems(CorpusFile(tmp_path / name, languages=("zh", "en")))


def test_wrong_names_are_one_sentence(tmp_path):
    with pytest.raises(DataError, match="No such file"):
        pairs_and_problems(CorpusFile(tmp_path / "missing.tsv"))
    with pytest.raises(DataError, match=r"known are \.tsv, \.jsonl and \.tmx"):
        pairs_and_problems(CorpusFile(write(tmp_path / "a.doc", b"")))
    (tmp_path / "b.tsv").mkdir()
    with pytest.raises(DataError, match="a folder, a pipe or a device"):
        pairs_and_problems(CorpusFile(tmp_path / "b.tsv"))
    with pytest.raises(DataError, match="UTF-16"):
        pairs_and_problems(CorpusFile(write(tmp_path / "a.tsv", "a\tb\n".encode("utf-16"))))
