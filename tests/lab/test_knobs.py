"""Claims whose knobs are turned: judged, drawn and put into words again. All knobs in tests/slow/test_every_knob.py."""

import json
from dataclasses import replace

import pytest

from attendo.cli.main import run
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.run import Wanted, run_experiment
from attendo.lab.tools.texts import can_tell, fill_in, filled_rows, read_text
from attendo.lab.verdicts import labelled_numbers
from tests.lab.turned_knobs import other_values, turn

# Of toy models and of formulas, with knobs that are lists and knobs that are numbers.
SAMPLE = ("L10", "L27", "L36", "L44", "L77")


@pytest.mark.parametrize("name", SAMPLE)
def test_a_claim_can_be_judged_drawn_and_told_with_every_knob_turned(name):
    experiment = EXPERIMENTS[name]
    for knob in experiment.knobs:
        assert any(turn(experiment, knob, value, drawn=("zh",)) for value in other_values(knob)), knob.name


def test_a_number_that_is_infinite_is_neither_drawn_nor_told(capsys):
    """Nothing stands between an item and the question behind it: its influence is infinitely much greater."""
    (distances,) = (knob for knob in EXPERIMENTS["L27"].knobs if knob.name == "distances")
    assert turn(EXPERIMENTS["L27"], distances, "1", drawn=("en",))
    assert run(["lab", "run", "L36", "--set", "length=5", "--json"], debug=False) == 0
    (one,) = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert one["numbers"]["attention_far_to_near"] == [None] * len(one["seeds"])


RUNS = [{"a": 1.0, "b": float("inf")}, {"a": 1.0, "b": 2.0}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("All of «a:.0f». And «gone:.1f», e.g. here,\ntoo. Then.", "All of 1. Then."),
        ("甲为 «a:.0f»。乙为 «gone:.1f»，也为 «b»。丙。", "甲为 1。丙。"),
        ("One. Of «gone».\n\nTwo.", "One.\n\nTwo."),
        ("| x | «a:.0f» |\n| y | «gone» |\n| z | 3 |", "| x | 1 |\n| z | 3 |"),
        ("Infinite: «b:.1f».", ""),
    ],
)
def test_with_a_turned_knob_a_sentence_without_its_number_is_left_out(text, expected):
    assert fill_in(text, RUNS, turned=True) == expected
    if not can_tell(text.replace("«b", "«a"), RUNS):
        with pytest.raises(KeyError):
            fill_in(text, RUNS)


def test_a_model_that_cannot_be_is_found_before_others_are_trained(monkeypatch, capsys):
    experiment, tried = EXPERIMENTS["L6"], []

    def measure(seeds, at):
        tried.append((at.size, at.whole("steps")))
        return experiment.measure(seeds, at)

    measure.__module__ = experiment.module
    monkeypatch.setattr("attendo.lab.claims.EXPERIMENTS", {"L6": replace(experiment, measure=measure)})
    assert run(["lab", "run", "L6", "--set", "heads=1,9"], debug=False) == 2
    assert "heads=1,9 cannot be" in capsys.readouterr().err
    assert tried == [("small", 4)]


def test_where_no_row_has_its_numbers_they_are_told_by_name():
    result = run_experiment(EXPERIMENTS["L15"], Wanted("small", turned={"d_k": "2,8"}))
    assert dict(labelled_numbers(result, "en"))["of_scores_at_8"] == "8"


def test_words_can_name_the_ends_of_a_knob():
    runs = [{"heads": [8, 1, 4], "right_8": 0.75, "right_1": 0.5}]
    assert fill_in("«heads_least» and «heads_most»: «right_{heads_least}» and «right_{heads_most}»", runs) == (
        "1 and 8: 0.5 and 0.75"
    )
    assert not can_tell("«right_{layers_most}»", runs)


def test_without_a_turned_knob_a_missing_number_is_an_error():
    text = read_text(EXPERIMENTS["L6"], "en")
    with pytest.raises(KeyError):
        filled_rows(text, RUNS)
    assert filled_rows(text, RUNS, turned=True) == []
