"""--quick never contradicts the stored full run, from whatever seed; benchmarks/lab_agreement.py keeps the verdicts."""

import json

import pytest

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.run import from_stored
from attendo.lab.tools.measuring import is_more
from benchmarks.lab_agreement import FIRST_SEEDS, PATH
from benchmarks.lab_subsets import deal, without_halves

QUICK = json.loads(PATH.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", QUICK)
def test_quick_and_full_have_the_same_verdict(name):
    assert set(QUICK[name]["verdicts"].values()) == {from_stored(EXPERIMENTS[name]).verdict}


def test_every_trained_claim_is_there_from_four_first_seeds():
    trained = [name for name, one in EXPERIMENTS.items() if one.evidence == "trained"]
    assert {name: [int(seed) for seed in row["verdicts"]] for name, row in QUICK.items()} == {
        name: list(FIRST_SEEDS) for name in trained
    }


def test_an_effect_is_there_that_is_no_chance_and_large_enough():
    """Both are asked for, but not at once: the interval need not lie above what matters, nor the mean far above 0."""
    assert is_more(1.4, 1.1, 1.8, much=1.25, nothing=1.0) is True
    assert is_more(1.2, 1.1, 1.3, much=1.25, nothing=1.0) is None  # no chance, but perhaps too small to matter
    assert is_more(1.4, 0.9, 2.1, much=1.25, nothing=1.0) is None  # large enough, but perhaps by chance
    assert is_more(1.1, 1.05, 1.2, much=1.25, nothing=1.0) is False


def test_quick_runs_are_dealt_from_a_full_one():
    runs = [{"x": float(seed), "x_half": 1.0} for seed in range(8)]
    apart, again = (list(deal([without_halves(run) for run in runs], 8, put_back)) for put_back in (False, True))
    assert all(sorted(run["x"] for run in dealt) == list(range(8)) for dealt in apart)
    assert any(len({run["x"] for run in dealt}) < 8 for dealt in again)
    assert all(set(run) == {"x"} for dealt in apart for run in dealt)
