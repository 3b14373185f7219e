"""Every knob of every claim, with every kind of value (`make slow`; about six minutes)."""

import pytest

from attendo.lab.claims import EXPERIMENTS
from tests.lab.turned_knobs import other_values, turn


@pytest.mark.slow
@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda one: one.id)
def test_every_knob_can_be_turned(experiment, tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path))
    for knob in experiment.knobs:
        worked = [turn(experiment, knob, value) for value in other_values(knob)]
        assert any(worked), knob.name
