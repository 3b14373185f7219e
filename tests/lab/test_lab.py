"""The frame of the lab: texts, cache, verdicts, pages; and for every claim that its rule can give both answers."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from attendo.cli.main import run
from attendo.lab.claim import Verdict
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.page import ends
from attendo.lab.report import picture, write_report
from attendo.lab.run import Wanted, run_experiment
from attendo.lab.tools.measuring import difference, interval
from attendo.lab.tools.texts import PLACEHOLDER, fill_in, one_line_each, read_text

every_claim = pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)


@every_claim
def test_texts_are_whole_and_name_numbers_that_are_there(experiment):
    runs = run_experiment(experiment, Wanted("small")).runs
    texts = [read_text(experiment, language) for language in ("en", "zh")]
    assert texts[0].why.keys() == texts[1].why.keys()
    for text in texts:
        reasons = [part for reason in text.why.values() for part in (reason.finding, reason.text)]
        for part in (text.method, text.picture, *reasons, *(part for row in text.rows for part in row)):
            assert not PLACEHOLDER.search(fill_in(part, runs))
    assert any("\u4e00" <= letter <= "\u9fff" for letter in texts[1].method)
    assert not any("\u4e00" <= letter <= "\u9fff" for letter in texts[0].picture)


@every_claim
def test_it_has_a_verdict_with_a_reason_and_a_picture(experiment):
    result = run_experiment(experiment, Wanted("small"))
    assert result.verdict in get_args(Verdict)
    assert result.verdict in read_text(experiment, "en").why
    assert picture(result, "en").startswith(b"\x89PNG")


@every_claim
def test_its_file_is_found_by_its_id(experiment):
    path = Path(__file__).parent.parent.parent.joinpath(*experiment.module.split(".")).with_suffix(".py")
    assert path.name.startswith(f"{experiment.id.lower()}_")
    assert path.read_text(encoding="utf-8").startswith(f'"""{experiment.id}:')


def test_claims_stand_in_order():
    numbers = [int(name[1:]) for name in EXPERIMENTS]
    assert numbers == sorted(numbers)


def test_intervals():
    assert interval([2.0]).half == 0
    around = interval([1.0, 2.0, 3.0])
    assert (around.mean, around.half) == (2.0, pytest.approx(4.303 / 3**0.5, rel=1e-3))
    assert difference([2.0, 3.0], [1.0, 2.0]).mean == pytest.approx(1.0)
    assert difference([2.0, 3.0], [1.0, 2.0]).half == pytest.approx(0.0)


def test_what_was_measured_is_kept_as_long_as_the_code_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path))
    calls = []
    first = EXPERIMENTS["L1"]

    def measure(seeds, at):
        calls.append(seeds)
        return first.measure(seeds, at)

    measure.__module__ = first.module
    counted = replace(first, measure=measure)
    assert run_experiment(counted, Wanted("small")).runs == run_experiment(counted, Wanted("small")).runs
    assert len(calls) == 1
    run_experiment(counted, Wanted("small", fresh=True))
    monkeypatch.setattr("attendo.lab.run.code_hash", lambda *module: "another")
    run_experiment(counted, Wanted("small"))
    assert len(calls) == 3


def test_the_report_has_a_page_for_each_claim_in_both_languages(tmp_path):
    results = [run_experiment(EXPERIMENTS[name], Wanted("small")) for name in ("L1", "L38")]
    write_report(tmp_path, results)
    for language in ("en", "zh"):
        front = (tmp_path / language / "README.md").read_text(encoding="utf-8")
        assert "[L1](L1.md)" in front
        page = (tmp_path / language / "L1.md").read_text(encoding="utf-8")
        assert "def measure" in page
        assert f"../figures/L1.{language}.png" in page
        assert (tmp_path / "figures" / f"L1.{language}.png").read_bytes().startswith(b"\x89PNG")


def test_the_whole_report_has_errata_and_a_sheet(tmp_path):
    results = [run_experiment(EXPERIMENTS[name], Wanted("small")) for name in ("L1", "L6")]
    write_report(tmp_path, results, whole=True)
    for language, title in (("en", "2 sentences"), ("zh", "2 句话")):
        page = (tmp_path / language / "sheet.html").read_text(encoding="utf-8")
        assert title in page
        assert "<b>L6</b>" in page
        assert "size: A4" in page
        for beside in ("errata.md", "other-sentences.md"):
            assert (tmp_path / language / beside).read_text(encoding="utf-8").startswith("# ")
            assert f"({beside})" in (tmp_path / language / "README.md").read_text(encoding="utf-8")


