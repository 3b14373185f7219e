"""Writing that fails, on a full disk, over what is there, beside others who write: what was there stays whole."""

import errno
import os
import resource
import stat
import threading

import pytest

from attendo.errors import WriteError
from attendo.files.durable import UNFINISHED, mark, new_folder, sweep, write_file
from tests.files.crashes import (
    NEW,
    NEW_FOLDER,
    OLD,
    OLD_FOLDER,
    can_exchange,
    content,
    fill,
    names,
    remove,
)
from tests.forked import end_of, forked


def test_a_name_that_is_taken_stays_as_it_is(tmp_path):
    path = tmp_path / "folder"
    fill(path, b"old")
    with pytest.raises(FileExistsError):
        fill(path, b"new")
    assert content(path) == OLD_FOLDER
    assert names(tmp_path) == ["folder"]


def test_an_empty_folder_is_taken_too_unless_it_may_be_replaced(tmp_path):
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(FileExistsError):
        fill(path, b"new")
    fill(path, b"new", replace=True)
    assert content(path) == NEW_FOLDER


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), MemoryError()])
@pytest.mark.parametrize("replace", [False, True])
def test_a_block_that_fails_leaves_nothing(tmp_path, error, replace):
    path = tmp_path / "folder"
    if replace:
        fill(path, b"old")

    def fail():
        with new_folder(path, replace=replace) as folder:
            (folder / "a").write_bytes(b"half")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert content(path) == (OLD_FOLDER if replace else None)
    assert len(names(tmp_path)) == int(replace)


def test_an_error_inside_names_the_folder_as_people_know_it(tmp_path):
    def fail():
        with new_folder(tmp_path / "folder") as folder:
            raise WriteError(f"cannot write {folder / 'weights'}: No space left on device")

    with pytest.raises(WriteError, match=f"cannot write {tmp_path}/folder/weights: No space left"):
        fail()


@pytest.mark.parametrize("call", ["fsync", "rename", "mkdir", "chmod"])
def test_a_full_disk_is_one_sentence_with_what_is_needed(tmp_path, monkeypatch, call):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(WriteError, match=r"folder: No space left on device \(123,456 bytes needed, [\d,]+ free\)"):
        fill(tmp_path / "folder", b"new", needs=123_456, shared=True)
    assert names(tmp_path) == []


@pytest.mark.parametrize("call", ["fsync", "replace", "open", "chmod"])
def test_a_file_on_a_full_disk_stays_what_it_was(tmp_path, monkeypatch, call):
    path = tmp_path / "file"
    path.write_bytes(OLD)

    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(WriteError, match=r"cannot write .*file: No space left on device"):
            write_file(path, NEW)
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("room", [0, 1, 4096, 7999])
def test_a_write_that_the_system_cuts_off(tmp_path, room):
    """A real one: files of this process may not grow beyond `room` bytes."""
    path = tmp_path / "file"
    path.write_bytes(OLD)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        with pytest.raises(WriteError, match="File too large"):
            write_file(path, NEW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == OLD
    assert names(tmp_path) == ["file"]


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    for parent in ("nothing", "file"):
        with pytest.raises(WriteError, match="cannot write"):
            write_file(tmp_path / parent / "x", NEW)
        with pytest.raises(WriteError, match="cannot write"):
            fill(tmp_path / parent / "x", b"new")


@pytest.mark.parametrize(("mask", "folder_mode", "file_mode"), [(0o022, 0o755, 0o644), (0o077, 0o700, 0o600)])
def test_who_may_read(tmp_path, mask, folder_mode, file_mode):
    def mode(path):
        return stat.S_IMODE(path.stat().st_mode)

    before = os.umask(mask)
    try:
        fill(tmp_path / "ours", b"new")
        with new_folder(tmp_path / "shared", shared=True) as folder:
            (folder / "a").touch(0o600)
        write_file(tmp_path / "file", NEW)
    finally:
        os.umask(before)
    assert mode(tmp_path / "ours") == 0o700
    assert mode(tmp_path / "shared") == folder_mode
    assert mode(tmp_path / "shared" / "a") == file_mode
    assert mode(tmp_path / "file") == file_mode


def test_two_who_write_one_folder(tmp_path):
    """Exactly one wins, and what it wrote is whole."""
    path, lost = tmp_path / "folder", 3

    def write(text):
        try:
            fill(path, text)
        except FileExistsError:
            os._exit(lost)

    for _ in range(12):
        processes = [forked(lambda text=text: write(text)) for text in (b"old", b"new")]
        assert sorted(end_of(process) for process in processes) == [0, lost]
        assert content(path) in (OLD_FOLDER, NEW_FOLDER)
        assert names(tmp_path) == ["folder"]
        remove(path)


def test_two_who_replace_one_folder(tmp_path):
    """Both end well, and whoever looks meanwhile never finds it missing."""
    path = tmp_path / "folder"
    if not can_exchange(tmp_path):
        pytest.skip("this file system cannot exchange two folders")

    def write(text):
        for _ in range(20):
            fill(path, text, replace=True)

    fill(path, b"old")
    processes = [forked(lambda text=text: write(text)) for text in (b"old", b"new")]
    assert all(path.exists() for _ in range(5000))
    assert [end_of(process) for process in processes] == [0, 0]
    assert content(path) in (OLD_FOLDER, NEW_FOLDER)
    assert names(tmp_path) == ["folder"]


def test_a_reader_beside_a_writer_sees_whole_files(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(OLD)

    def write():
        for number in range(40):
            write_file(path, NEW if number % 2 else OLD)

    process = forked(write)
    seen = [path.read_bytes() for _ in range(1000)]
    assert end_of(process) == 0
    assert set(seen) <= {OLD, NEW}


def test_the_sweep_leaves_alone_who_is_still_writing(tmp_path):
    ended = forked(lambda: None)
    end_of(ended)
    of_the_dead = tmp_path / f"{mark()}{ended}-abc"
    of_the_living = tmp_path / f"{mark()}{os.getpid()}-abc"
    of_another_machine = tmp_path / f"{UNFINISHED}00000000-{ended}-abc"
    ours = tmp_path / "model"
    for path in (of_the_dead, of_the_living, of_another_machine, ours):
        path.mkdir()
        (path / "x").touch()
    assert sweep(tmp_path) == [of_the_dead]
    assert of_the_living.exists()
    assert of_another_machine.exists()
    assert set(sweep(tmp_path, ours_alone=True)) == {of_the_living, of_another_machine}
    assert names(tmp_path) == ["model"]


def test_the_sweep_goes_on_where_it_may_not_delete(tmp_path, monkeypatch):
    ended = forked(lambda: None)
    end_of(ended)
    for name in ("abc", "xyz"):
        (tmp_path / f"{mark()}{ended}-{name}").touch()

    def forbidden(path, *arguments, **options):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "unlink", forbidden)
    assert sweep(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_what_is_no_file_is_written_into_and_not_replaced(tmp_path):
    """As root, `--report /dev/null` would be the end of /dev/null."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_file(pipe, b"a report")
    reader.join(timeout=30)
    assert pipe.is_fifo()
    assert read == [b"a report"]
