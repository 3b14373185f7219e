"""The repaired corpus: what is in it, and an account that adds up."""

import lzma

import pytest

from attendo.data.corpus import CorpusFile
from attendo.doctor.examine import examine
from attendo.doctor.repair import write_repaired
from attendo.errors import DataError
from tests.doctor.synthetic import clean_corpus, with_shift, write_tsv


def repair(rows, tmp_path, name="repaired.tsv"):
    examination = examine(CorpusFile(write_tsv(tmp_path / "corpus.tsv", rows)), ("de", "en"))
    return write_repaired(examination, tmp_path / name)


def read(path):
    return [tuple(line.split("\t")) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


@pytest.mark.parametrize("shift", [1, -2])
def test_everything_at_once(tmp_path, shift):
    clean = clean_corpus(1500)
    rows = with_shift(clean, 700, 780, shift)
    rows[10] = rows[9]
    rows[20] = (rows[20][0], "")
    rows[30] = (rows[30][0], rows[30][0])
    rows[40] = rows[40][::-1]
    rows[50] = (rows[50][0], "fÃ¼r immer")
    rows[60] = (rows[60][0] + "\u2028", rows[60][1])
    account = repair(rows, tmp_path)
    assert account.pairs_in == 1500 == account.kept + sum(account.dropped.values())
    assert account.swapped_back == 1
    assert {kind: account.dropped.get(kind) for kind in ("duplicate", "empty", "copy", "broken_encoding")} == {
        "duplicate": 1, "empty": 1, "copy": 1, "broken_encoding": 1,
    }  # fmt: skip
    written = read(tmp_path / "repaired.tsv")
    assert len(written) == account.kept
    wrong = set(written) - set(clean)
    assert len(wrong) <= 2 * 3  # only the ends of the block, known to three lines, may be wrong
    assert clean[40] in written
    assert clean[60] in written
    assert set(clean[705:770]) <= set(written)
    assert account.dropped["shifted_block"] == abs(shift)


@pytest.mark.parametrize("shift", [1, -1])
def test_a_leak_inside_a_block_does_not_slip_through(tmp_path, shift):
    clean = clean_corpus(1000)
    corpus = CorpusFile(write_tsv(tmp_path / "corpus.tsv", with_shift(clean, 300, 380, shift)))
    test = CorpusFile(write_tsv(tmp_path / "test.tsv", [clean[340]]))
    account = write_repaired(examine(corpus, ("de", "en"), [test]), tmp_path / "repaired.tsv")
    assert account.pairs_in == 1000 == account.kept + sum(account.dropped.values())
    assert not {clean[340][0], clean[340][1]} & {side for row in read(tmp_path / "repaired.tsv") for side in row}


def test_compressed_by_name(tmp_path):
    rows = clean_corpus(50)
    assert repair(rows, tmp_path, "repaired.tsv.xz").kept == 50
    with lzma.open(tmp_path / "repaired.tsv.xz", "rt", encoding="utf-8") as lines:
        assert next(lines) == "\t".join(rows[0]) + "\n"


def test_in_place(tmp_path):
    rows = clean_corpus(50)
    assert repair([*rows, rows[0]], tmp_path, "corpus.tsv").dropped == {"duplicate": 1}
    assert read(tmp_path / "corpus.tsv") == rows
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.tsv"]


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot write"):
        repair(clean_corpus(50), tmp_path, "file/repaired.tsv")
