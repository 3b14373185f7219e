"""Learning rates: those of a grid are tried, the best are kept in a table, and --quick takes them from there."""

import json
import math
from dataclasses import replace
from functools import partial
from typing import get_args

import pytest
import torch

from attendo.cli.main import run
from attendo.lab import claims
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.knobs import Size, by_size, settings_of
from attendo.lab.page import learning_rates as learning_rates_on_page
from attendo.lab.positions import l21_learned
from attendo.lab.run import Wanted, code_behind, run_experiment
from attendo.lab.tools import tuning
from attendo.lab.tools.code_hash import reached_modules
from attendo.lab.tools.evidence import read_evidence, stored_path
from attendo.lab.tools.measuring import SAME, best_rate
from attendo.lab.tools.toy_training import Budget, training_device
from attendo.lab.tools.tuning import (
    GRID,
    TUNING_SEED,
    TunedRates,
    rates_of,
    rates_to_try,
    read_rows,
    train_tuned,
    write_rows,
)
from attendo.lab.verdicts import in_language
from tests.lab.test_evidence import refused

TUNED = [experiment for experiment in EXPERIMENTS.values() if experiment.tunes]
STORED = [experiment for experiment in TUNED if stored_path(experiment.id).exists()]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A copy of the table, and a cache of its own."""
    path = tmp_path / "learning_rates.json"
    path.write_bytes(tuning.PATH.read_bytes())
    monkeypatch.setattr(tuning, "PATH", path)
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    return path


def test_a_gpu_trains_all_but_the_smallest(monkeypatch):
    sizes = get_args(Size)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert {training_device(size) for size in sizes} == {"cpu"}
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert [size for size in sizes if training_device(size) == "cpu"] == ["small"]


def test_which_rates_each_size_tries(table):
    write_rows(
        {"L6": TunedRates("2026-11-16", "here", (5000,), "code", {"one_1": 0.02, "one_2": 0.01, "four_1": 0.02})}
    )

    assert rates_to_try("L6", "one_1", "tuning") == rates_to_try("L6", "one_1", "full") == GRID
    assert rates_to_try("L6", "one_1", "quick") == [0.02]
    (small,) = rates_to_try("L6", "no side", "small")
    assert small in GRID[1:-1]
    assert rates_to_try("L6", "one_16", "quick") == [0.01, 0.02]  # a side nobody has tuned: the rates of the others
    assert rates_to_try("L99", "one_16", "quick") == GRID


def test_tuning_is_as_large_as_quick():
    assert by_size(1, 2, 3) == {"small": 1, "tuning": 2, "quick": 2, "full": 3}


def test_the_rate_that_learns_wins():
    budgets = [Budget(20, 8, rate) for rate in (1e-9, 1e-2, 1e4)]
    models, losses, rate = train_tuned(partial(l21_learned.build, "learned"), l21_learned.short_ones, [1, 2], budgets)
    assert rate == 1e-2
    assert losses.shape == (20, 2)
    assert losses[-2:].mean() < losses[:2].mean() - 0.1
    assert len(models) == 2


@pytest.mark.parametrize(
    ("losses", "best"),
    [
        ((0.5, 0.1, 0.3), 0.002),
        ((0.5, 0.1 + SAME, 0.1), 0.002),
        ((0.5, 0.1 + 2 * SAME, 0.1), 0.005),
        ((math.nan, 0.4, math.nan), 0.002),
        ((math.inf, math.nan, 7.0), 0.005),
        ((math.nan, math.nan, math.nan), 0.001),
    ],
)
def test_of_rates_that_are_equally_good_the_smallest_is_taken(losses, best):
    by_rate = dict(zip((0.001, 0.002, 0.005), losses, strict=True))
    assert best_rate(by_rate) == best
    assert best_rate(dict(reversed(by_rate.items()))) == best


@pytest.mark.parametrize("experiment", STORED, ids=lambda experiment: experiment.id)
def test_the_table_has_the_rates_that_the_stored_run_found(experiment):
    rates = read_rows()[experiment.id].rates
    for numbers in read_evidence(stored_path(experiment.id)).runs:
        assert {name[5:]: rate for name, rate in numbers.items() if name.startswith("rate_")} == rates
    assert set(rates.values()) <= set(GRID)


def test_quick_takes_its_rates_from_the_table(monkeypatch):
    """Size "quick" asks the table for each side; that the models learn nothing is no matter here."""
    monkeypatch.setattr(tuning, "train_together", lambda models, *others: torch.zeros(20, len(models)))
    row = read_rows()["L6"]
    for numbers in EXPERIMENTS["L6"].measure((1, 2), settings_of(EXPERIMENTS["L6"].knobs, "quick")):
        asked = {name[5:]: rate for name, rate in numbers.items() if name.startswith("rate_")}
        assert asked.items() <= row.rates.items()
        assert asked


def test_the_table_has_no_other_claims_and_they_stand_in_order():
    in_order = [experiment.id for experiment in TUNED]
    assert list(read_rows()) == [name for name in in_order if name in read_rows()]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not JSON"),
        ("[]", "expected an object"),
        ('{"L6": 3}', "L6 is 3"),
        ('{"L6": {"date": "", "machine": "", "seeds": [], "code": ""}}', "rates of L6"),
        ('{"L6": {"date": "", "machine": "", "seeds": [], "code": "", "rates": {"one_1": 0}}}', "above 0"),
        (
            '{"L6": {"date": "", "machine": "", "seeds": [], "code": "", "rates": {"one_1": NaN}}}',
            "NaN is no number of JSON",
        ),
        ('{"L6": {"date": "", "machine": "", "seeds": [], "code": "", "rates": {"one_1": true}}}', "above 0"),
        ('{"L6": {"date": "", "machine": "", "seeds": "all", "code": "", "rates": {}}}', "seeds in L6"),
        ('{"L6": {"date": "", "machine": "", "code": "", "rates": {}}}', "seeds is missing"),
        (
            '{"L6": {"date": "", "machine": "", "seeds": [], "code": "", "rates": {}, "weather": 1}}',
            "unknown key 'weather'",
        ),
        (" " * (tuning.LARGEST + 1), "too large"),
    ],
)
def test_a_broken_table_is_one_clear_error_before_any_work(table, content, message, capsys):
    table.write_text(content, encoding="utf-8")
    for command in (["lab", "run", "L6", "--quick"], ["lab", "tune", "L6"]):
        line = refused(command, capsys)
        assert message in line
        assert str(table) in line


def planted(monkeypatch, rate, calls=None):
    """L6, with a side whose best rate is known in advance."""
    (numbers,) = EXPERIMENTS["L6"].measure([1], settings_of(EXPERIMENTS["L6"].knobs, "small"))

    def measure(seeds, at):
        if calls is not None:
            calls.append((tuple(seeds), at.size))
        return [{**numbers, "rate_one_1": rate} for _ in seeds]

    measure.__module__ = EXPERIMENTS["L6"].module
    experiment = replace(EXPERIMENTS["L6"], measure=measure)
    monkeypatch.setattr("attendo.lab.claims.EXPERIMENTS", {**EXPERIMENTS, "L6": experiment})


def test_tune_writes_its_rows_and_keeps_the_others(table, monkeypatch, capsys):
    calls = []
    planted(monkeypatch, 0.02, calls)
    before = read_rows()
    assert run(["lab", "tune", "L6"], debug=False) == 0
    item_signal = capsys.readouterr()
    assert item_signal.out.startswith("L6   one_1 0.02, ")
    assert f"wrote {table}" in item_signal.err
    seeds = tuple(range(TUNING_SEED, TUNING_SEED + EXPERIMENTS["L6"].seeds["tuning"]))
    assert calls == [(seeds, "tuning")]
    after = read_rows()
    assert list(after) == list(before)
    assert (after["L6"].seeds, after["L6"].rates["one_1"]) == (seeds, 0.02)
    assert {**after, "L6": before["L6"]} == before
    text = table.read_text(encoding="utf-8")
    assert run(["lab", "tune", "L6"], debug=False) == 0
    assert len(calls) == 1  # the table it wrote is no reason to measure again
    assert table.read_text(encoding="utf-8") == text


def test_full_with_store_keeps_the_rates_it_found(table, tmp_path, monkeypatch, capsys):
    calls = []
    planted(monkeypatch, 0.02, calls)
    monkeypatch.setattr("attendo.lab.tools.evidence.FOLDER", tmp_path / "evidence")
    assert run(["lab", "run", "L6", "--full", "--store", "--json"], debug=False) == 0
    assert [size for _, size in calls] == ["full"]
    assert rates_of("L6")["one_1"] == 0.02
    assert json.loads(capsys.readouterr().out)[0]["numbers"]["rate_one_1"] == [0.02] * 16
    assert (tmp_path / "evidence" / "L6.json").exists()


def test_only_tuned_claims_are_tuned(capsys):
    line = refused(["lab", "tune", "L6", "L38"], capsys)
    assert "L38 has no learning rates to tune; these have: L5, L6, " in line
    assert "--all" in refused(["lab", "tune"], capsys)
    assert "no claim 'L99'" in refused(["lab", "tune", "L99"], capsys)


def test_the_hash_of_quick_changes_with_the_rates_of_the_claim_alone(table):
    claims = [(EXPERIMENTS[name], size) for name in ("L6", "L5", "L29") for size in ("quick", "tuning", "full")]

    def codes():
        return [code_behind(experiment, settings_of(experiment.knobs, size)) for experiment, size in claims]

    before = codes()
    write_rows({"L6": replace(read_rows()["L6"], rates={"one_1": 0.02})})
    after = codes()
    assert [old != new for old, new in zip(before, after, strict=True)] == [True] + 8 * [False]


def test_claims_about_real_models_do_not_reach_the_table():
    for experiment in EXPERIMENTS.values():
        if experiment.evidence == "real":
            assert "attendo.lab.tools.tuning" not in reached_modules(experiment.module)


def test_the_page_says_how_the_rates_were_found(table, monkeypatch):
    planted(monkeypatch, 0.02)
    experiment = claims.EXPERIMENTS["L6"]
    seeds, code = tuple(range(5000, 5006)), code_behind(experiment, settings_of(experiment.knobs, "tuning"))
    for row_code, changed in ((code, False), ("another", True)):
        write_rows({"L6": TunedRates("2026-11-16", "here", seeds, row_code, {"one_1": 0.02})})
        quick = run_experiment(experiment, Wanted("quick"))
        english, chinese = (learning_rates_on_page(quick, in_language(language)) for language in ("en", "zh"))
        assert "found beforehand with seeds 5000–5005 by `attendo lab tune L6`" in english
        assert ("the code has changed since" in english) == ("此后代码有改动" in chinese) == changed
        assert "0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05" in english
    full = run_experiment(experiment, Wanted("full"))
    assert "found with seeds 5000–5003, by which nothing is judged" in learning_rates_on_page(full, in_language("en"))
