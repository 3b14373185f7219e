"""Reading test sets and hypotheses: what is missing is an error that names the line."""

import gzip
import lzma
import subprocess

import pytest

from attendo.errors import DataError, UsageError
from attendo.evaluation.hypotheses import cut_into_chunks, read_hypotheses
from attendo.evaluation.test_set import read_references, read_test_set
from tests.evaluation.texts import sentences, spoilt, write, write_tsv

ENGLISH, CHINESE = sentences("en"), sentences("zh")


def test_a_tsv_with_several_references(tmp_path):
    path = write_tsv(tmp_path / "t.tsv", CHINESE, ENGLISH, spoilt(ENGLISH))
    found = read_test_set(path)
    assert found.sources == tuple(CHINESE)
    assert found.references == (tuple(ENGLISH), tuple(spoilt(ENGLISH)))
    assert len(found) == 60


@pytest.mark.parametrize(("suffix", "opened"), [(".gz", gzip.open), (".xz", lzma.open)])
def test_compressed_and_what_bash_makes_of_it(tmp_path, suffix, opened):
    path = tmp_path / f"a test's.tsv{suffix}"
    with opened(path, "wb") as file:
        file.write("".join(f"{zh}\t{en}\r\n" for zh, en in zip(CHINESE, ENGLISH, strict=True)).encode())
    found = read_test_set(path)
    assert (found.sources, found.references) == (tuple(CHINESE), (tuple(ENGLISH),))
    printed = subprocess.run(["/bin/bash", "-c", f"cat {found.in_bash[0]}"], capture_output=True, check=True).stdout
    assert printed.decode().split("\r\n")[:-1] == ENGLISH


def test_the_reference_may_stand_first(tmp_path):
    found = read_test_set(write_tsv(tmp_path / "t.tsv", ENGLISH, CHINESE), swapped=True)
    assert (found.sources, found.references) == (tuple(CHINESE), (tuple(ENGLISH),))
    assert found.in_bash == (f"<(cut -f1 {tmp_path}/t.tsv)",)
    with pytest.raises(UsageError, match="3 columns: --swap exchanges two"):
        read_test_set(write_tsv(tmp_path / "t.tsv", ENGLISH, CHINESE, CHINESE), swapped=True)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "is empty: expected one line for each sentence"),
        (["a\tb", "no tab"], "line 2 has no tab: expected source<TAB>reference"),
        (["a\tb", "a\tb\tc"], "line 2 has 3 columns and line 1 has 2"),
        (["a\tb", "a\t", "a\t "], "line 2, and 1 other lines: the reference is missing"),
        (["a\tb", "\tb"], "line 2: the source is missing"),
        (["a\tb", ""], "line 2 has no tab"),
    ],
)
def test_missing_sides(tmp_path, lines, words):
    with pytest.raises(DataError, match=words):
        read_test_set(write(tmp_path / "t.tsv", lines))


def test_blank_lines_opposite_blank_lines_are_nothing_to_worry_about(tmp_path):
    found = read_test_set(write(tmp_path / "t.tsv", ["a\tb", "\t", "c\td"]))
    assert found.references == (("b", "", "d"),)


def test_broken_bytes_are_mended_and_said(tmp_path):
    (tmp_path / "t.tsv").write_bytes(b"a\tb\xff\nc\t\0d\n")
    found = read_test_set(tmp_path / "t.tsv")
    assert found.references == (("b\ufffd", "\ufffdd"),)
    assert found.remarks == (f"{tmp_path}/t.tsv, line 1: byte 4 is not UTF-8; replaced by U+FFFD (and 1 more)",)


def test_only_lf_ends_a_line(tmp_path):
    odd = ["a\u2028b", "a\x85b", "a\x0cb", "a\rb", "end"]
    found = read_references([write(tmp_path / "r.txt", odd)])
    assert found.references == (tuple(odd),)
    assert read_hypotheses(write(tmp_path / "h.txt", odd), found).texts == tuple(odd)


def test_files_of_references_with_and_without_a_source(tmp_path):
    r1, r2 = write(tmp_path / "r1", ENGLISH), write(tmp_path / "r2", spoilt(ENGLISH))
    source = write(tmp_path / "s", CHINESE)
    assert read_references([r1, r2]).sources is None
    assert read_references([r1, r2], source).sources == tuple(CHINESE)
    table = write_tsv(tmp_path / "t.tsv", CHINESE, ENGLISH)
    assert read_references([table]).sources == tuple(CHINESE)
    with pytest.raises(UsageError, match=r"t\.tsv is a test set"):
        read_references([r1, table])
    with pytest.raises(UsageError, match=r"t\.tsv is a test set"):
        read_references([table], source)
    with pytest.raises(DataError, match=r"r1 has 60 lines and .*r2 has 59"):
        read_references([r1, write(tmp_path / "r2", ENGLISH[1:])])
    with pytest.raises(DataError, match=r"r1 has 60 lines and .*s has 61"):
        read_references([r1], write(tmp_path / "s", [*CHINESE, "x"]))


@pytest.mark.parametrize("line", [0, 29, 59])
def test_a_lost_line_is_an_error_with_both_counts_and_its_place(tmp_path, line):
    outputs = spoilt(ENGLISH)
    test_set = read_references([write(tmp_path / "r", ENGLISH)])
    path = write(tmp_path / "h", [*outputs[:line], *outputs[line + 1 :]])
    lost = f"lost what belongs to line {line + 1} of .*/r"
    with pytest.raises(DataError, match=rf"h has 59 lines and .*/r has 60: .*; they fit best if .*h has {lost}"):
        read_hypotheses(path, test_set)
    test_set = read_references([path])
    with pytest.raises(DataError, match=r"r has 60 lines and .*/h has 59: "):
        read_hypotheses(tmp_path / "r", test_set)


def test_hypotheses_that_have_nothing_to_do_with_it(tmp_path):
    test_set = read_references([write(tmp_path / "r", ENGLISH)])
    with pytest.raises(DataError, match="is empty"):
        read_hypotheses(write(tmp_path / "h", []), test_set)
    with pytest.raises(DataError, match=r"h has 50 lines and .*r has 60: expected one translation for each sentence$"):
        read_hypotheses(write(tmp_path / "h", ["zzz 我"] * 50), test_set)
    with pytest.raises(DataError, match="cannot read"):
        read_hypotheses(tmp_path / "none", test_set)
    test_set = read_references([write(tmp_path / "r", [*ENGLISH[:-1], ""])])
    with pytest.raises(DataError, match=r"r, line 60: the reference is missing, .*h has a translation"):
        read_hypotheses(write(tmp_path / "h", ENGLISH), test_set)


def test_chunks_keep_every_line_in_its_place():
    found = list(cut_into_chunks(ENGLISH, 50))
    assert len(found) > 5
    assert [text for chunk in found for text in chunk.texts] == ENGLISH
    assert [chunk.first for chunk in found] == [1 + sum(len(one.texts) for one in found[:n]) for n in range(len(found))]
    assert sum(chunk.size for chunk in found) == sum(len(text.encode()) + 1 for text in ENGLISH)
