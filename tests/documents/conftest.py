"""What the tests of resumed runs share; other tests here have a model of their own."""

import pytest

from tests.documents.resumed_run import LINES, TEXT, go
from tests.translation.fake_engine import write_fake_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("resumed") / "model")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    (tmp_path / "in.txt").write_bytes(TEXT)
    return tmp_path / "in.txt", tmp_path / "out.txt"


@pytest.fixture(scope="module")
def whole(model, tmp_path_factory):
    """The bytes, the ledger and the remarks of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "in.txt").write_bytes(TEXT)
    account, watch = go(model, folder / "in.txt", folder / "out.txt")
    out = (folder / "out.txt").read_bytes()
    assert out.count(b"\n") == LINES - 1
    assert account.ledger.adds_up
    assert account.ledger.repaired > 10
    return out, account.ledger, watch.warnings
