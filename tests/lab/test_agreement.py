"""--quick never contradicts the stored full run, from whatever seed; benchmarks/lab_agreement.py keeps the verdicts."""

import json

import pytest

from attendo.lab.claims import EXPERIMENTS
from attendo.lab.run import from_stored
from benchmarks.lab_agreement import PATH

QUICK = json.loads(PATH.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", QUICK)
def test_quick_and_full_have_the_same_verdict(name):
    assert set(QUICK[name]["verdicts"].values()) == {from_stored(EXPERIMENTS[name]).verdict}
