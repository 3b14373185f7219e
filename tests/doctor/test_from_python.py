"""examine as a user calls it: a path or two, languages guessed."""

import json

import pytest

from attendo.data.corpus import CorpusFile
from attendo.doctor.examine import examine
from attendo.errors import UsageError
from tests.doctor.synthetic import clean_corpus, write_tsv


@pytest.fixture
def rows():
    clean = clean_corpus(300)
    return [*clean, clean[0], ("Guten Tag", "Guten Tag")]


def test_a_path_or_two(rows, tmp_path):
    path = write_tsv(tmp_path / "a.tsv", rows)
    sides = [tmp_path / "a.de", tmp_path / "a.en"]
    for side, texts in zip(sides, zip(*rows, strict=True), strict=True):
        side.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    first = examine(str(path), ("de", "en"))
    assert first.to_dict() == examine(CorpusFile(path)).to_dict()
    assert first.to_dict() == examine(source=sides[0], target=str(sides[1])).to_dict()
    assert (first.num_pairs, first.languages) == (302, ("de", "en"))
    assert {finding.kind for finding in first.findings} >= {"duplicate", "copy"}
    assert json.loads(json.dumps(first.to_dict()))["pairs"] == 302
    assert len(examine(path, against=[path]).lines("leak")) > 100


def test_wrong_calls(tmp_path):
    for wrong in ({}, {"source": "a"}, {"corpus": "a.tsv", "source": "a", "target": "b"}):
        with pytest.raises(UsageError, match="expected a corpus, or both"):
            examine(**wrong)
    with pytest.raises(UsageError, match="no language known"):
        examine(tmp_path / "a.tsv", ("de", "klingon"))
