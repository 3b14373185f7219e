"""Where the cache is, by the environment; and one sentence where it cannot be."""

from pathlib import Path

import pytest

from attendo.errors import WriteError
from attendo.files.cache_folder import cache_folder


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ATTENDO_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return tmp_path


def test_the_first_that_is_named_is_taken(home, monkeypatch):
    assert cache_folder() == home / ".cache" / "attendo"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "shared"))
    assert cache_folder() == home / "shared" / "attendo"
    monkeypatch.setenv("ATTENDO_CACHE", str(home / "own"))
    assert cache_folder() == home / "own"
    assert all((home / name).is_dir() for name in (".cache/attendo", "shared/attendo", "own"))


def test_empty_and_relative_names(home, monkeypatch):
    monkeypatch.chdir(home)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("ATTENDO_CACHE", "")
    assert cache_folder() == home / ".cache" / "attendo"
    monkeypatch.setenv("ATTENDO_CACHE", "here")
    assert cache_folder() == home / "here"


def test_a_place_that_cannot_be_is_one_sentence(home, monkeypatch):
    (home / "file").write_text("")
    monkeypatch.setenv("ATTENDO_CACHE", str(home / "file" / "cache"))
    with pytest.raises(WriteError, match=r"cannot make the cache folder .*file/cache: Not a directory; set ATTENDO_C"):
        cache_folder()
    monkeypatch.delenv("ATTENDO_CACHE")

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(WriteError, match="set ATTENDO_CACHE"):
        cache_folder()
