"""The frame of the lab: texts, cache, verdicts, pages; and for every claim that its rule can give both answers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from attendo.cli.main import run
from attendo.lab.claim import Verdict
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.report import ends, picture, write_report
from attendo.lab.run import run_experiment
from attendo.lab.tools.evidence import code_hash, reached_modules
from attendo.lab.tools.measuring import difference, interval
from attendo.lab.tools.texts import PLACEHOLDER, fill_in, one_line_each, read_text

every_claim = pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)


@every_claim
def test_texts_are_whole_and_name_numbers_that_are_there(experiment):
    runs = run_experiment(experiment, "small").runs
    texts = [read_text(experiment, language) for language in ("en", "zh")]
    assert texts[0].why.keys() == texts[1].why.keys()
    for text in texts:
        for part in (text.method, text.picture, *text.why.values()):
            assert not PLACEHOLDER.search(fill_in(part, runs))
    assert any("\u4e00" <= letter <= "\u9fff" for letter in texts[1].method)
    assert not any("\u4e00" <= letter <= "\u9fff" for letter in texts[0].picture)


@every_claim
def test_it_has_a_verdict_with_a_reason_and_a_picture(experiment):
    result = run_experiment(experiment, "small")
    assert result.verdict in get_args(Verdict)
    assert result.verdict in read_text(experiment, "en").why
    assert picture(result, lambda english, chinese: english).startswith(b"\x89PNG")


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

    def measure(seeds, size):
        calls.append(seeds)
        return first.measure(seeds, size)

    measure.__module__ = first.module
    counted = replace(first, measure=measure)
    assert run_experiment(counted, "small").runs == run_experiment(counted, "small").runs
    assert len(calls) == 1
    run_experiment(counted, "small", fresh=True)
    monkeypatch.setattr("attendo.lab.run.code_hash", lambda *module: "another")
    run_experiment(counted, "small")
    assert len(calls) == 3


def test_the_hash_reaches_what_an_experiment_uses():
    names = reached_modules(EXPERIMENTS["L1"].module)
    assert {"attendo.lab.claim", "attendo.lab.tools.chart", "attendo.report.fonts"} <= names
    assert len(code_hash(EXPERIMENTS["L1"].module)) == 16
    assert code_hash("attendo.lab.claim") != code_hash("attendo.lab.tools.chart")


def test_what_is_measured_of_the_pages_is_measured_again_when_they_change(tmp_path, monkeypatch):
    monkeypatch.setattr("attendo.lab.tools.evidence.PAGES", tmp_path)
    before = [code_hash(EXPERIMENTS[name].module) for name in ("L37", "L1")]
    (tmp_path / "page.zh.md").write_text("又一页", encoding="utf-8")
    after = [code_hash(EXPERIMENTS[name].module) for name in ("L37", "L1")]
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_the_report_has_a_page_for_each_claim_in_both_languages(tmp_path):
    results = [run_experiment(EXPERIMENTS[name], "small") for name in ("L1", "L38")]
    write_report(tmp_path, results)
    for language in ("en", "zh"):
        front = (tmp_path / language / "README.md").read_text(encoding="utf-8")
        assert "[L1](L1.md)" in front
        page = (tmp_path / language / "L1.md").read_text(encoding="utf-8")
        assert "def measure" in page
        assert f"../figures/L1.{language}.png" in page
        assert (tmp_path / "figures" / f"L1.{language}.png").read_bytes().startswith(b"\x89PNG")


def test_the_command(capsys):
    assert run(["lab", "run", "L38", "--json"], debug=False) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert one.keys() == {"id", "claim", "source", "verdict", "why", "numbers", "seeds", "seconds", "stored"}
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
