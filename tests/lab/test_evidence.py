"""Stored evidence: written by --full --store, read by --quick, checked, and marked as what it is. All files planted."""

import json
from dataclasses import replace

import pytest
import torch

from attendo.cli.lab_claims import warn_without_gpu
from attendo.cli.main import run
from attendo.errors import InputError
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.knobs import settings_of
from attendo.lab.report import write_report
from attendo.lab.run import Wanted, code_behind, from_stored, measured, run_all, run_experiment, wants_gpu
from attendo.lab.tools.evidence import FOLDER, Evidence, read_evidence, write_evidence
from attendo.report.language import in_language

L29 = EXPERIMENTS["L29"]
SHA = "0123456789abcdef" * 4


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("attendo.lab.tools.evidence.FOLDER", tmp_path / "evidence")
    monkeypatch.setattr("attendo.lab.index.PATH", tmp_path / "index.json")
    return tmp_path / "evidence"


def full_code():
    return code_behind(L29, settings_of(L29.knobs, "full"))


@pytest.fixture
def evidence():
    found = measured(L29, Wanted("small"))
    return replace(
        found, code=full_code(), size="full", machine="NVIDIA H200", date="2026-11-15", data={"multi30k.tsv": SHA}
    )


@pytest.fixture
def path(folder, evidence):
    write_evidence(folder / "L29.json", evidence)
    return folder / "L29.json"


def changed(path, **changes):
    table = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**table, **changes}), encoding="utf-8")


def refused(arguments, capsys):
    """The one line on stderr that an error of the user's makes."""
    code = run(arguments, debug=False)
    item_signal = capsys.readouterr()
    assert (code, item_signal.out) in {(1, ""), (2, "")}
    line, end = item_signal.err.split("\n")
    assert end == ""
    return line


def test_what_is_written_is_read(path, evidence):
    assert read_evidence(path) == evidence


def test_quick_judges_what_is_stored_and_measures_nothing(path, evidence, monkeypatch):
    def never(seeds, at):
        raise AssertionError("measured")

    never.__module__ = L29.module
    experiment = replace(L29, measure=never)
    result = run_experiment(experiment, Wanted("quick"))
    assert (result.stored, result.stale, result.runs) == (True, False, evidence.runs)
    assert result.verdict == L29.judge(evidence.runs)
    with pytest.raises(AssertionError):
        run_experiment(experiment, Wanted("full", fresh=True))


def test_steps_are_the_mean_where_seeds_have_other_batches(path, evidence):
    runs = [{**run, "steps": steps} for run, steps in zip(evidence.runs, (5_840.0, 5_760.0), strict=True)]
    changed(path, runs=runs)
    assert from_stored(L29).steps == 5_800


def test_it_is_stale_when_the_code_is_another(path):
    changed(path, code="0" * 16)
    assert from_stored(L29).stale
    changed(path, code=full_code())
    assert not from_stored(L29).stale


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"runs": "many"}, "expected a list of objects"),
        ({"runs": [{"bleu": float("nan")}, {"bleu": 1.0}]}, "bleu in a run is nan"),
        ({"runs": [{"bleu": True}, {"bleu": 1.0}]}, "bleu in a run is True"),
        ({"runs": [{"bleu": 1.0}, {"chrf": 1.0}]}, "different names"),
        ({"runs": [{"bleu": 1.0}]}, "1 runs of 2 seeds"),
        ({"runs": [], "seeds": []}, "0 runs of 0 seeds"),
        ({"seconds": "long"}, "seconds"),
        ({"size": "huge"}, "size"),
        ({"data": {"file": "no hash"}}, "sha256"),
        ({"data": [1]}, "sha256"),
        ({"data": None}, "does not say from which data"),
        ({"weather": "fine"}, "unknown key 'weather'"),
        ({"claim": "L31"}, "evidence for L31"),
        ({"size": "small"}, "size small"),
        ({"runs": [{"bleu": 1.0}] * 2}, "does not fit the experiment of today"),
        ({"runs": [{}, {}]}, "does not fit the experiment of today"),
    ],
)
def test_a_file_that_is_not_right_is_refused_in_one_line(path, changes, message, capsys):
    changed(path, **changes)
    line = refused(["lab", "run", "L29"], capsys)
    assert message in line
    assert "L29.json" in line


@pytest.mark.parametrize("content", ["", "[]", "{", "null", '{"runs": 1}'])
def test_so_is_one_that_is_none(path, content, capsys):
    path.write_text(content, encoding="utf-8")
    assert "L29.json" in refused(["lab", "run", "L29"], capsys)


def test_numbers_of_another_kind_do_not_fit(path):
    table = json.loads(path.read_text(encoding="utf-8"))
    for one in table["runs"]:
        one["larger_bleus_lstm"] = 3.0
    changed(path, runs=table["runs"])
    with pytest.raises(InputError, match="does not fit"):
        from_stored(L29)


