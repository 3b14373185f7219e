"""Model folders with something wrong in them, for both engines: refused in a sentence, or run and answered alike."""

import pytest

import attendo.model_folder.checked_weights as checked_weights
from tests.model_folder.folder_fuzz import run_cases


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    (tmp_path / "folders").mkdir()
    return tmp_path / "folders"


def test_mutated_folders(scratch, evidence):
    results = run_cases(range(200), scratch)
    assert [result for result in results if result["wrong"]] == []
    accepted = sum("accepted" in result["outcomes"].values() for result in results)
    assert 20 < accepted < 180
    evidence("F4", "mutated model folders: signals, tracebacks, hangs, of both engines", f"0 of {len(results)}")
    evidence(
        "F4", "mutated model folders accepted though their shapes differ from the configuration", f"0 of {accepted}"
    )
    evidence("F4", "mutated model folders that both engines run and answer differently in float32", f"0 of {accepted}")


def test_it_would_be_noticed(scratch, monkeypatch):
    """The guard of the guard: without the check of shapes, engines fail or say what the folder does not hold."""
    monkeypatch.setattr(checked_weights, "check_weights", lambda *_: None)
    monkeypatch.setattr(checked_weights, "check_no_overflow", lambda *_: None)
    results = run_cases(range(40), scratch)
    assert sum(bool(result["wrong"]) for result in results) >= 5
