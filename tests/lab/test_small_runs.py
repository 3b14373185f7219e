"""Evidence whose code has changed: a small run tells whether it still speaks for the code of today."""

from dataclasses import replace

import pytest

from attendo.cli.main import run
from attendo.errors import InputError
from attendo.lab.check import check_claims
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.page import page
from attendo.lab.run import Wanted, code_behind, from_stored, measured, settings_of
from attendo.lab.tools.evidence import read_evidence, stored_path, write_evidence
from attendo.lab.tools.small_runs import SmallRun, different, read_small_runs, what_repeats, write_small_runs

L6 = EXPERIMENTS["L6"]
STORED = [experiment for experiment in EXPERIMENTS.values() if experiment.evidence != "measured"]
MARKED = [experiment for experiment in STORED if read_small_runs().get(experiment.id, SmallRun("")).still]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    evidence = read_evidence(stored_path("L6"))
    monkeypatch.setattr("attendo.lab.tools.evidence.FOLDER", tmp_path)
    write_evidence(stored_path("L6"), replace(evidence, code=code_behind(L6, settings_of(L6.knobs, "full"))))
    return tmp_path


def with_code(code):
    write_evidence(stored_path("L6"), replace(read_evidence(stored_path("L6")), code=code))
    write_small_runs({claim: replace(row, code=code) for claim, row in read_small_runs().items()})


@pytest.mark.parametrize("experiment", MARKED, ids=[experiment.id for experiment in MARKED])
def test_what_is_said_to_give_the_same_numbers_gives_them(experiment):
    row = read_small_runs()[experiment.id]
    assert not different(row.runs, measured(experiment, Wanted("small")).runs)


def test_a_small_run_of_the_same_code_is_kept_once(folder):
    (found,) = check_claims([L6])
    assert (found.found, found.is_stale) == ("as measured", False)
    kept = read_small_runs()["L6"]
    assert kept.code == from_stored(L6).evidence.code
    assert not different(kept.runs, measured(L6, Wanted("small")).runs)


def test_other_code_with_the_same_numbers_is_not_stale_and_the_page_says_so(folder, capsys):
    check_claims([L6])
    with_code("0" * 16)
    assert from_stored(L6).stale  # nobody has looked yet
    assert run(["lab", "check", "L6"], debug=False) == 0
    assert capsys.readouterr().out == "L6   the code has changed, the numbers of a small run have not\n"
    result = from_stored(L6)
    assert (result.changed, result.stale) == (True, False)
    assert "in a small run it still gives the same numbers" in page(result, "en")
    assert "小规模运行的结果不变" in page(result, "zh")


def test_other_code_with_other_numbers_is_stale(folder, capsys):
    check_claims([L6])
    with_code("0" * 16)
    row = read_small_runs()["L6"]
    name = next(name for name, value in row.runs[0].items() if isinstance(value, float))
    off = [{**row.runs[0], name: row.runs[0][name] * 1.01 + 0.01}, *row.runs[1:]]
    write_small_runs({"L6": replace(row, runs=off)})
    assert run(["lab", "check", "L6"], debug=False) == 3
    assert capsys.readouterr().out == f"L6   stale: a small run gives other numbers ({name})\n"
    assert from_stored(L6).stale


def test_without_a_small_run_of_before_it_is_stale(folder):
    with_code("0" * 16)
    (found,) = check_claims([L6])
    assert (found.found, found.is_stale) == ("nothing to compare with", True)


def test_numbers_are_compared_by_name():
    before = [{"loss": 1.0, "losses": [1.0, 2.0]}]
    assert different(before, [{"loss": 1.0001, "losses": [1.0, 2.0], "new": 3.0}]) == []
    assert different(before, [{"loss": 1.01, "losses": [1.0, 2.0]}]) == ["loss"]
    assert different(before, [{"losses": [1.0, 2.1]}]) == ["loss", "losses"]
    assert different(before, [{"loss": 1.0, "losses": [1.0]}]) == ["losses"]
    assert different(before, []) == ["seeds"]
    assert what_repeats([{"loss": 1.0, "seconds": 3.0}], [{"loss": 1.0, "seconds": 4.0}]) == [{"loss": 1.0}]


def test_a_claim_that_is_measured_every_time_has_nothing_to_check(capsys):
    assert run(["lab", "check", "L1"], debug=False) == 2
    assert "L1 is measured anew every time" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "expected an object with a row for each claim"),
        ('{"L6": 3}', "L6 is 3: expected an object"),
        ('{"L6": {"code": "0", "runs": 3}}', "runs is 3: expected a list of objects"),
        ('{"L6": {"still": "0", "runs": []}}', "code"),
    ],
)
def test_a_broken_table_is_one_line(folder, text, message):
    (folder / "small_runs.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="no table of small runs") as raised:
        read_small_runs()
    assert message in str(raised.value)