def test_the_command(capsys):
    assert run(["lab", "run", "L38", "--json"], debug=False) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert one.keys() == {
        "id", "claim", "source", "verdict", "finding", "why", "rows", "numbers", "steps", "seeds", "seconds", "knobs",
        "stored",
    }  # fmt: skip
    assert (one["id"], one["verdict"], one["seeds"]) == ("L38", "holds", [1])
    assert one["numbers"]["y1"] == [pytest.approx(0.8788782427321509, abs=1e-15)]
    assert run(["lab", "list", "--lang", "zh"], debug=False) == 0
    assert "L38" in capsys.readouterr().out
    assert run(["lab", "run", "L99"], debug=False) == 2
    assert run(["lab", "run"], debug=False) == 2
    assert run(["lab", "run", "L1", "--quick", "--full"], debug=False) == 2


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("注意力\n也有代价。\n见下", "注意力也有代价。见下"),
        ("只有\n0.583，\n而 Adam\n的 $y_3$\n是", "只有 0.583，而 Adam 的 $y_3$ 是"),
        ("测量：\n\n- 长度；\n- 质量：\n  比特数", "测量：\n\n- 长度；\n- 质量：比特数"),
        ("说明\n| 甲 | 乙 |\n|---|---|\n| 1 | 2 |", "说明\n| 甲 | 乙 |\n|---|---|\n| 1 | 2 |"),
        ("the row of\n早 is 0.4,\nand", "the row of 早 is 0.4,\nand"),
    ],
)
def test_a_line_break_in_chinese_is_no_space_but_beside_latin(lines, expected):
    assert one_line_each(lines) == expected


def test_the_ends_of_a_curve_are_means_over_seeds():
    assert ends([[1.0, 5.0, 2.0], [3.0, 7.0, 6.0]]) == "2 … 4"
    assert ends([[], []]) == "–"


def test_a_knob_is_turned_and_the_claim_judged_again(capsys):
    command = ["lab", "run", "L6", "--set", "heads=1,4", "--set", "steps=3", "--json"]
    assert run(command, debug=False) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["steps"], one["numbers"]["heads"][0]) == (3, [1, 4])
    assert {"four_1", "four_4"} <= one["numbers"].keys()
    assert "four_8" not in one["numbers"]
    assert (one["knobs"], one["why"]) == ({"heads": "1,4", "steps": "3"}, "")
    assert "1 against 4 heads" in one["rows"][0][0]
    assert len(one["rows"]) == 6


@pytest.mark.parametrize(
    ("knob", "message"),
    [
        ("step=3", "there is no knob 'step' here; the knobs are: steps (2 … 100,000), heads (1 … 32)"),
        ("heads=0", "heads=0 cannot be: expected whole numbers with commas between them, 1 to 32"),
        ("steps=1,2", "steps=1,2 cannot be: expected one whole number, 2 to 100000"),
        ("steps=many", "steps=many cannot be"),
        ("steps=", "--set steps=: expected a knob and its value, such as steps=1500"),
        ("steps", "--set steps: expected a knob and its value"),
        ("heads=9", "heads=9 cannot be: d_model = 32 cannot be split over num_heads = 9"),
        ("steps=5 --set steps=6", "--set names steps twice"),
        ("positions=2 L15", "claim L6: there is no knob 'positions' here; the knobs are: steps (2"),
    ],
)
def test_a_wrong_knob_is_one_line_that_names_the_right_ones(knob, message, capsys):
    assert run(["lab", "run", "L6", "--set", *knob.split()], debug=False) == 2
    caught = capsys.readouterr()
    assert message in caught.err
    assert caught.err.count("\n") == 1


def test_each_knob_is_there_for_every_size_and_within_its_range():
    for experiment in EXPERIMENTS.values():
        for knob in experiment.knobs:
            for value in knob.values.values():
                text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
                assert knob.read(text) == value


def in_new_form(experiment):
    """Claims whose words have not got the new form yet are told by that."""
    return bool(experiment.knobs)


@pytest.mark.parametrize("experiment", list(filter(in_new_form, EXPERIMENTS.values())), ids=lambda one: one.id)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_words_are_whole(experiment, language):
    """Quote, a few labelled numbers, a finding for every verdict, questions, and what each knob means."""
    text = read_text(experiment, language)
    assert text.quotes
    assert 3 <= len(text.rows) <= 6
    longest = 60 if language == "en" else 24
    for verdict, reason in text.why.items():
        assert 0 < len(reason.finding) <= longest, (verdict, reason.finding)
        assert reason.text
    assert 2 <= len(re.findall(r"^\d\. ", text.predict, re.MULTILINE)) <= 3
    assert list(text.knobs) == [knob.name for knob in experiment.knobs]
    assert all(text.knobs.values())


def test_both_languages_have_the_same_numbers():
    for experiment in EXPERIMENTS.values():
        values = [[value for _, value in read_text(experiment, language).rows] for language in ("en", "zh")]
        names = [[PLACEHOLDER.findall(value) for value in rows] for rows in values]
        assert names[0] == names[1]
