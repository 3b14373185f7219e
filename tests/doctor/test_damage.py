"""Damage done on purpose to a made-up clean corpus of 5,000 pairs must be found, and nothing else."""

import random

import numpy as np
import pytest

from attendo.data.corpus import CorpusFile
from attendo.doctor.examine import examine
from attendo.doctor.shifted import stretches
from tests.doctor.synthetic import clean_corpus, with_shift, write_tsv

SIZE = 5000
HARD = {"swapped", "wrong_language", "copy", "duplicate", "leak", "empty", "broken_encoding", "shifted_block"}
FRENCH = [
    "Le chien dort sous la table.",
    "Nous allons à la plage demain.",
    "Elle ne veut pas venir.",
    "Où est la gare ?",
]


@pytest.fixture(scope="module", params=["de", "zh"])
def corpus(request):
    return clean_corpus(SIZE, source=request.param)


def look_at(rows, folder, **options):
    return examine(CorpusFile(write_tsv(folder / "corpus.tsv", rows)), **options)


def test_a_clean_corpus_is_clean(corpus, tmp_path):
    seen = look_at(corpus, tmp_path)
    assert seen.num_pairs == SIZE
    assert not HARD & {finding.kind for finding in seen.findings}
    assert all(len(finding.lines) <= SIZE / 100 for finding in seen.findings)


@pytest.mark.parametrize(("first", "last", "shift"), [(1, 50, 1), (2000, 2071, -2), (4941, 5000, 3)])
def test_a_shifted_block_is_found(corpus, tmp_path, first, last, shift, evidence):
    blocks = [f for f in look_at(with_shift(corpus, first, last, shift), tmp_path).findings if f.shift is not None]
    assert [block.shift for block in blocks] == [shift]
    assert abs(blocks[0].first_line - first) <= 3
    assert abs(blocks[0].last_line - last) <= 3
    error = max(abs(blocks[0].first_line - first), abs(blocks[0].last_line - last))
    evidence(
        "T13", f"lines {first} to {last} of {SIZE} made-up pairs shifted by {shift}: found, its ends wrong by", error
    )


def test_two_blocks_are_two(tmp_path):
    rows = with_shift(with_shift(clean_corpus(2000), 300, 360, 1), 400, 460, -1)
    blocks = [f for f in look_at(rows, tmp_path).findings if f.shift is not None]
    assert sorted((block.first_line, block.shift) for block in blocks) == [
        (pytest.approx(300, abs=3), 1),
        (pytest.approx(400, abs=3), -1),
    ]


def test_scattered_damage_is_found(corpus, tmp_path, evidence):
    """Five kinds at once, each in 2 % of the pairs."""
    generator = random.Random(3)
    indices = generator.sample(range(100, SIZE), 500)
    swapped, copied, foreign, repeated, leaked = (sorted(indices[i::5]) for i in range(5))
    rows = list(corpus)
    for index in swapped:
        rows[index] = rows[index][::-1]
    for index in copied:
        rows[index] = (rows[index][0], rows[index][0])
    for index in foreign:
        rows[index] = (rows[index][0], generator.choice(FRENCH))
    for number, index in enumerate(repeated):
        rows[index] = rows[number % 100]
    test = write_tsv(tmp_path / "test.tsv", [rows[index] for index in leaked])
    seen = look_at(rows, tmp_path, against=[CorpusFile(test)])
    for kind, lines in [("swapped", swapped), ("copy", copied), ("wrong_language", foreign), ("leak", leaked)]:
        found = set((seen.lines(kind) - 1).tolist())
        assert len(found & set(lines)) >= 0.98 * len(lines), kind
        assert len(found - set(lines)) <= SIZE / 100, kind
        evidence("T13", f"{kind} in 2 % of {SIZE} made-up pairs: found", f"{len(found & set(lines))} of {len(lines)}")
    assert set(repeated) <= set((seen.lines("duplicate") - 1).tolist())


def test_a_sampled_examination_says_so(tmp_path):
    from attendo.doctor.report import recommend

    seen = look_at(clean_corpus(12_000), tmp_path, most_closely=5_000)
    assert seen.num_closely == 5_000
    assert "5,000 of 12,000 pairs" in recommend(seen)


def test_little_text_is_no_trouble(tmp_path):
    assert look_at([], tmp_path).findings == ()
    assert look_at([("Guten Tag", "Good day")], tmp_path, languages=("de", "en")).findings == ()
    assert [f.kind for f in look_at([("", "Good day")], tmp_path).findings] == ["empty"]


def test_stretches_by_hand():
    gain = np.array([-1.0, 3, -1, 3, -9, 2, 2])
    assert stretches(gain, drop=100.0) == [(1, 3, 5.0), (5, 6, 4.0)]
    assert stretches(np.array([4.0, 4, -5, 4]), drop=4.0) == [(0, 1, 8.0), (3, 3, 4.0)]
    assert stretches(np.array([-1.0]), drop=1.0) == []