def test_a_claim_without_evidence_is_an_error_by_name_and_left_out_of_all(folder, monkeypatch, capsys):
    assert "no stored evidence yet: attendo lab run L29 --full --store" in refused(["lab", "run", "L29"], capsys)
    monkeypatch.setattr("attendo.lab.claims.EXPERIMENTS", {name: EXPERIMENTS[name] for name in ("L29", "L38")})
    assert run(["lab", "run", "--all", "--json"], debug=False) == 0
    item_signal = capsys.readouterr()
    assert [one["id"] for one in json.loads(item_signal.out)] == ["L38"]
    assert "L29 is left out: it has no stored evidence yet; attendo lab run L29 --full --store" in item_signal.err


def test_the_command_says_that_it_is_stored(path, capsys):
    assert run(["lab", "run", "L29", "L38", "--workers", "2", "--json"], debug=False) == 0
    item_signal = capsys.readouterr()
    stored, measured_now = (one["stored"] for one in json.loads(item_signal.out))
    code = full_code()
    data = {"multi30k.tsv": SHA}
    assert stored == {
        "changed": False,
        "stale": False,
        "code": code,
        "machine": "NVIDIA H200",
        "date": "2026-11-15",
        "data": data,
    }
    assert measured_now is None
    assert "(stored)" in item_signal.err
    changed(path, code="0" * 16)
    assert run(["lab", "run", "L29"], debug=False) == 0
    item_signal = capsys.readouterr()
    assert "stored evidence of 2026-11-15, NVIDIA H200, code 0000000000000000; stale" in item_signal.out
    assert "(stored, stale)" in item_signal.err


def test_the_page_says_so_in_both_languages(path, tmp_path):
    changed(path, code="0" * 16, seconds=530.25)
    write_report(tmp_path / "lab", run_all([L29, EXPERIMENTS["L38"]], Wanted(), workers=1))
    steps = run_experiment(L29, Wanted()).steps
    beside = {"en": f"{steps:,} steps, 2 seeds, 530.2 s", "zh": f"训练 {steps:,} 步，2 个随机种子，用时 530.2 秒"}
    for language, words, stale in (("en", "Stored evidence", "Stale"), ("zh", "存档数据", "已过时")):
        page = (tmp_path / "lab" / language / "L29.md").read_text(encoding="utf-8")
        assert beside[language] in page
        for part in (words, stale, "`0000000000000000`", "2026-11-15", "NVIDIA H200", "multi30k.tsv", "--full --store"):
            assert part in page
        assert words not in (tmp_path / "lab" / language / "L38.md").read_text(encoding="utf-8")
        assert words.split()[0] in (tmp_path / "lab" / language / "README.md").read_text(encoding="utf-8").replace(
            "stored", "Stored"
        )


def test_full_with_store_keeps_it_where_quick_finds_it(folder, monkeypatch, capsys):
    def small(seeds, at):
        return L29.measure(seeds, settings_of(L29.knobs, "small"))

    small.__module__ = L29.module
    monkeypatch.setattr("attendo.lab.claims.EXPERIMENTS", {"L29": replace(L29, measure=small, seeds={"full": 2})})
    monkeypatch.setattr("attendo.lab.run.data_hashes", lambda names: {"multi30k.tsv": SHA})
    assert run(["lab", "run", "L29", "--full"], debug=False) == 0
    assert not folder.exists()
    assert run(["lab", "run", "L29", "--full", "--store"], debug=False) == 0
    item_signal = capsys.readouterr()
    assert ("L29: there is no GPU here" in item_signal.err) != torch.cuda.is_available()
    assert f"wrote {folder / 'L29.json'}" in item_signal.err
    kept = read_evidence(folder / "L29.json")
    assert isinstance(kept, Evidence)
    assert (kept.claim, kept.size, kept.seeds, kept.data) == ("L29", "full", (1, 2), {"multi30k.tsv": SHA})
    assert kept.code == full_code()
    result = run_experiment(L29, Wanted())
    assert (result.stored, result.stale) == (True, False)


def test_only_real_models_want_a_gpu_and_only_of_them_users_are_warned(monkeypatch, capsys):
    wanting = [one.id for one in EXPERIMENTS.values() if wants_gpu(one)]
    assert wanting == ["L7", "L29", "L31", "L33"]
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    warn_without_gpu([EXPERIMENTS[name] for name in ("L6", "L37", "L49", "L74")], in_language("en"))
    assert capsys.readouterr().err == ""
    warn_without_gpu([EXPERIMENTS["L37"], L29], in_language("en"))
    assert capsys.readouterr().err.startswith("L29: there is no GPU here")


def test_store_is_for_real_models_and_tuned_ones_and_for_full(capsys):
    assert "--full" in refused(["lab", "run", "L29", "--store"], capsys)
    assert "L38" in refused(["lab", "run", "L38", "--full", "--store"], capsys)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("L*.json")), ids=lambda path: path.stem)
def test_what_is_stored_in_the_package_can_be_judged_and_drawn(path):
    assert from_stored(EXPERIMENTS[path.stem]).stored
