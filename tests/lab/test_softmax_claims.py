"""L1 to L3 and L38: the numbers, and rules that can say no."""

import pytest

from tests.lab.planted import verdict


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))


def test_l1():
    assert verdict("L1") == "holds"
    assert verdict("L1", y3_at_10=0.9999) == "does not hold"


def test_l38():
    assert verdict("L38") == "holds"
    assert verdict("L38", y2=0.15) == "does not hold"
