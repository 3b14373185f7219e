"""10,000 model folders with something wrong in them, for both engines."""

import pytest

from tests.model_folder.folder_fuzz import run_cases

SEEDS = range(1_000_000, 1_010_000)


@pytest.mark.slow
def test_mutated_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    (tmp_path / "folders").mkdir()
    results = run_cases(SEEDS, tmp_path / "folders")
    assert [result for result in results if result["wrong"]] == []
    accepted = sum("accepted" in result["outcomes"].values() for result in results)
    assert 2_000 < accepted < 5_000
