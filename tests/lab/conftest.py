"""A cache for the lab's tests alone: every claim is measured once, however many tests look at it."""

import pytest


@pytest.fixture(scope="session")
def lab_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("lab-cache")


@pytest.fixture(autouse=True)
def own_cache(lab_cache, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(lab_cache))
