"""Recipes in tests leave nothing outside their own folder."""

import pytest


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ATTENDO_DATA", str(tmp_path / "data"))
