"""A file's translation starved of room, or beside files and runs of others: nothing of either is lost."""

import errno
import os
import resource
import signal
import time

import pytest

from attendo.documents import durable_output as resumed
from attendo.errors import InputError, WriteError
from tests.documents.resumed_run import beside, go, stopped
from tests.forked import end_of, forked
from tests.translation.fake_engine import FakeEngine, backwards


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk_is_one_sentence_and_can_be_gone_on_with(model, files, whole, monkeypatch, reason, evidence):
    source, target = files
    real, calls = resumed.force, 0

    def full(file):
        nonlocal calls
        calls += 1
        if calls == 12:
            raise OSError(reason, os.strerror(reason))
        real(file)

    monkeypatch.setattr(resumed, "force", full)
    with pytest.raises(WriteError) as error:
        go(model, source, target)
    assert str(error.value).startswith(f"cannot write {target}: {os.strerror(reason)}; ")
    assert str(error.value).endswith("lines are done: the same command with --resume continues after them")
    assert not target.exists()
    account, _ = go(model, source, target, resume=True)
    assert (target.read_bytes(), account.ledger) == whole[:2]
    evidence("X1", f"{errno.errorcode[reason]} in the middle of a translation", "one sentence; --resume ends identical")


def test_no_room_for_real(model, files, whole):
    """The operating system itself says no, in a process of its own."""
    source, target = files

    def little_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))
        with pytest.raises(WriteError, match="cannot write"):
            go(model, source, target)

    assert end_of(forked(little_room)) == 0
    assert not target.exists()
    go(model, source, target, resume=True)
    assert target.read_bytes() == whole[0]


def test_a_partial_file_that_was_shortened_is_refused(model, files):
    source, target = files
    stopped(model, source, target)
    os.truncate(target.with_name("out.txt.partial"), 10)
    with pytest.raises(InputError, match="shorter than its journal says"):
        go(model, source, target, resume=True)


@pytest.mark.parametrize("name", ["out.txt.partial", "out.txt.partial.jsonl"])
def test_files_of_others_are_not_overwritten(model, files, name):
    source, target = files
    target.with_name(name).write_bytes(b"mine\n")
    for resume in (False, True):
        with pytest.raises(InputError, match=f"{name} is in the way"):
            go(model, source, target, resume=resume)
    assert target.with_name(name).read_bytes() == b"mine\n"
    assert beside(target) == [name]


def test_a_journal_of_another_version_is_refused(model, files):
    source, target = files
    stopped(model, source, target)
    journal = target.with_name("out.txt.partial.jsonl")
    journal.write_bytes(journal.read_bytes().replace(b'"format": 3', b'"format": 1'))
    with pytest.raises(InputError, match="has format 1 and this version of attendo writes 3"):
        go(model, source, target, resume=True)


def test_two_runs_do_not_write_one_file(model, files, whole):
    source, target = files
    process = forked(lambda: go(model, source, target, engine=FakeEngine(backwards, seconds=0.005)))
    try:
        partial = target.with_name("out.txt.partial")
        while not partial.exists():
            time.sleep(0.005)
        with pytest.raises(InputError, match=r"another run is writing .*out\.txt"):
            go(model, source, target)
    finally:
        assert end_of(process) == 0
    assert target.read_bytes() == whole[0]
    assert beside(target) == []


def test_links_pipes_and_missing_folders(model, files, whole, tmp_path):
    source, target = files
    (tmp_path / "real").mkdir()
    target.symlink_to(tmp_path / "real" / "file.txt")
    go(model, source, target)
    assert target.is_symlink()
    assert (tmp_path / "real" / "file.txt").read_bytes() == whole[0]
    with pytest.raises(WriteError, match="cannot write"):
        go(model, source, tmp_path / "none" / "out.txt")
    os.mkfifo(tmp_path / "pipe")
    process = forked(lambda: go(model, source, tmp_path / "pipe"))
    assert (tmp_path / "pipe").read_bytes() == whole[0]
    assert end_of(process) == 0
    assert (tmp_path / "pipe").is_fifo()


def test_without_a_cache_only_the_memory_of_finished_files_is_lost(model, files, whole, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", "/dev/null/none")
    source, target = files
    go(model, source, target)
    assert target.read_bytes() == whole[0]
