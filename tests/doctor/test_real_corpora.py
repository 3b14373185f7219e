"""On real text, where $ATTENDO_DATA has it: blocks are found in long sentences, and clean corpora are left alone."""

import os
import random
from pathlib import Path

import pytest

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.doctor.examine import examine
from tests.doctor.synthetic import with_shift, write_tsv

DATA = Path(os.environ.get("ATTENDO_DATA", "data"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no corpora in {DATA}: set ATTENDO_DATA")


def read(name, num_pairs):
    return [(p.source, p.target) for p in CorpusFile(DATA / name).pairs(ignore) if p.line <= num_pairs]


@pytest.mark.parametrize(
    ("name", "first", "last", "shift"),
    [
        ("zh-en/ted.test.tsv.xz", 1200, 1271, 1),
        ("de-en/europarl20k.train.tsv.xz", 1, 50, -1),
        ("en-cs/multi30k.train.tsv.xz", 1940, 2000, 2),
    ],
)
def test_a_block_among_long_sentences(name, first, last, shift, tmp_path):
    rows = with_shift(read(name, 2000), first, last, shift)
    found = [f for f in examine(CorpusFile(write_tsv(tmp_path / "a.tsv", rows))).findings if f.shift is not None]
    assert [block.shift for block in found] == [shift]
    assert abs(found[0].first_line - first) <= 3
    assert abs(found[0].last_line - last) <= 3


def test_the_shifts_of_the_iwslt14_test_set():
    """Nobody made these: the published test set has them."""
    found = [f for f in examine(CorpusFile(DATA / "de-en/iwslt14.test.tsv.xz")).findings if f.shift is not None]
    found.sort(key=lambda block: block.first_line)
    ends = [(block.shift, block.first_line, block.last_line) for block in found]
    assert ends == [
        (shift, pytest.approx(first, abs=3), pytest.approx(last, abs=3))
        for shift, first, last in [(-1, 675, 679), (1, 783, 798), (-1, 1287, 1338)]
    ]


@pytest.mark.parametrize("name", ["zh-en/tatoeba.train.tsv.xz", "de-en/tatoeba.train.tsv.xz"])
def test_few_false_alarms(name, tmp_path):
    rows = random.Random(0).sample(read(name, 50_000), 5_000)
    seen = examine(CorpusFile(write_tsv(tmp_path / "a.tsv", rows)))
    for finding in seen.findings:
        assert len(finding.lines) <= 50, finding.kind
        assert finding.shift is None
