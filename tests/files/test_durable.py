"""Files and folders that are there whole or not at all: a crash at every call, a full disk, two writers at once."""

import errno
import os
from itertools import count

import pytest

from attendo.errors import WriteError
from attendo.files.durable import UNFINISHED, sweep, write_file
from tests.files.crashes import (
    NEW,
    NEW_FOLDER,
    OLD,
    OLD_FOLDER,
    can_exchange,
    content,
    crash_at_every_call,
    fill,
    lay_anew,
    names,
    remove,
)


@pytest.mark.parametrize("before", [None, OLD])
def test_a_file_is_old_or_new_wherever_the_process_dies(tmp_path, before, evidence):
    path = tmp_path / "file"
    seen = []

    def look(done):
        now = path.read_bytes() if path.exists() else None
        assert now in ((NEW,) if done else (before, NEW))
        seen.append(now)
        sweep(tmp_path)
        assert names(tmp_path) in ([], ["file"])
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)

    if before is not None:
        path.write_bytes(before)
    deaths = crash_at_every_call(lambda: write_file(path, NEW), look)
    assert deaths > 8
    assert seen.count(before) > 6
    assert seen.count(NEW) > 1
    evidence(
        "T2",
        f"deaths in writing a file over {'nothing' if before is None else 'another'}: parts seen",
        f"0 of {deaths}",
    )


def test_a_new_folder_is_there_whole_or_not_at_all(tmp_path, evidence):
    path = tmp_path / "folder"

    def look(done):
        now = content(path)
        assert now in ((NEW_FOLDER,) if done else (None, NEW_FOLDER))
        sweep(tmp_path)
        assert names(tmp_path) in ([], ["folder"])
        remove(path)

    deaths = crash_at_every_call(lambda: fill(path, b"new"), look)
    assert deaths > 12
    evidence("T2", "deaths in writing a folder: half folders seen", f"0 of {deaths}")


def test_a_folder_that_is_replaced_is_old_or_new(tmp_path, evidence):
    path = tmp_path / "folder"
    if not can_exchange(tmp_path):
        pytest.skip("this file system cannot exchange two folders")
    seen = []

    def look(done):
        now = content(path)
        assert now in ((NEW_FOLDER,) if done else (OLD_FOLDER, NEW_FOLDER))
        seen.append(now)
        sweep(tmp_path)
        assert names(tmp_path) == ["folder"]
        lay_anew(path, b"old")

    lay_anew(path, b"old")
    deaths = crash_at_every_call(lambda: fill(path, b"new", replace=True, shared=True), look)
    assert seen.count(OLD_FOLDER) > 12
    assert seen.count(NEW_FOLDER) > 4
    evidence("T2", "deaths in replacing a folder: neither the old nor the new there", f"0 of {deaths}")


def test_without_an_exchange_nothing_is_lost(tmp_path, monkeypatch):
    """Two renames have a moment between them; the old folder is then beside, and no sweep takes it."""
    monkeypatch.setattr("attendo.files.durable.exchange", lambda one, other: False)
    path, moments = tmp_path / "folder", []

    def look(done):
        now = content(path)
        beside = [content(folder) for folder in tmp_path.glob("folder.old-*")]
        assert now in (OLD_FOLDER, NEW_FOLDER) or (now is None and beside == [OLD_FOLDER])
        moments.append(now is None)
        sweep(tmp_path)
        assert not [name for name in names(tmp_path) if name.startswith(UNFINISHED)]
        for folder in tmp_path.iterdir():
            remove(folder)
        lay_anew(path, b"old")

    lay_anew(path, b"old")
    crash_at_every_call(lambda: fill(path, b"new", replace=True), look)
    assert sum(moments) == 1


def test_without_an_exchange_a_failure_puts_the_old_back(tmp_path, monkeypatch):
    monkeypatch.setattr("attendo.files.durable.exchange", lambda one, other: False)
    path = tmp_path / "folder"
    fill(path, b"old")
    rename, renames = os.rename, count(1)

    def third_fails(*arguments):
        if next(renames) == 3:  # the first finds the name taken, the second moves the old away
            raise OSError(errno.EIO, "Input/output error")
        rename(*arguments)

    monkeypatch.setattr(os, "rename", third_fails)
    with pytest.raises(WriteError, match="Input/output error"):
        fill(path, b"new", replace=True)
    assert content(path) == OLD_FOLDER
    assert names(tmp_path) == ["folder"]
