"""Files and folders that are there whole or not at all: a crash at every call, a full disk, two writers at once."""

import errno
import os
import resource
import stat
import threading
from itertools import count

import pytest

from attendo.errors import WriteError
from attendo.files.durable import UNFINISHED, exchange, mark, new_folder, sweep, write_file
from tests.forked import end_of, forked

CALLS = (
    "open", "close", "mkdir", "fsync", "chmod", "replace", "rename", "unlink", "rmdir", "umask", "fdopen", "scandir",
)  # fmt: skip
CRASHED = 9


class InPieces:
    """A file whose every write reaches the disk in two halves."""

    def __init__(self, file, tick):
        self.file, self.tick = file, tick

    def write(self, data):
        middle = len(data) // 2
        for piece in (data[:middle], data[middle:]):
            self.file.write(piece)
            self.file.flush()
            self.tick()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()


def crash_at_every_call(work, look, *, most=200):
    """`work` in a process that dies at its first call of the system, then at its second, until it is done.

    `look` sees what each leaves behind. How many deaths there were.
    """
    for place in count():
        assert place < most

        def run(place=place):
            calls = count()

            def tick():
                if next(calls) == place:
                    os._exit(CRASHED)

            def watched(call):
                def first_tick(*arguments, **options):
                    tick()
                    result = call(*arguments, **options)
                    return InPieces(result, tick) if call is fdopen else result

                return first_tick

            fdopen = os.fdopen
            os.fsync = lambda descriptor: None  # what it is for, only a power cut would show
            for name in CALLS:
                setattr(os, name, watched(getattr(os, name)))
            work()

        code = end_of(forked(run))
        assert code in (0, CRASHED)
        look(code == 0)
        if code == 0:
            return place
    return 0


def names(folder):
    return sorted(path.name for path in folder.iterdir())


OLD, NEW = b"old " * 1000, b"new " * 2000


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


def fill(path, text, **options):
    with new_folder(path, **options) as folder:
        lay(folder, text)


def lay(folder, text):
    """Two files, by calls that can be watched."""
    for name in ("a", "b"):
        with os.fdopen(os.open(folder / name, os.O_WRONLY | os.O_CREAT), "wb") as file:
            file.write(text * 100)


def lay_anew(folder, text):
    remove(folder)
    folder.mkdir()
    lay(folder, text)


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else None


OLD_FOLDER, NEW_FOLDER = (dict.fromkeys(("a", "b"), text * 100) for text in (b"old", b"new"))


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


def remove(folder):
    if folder.exists():
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


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


def can_exchange(folder):
    one, other = folder / "one", folder / "other"
    one.mkdir()
    other.mkdir()
    (one / "x").touch()
    able = exchange(one, other)
    remove(one)
    remove(other)
    return able


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
