"""A file that changes while it is read, and packed files of several members: nothing of them is lost without a word."""

import gzip
import io
import lzma
import os
import subprocess
import sys

import pytest
from backports import zstd

from attendo.data.lines import count_lines, ignore, open_bytes, read_lines
from attendo.documents.file_translation import FileTranslation
from attendo.errors import DataError
from attendo.files.whole_file import WholeFile
from tests.translation.fake_engine import FakeEngine, Listener, fake_translator, logged, write_fake_model

LINES = 600
TEXT = "".join(f"我爱机器学习 {n}\n" for n in range(LINES)).encode()
PACK = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstd.compress}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("whole") / "model")


# --- translated while somebody changes it


def cut(path):
    os.truncate(path, path.stat().st_size * 7 // 10)


def cut_and_filled(path):
    size = path.stat().st_size
    os.truncate(path, 10)
    os.truncate(path, size)


def rewritten(path):
    with path.open("r+b") as file:
        file.write("你".encode())


def emptied(path):
    path.write_bytes(b"")


CHANGES = {
    cut: "was cut short while it was read",
    emptied: "was cut short while it was read",
    cut_and_filled: "was changed while it was read",
    rewritten: "was changed while it was read",
}


def translated(model, source, target, change, **settings):
    """A run during whose first chunk the input is changed."""

    class Meanwhile(FakeEngine):
        def search(self, requests, options, *, attention=False):
            if not self.asked:
                change(source)
            return super().search(requests, options)

    work = FileTranslation(source=source, target=target, to="en", from_="zh", **settings)
    with work.opened() as stream, logged() as messages:
        return work.run(fake_translator(model, Meanwhile(tokens_per_batch=2_000)), stream, None, Listener()), messages


@pytest.mark.parametrize("name", ["in.txt", "in.txt.gz", "in.txt.xz"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_is_not_called_done(model, tmp_path, monkeypatch, change, name, evidence):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    source, target = tmp_path / name, tmp_path / "out.txt"
    pack = PACK.get(source.suffix, bytes)
    monkeypatch.setattr("attendo.data.lines.BUFFER", 4_096)  # so that the end is read after the change
    original = pack(TEXT)
    source.write_bytes(original)
    with pytest.raises(DataError, match=rf"in\.txt\S* {CHANGES[change]}"):
        translated(model, source, target, change)
    assert not target.exists()
    source.write_bytes(original)  # as it was: what is done is done
    account, messages = translated(model, source, target, lambda path: None, resume=True)
    assert (account.lines, target.read_bytes()) == (LINES, TEXT)
    assert messages[0].startswith("resuming ")
    if name == "in.txt":
        evidence(
            "X1", f"an input {change.__name__.replace('_', ' ')} while it is read", "one sentence; not called done"
        )


def test_a_file_that_grows_is_read_as_it_was(model, tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(TEXT)

    def append(path):
        with path.open("ab") as file:
            file.write("还有\n".encode())

    account, messages = translated(model, source, target, append)
    assert target.read_bytes() == TEXT
    assert (account.lines, account.ledger.unread, account.ledger.is_clean) == (LINES, 7, False)
    assert messages == [
        f"{source} grew by 7 bytes while it was read: what it held at the beginning was read, the rest was not"
    ]
    assert account.ledger.remarks() == ["7 × byte added to the input while it was read, not translated"]


@pytest.mark.parametrize("harmless", ["touched", "replaced", "removed", "same bytes"])
def test_what_does_no_harm_is_none(model, tmp_path, monkeypatch, harmless):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(TEXT)

    def change(path):
        match harmless:
            case "touched":
                os.utime(path, (1, 1))
            case "replaced":  # as editors save
                (tmp_path / "new").write_bytes(b"other\n")
                (tmp_path / "new").replace(path)
            case "removed":
                path.unlink()
            case _:
                with path.open("r+b") as file:
                    file.write(TEXT)

    account, messages = translated(model, source, target, change)
    assert (target.read_bytes(), account.ledger.is_clean, messages) == (TEXT, True, [])


def test_stdin_that_is_a_file(model, tmp_path):
    """Cut short while the command reads it; from where the shell left it."""
    (tmp_path / "in.txt").write_bytes(TEXT)
    code = f"""
import os, sys
from attendo.documents.file_translation import FileTranslation
from tests.translation.fake_engine import FakeEngine, Listener, fake_translator
from pathlib import Path
class Meanwhile(FakeEngine):
    def search(self, requests, options, *, attention=False):
        os.truncate({str(tmp_path / "in.txt")!r}, int(sys.argv[1])) if len(self.asked) > 50 else None
        return super().search(requests, options)
work = FileTranslation(to="en", from_="zh")
with work.opened() as stream:
    work.run(fake_translator(Path({str(model)!r}), Meanwhile()), stream, sys.stdout.buffer, Listener())
"""
    for size, ended in ((len(TEXT), 0), (len(TEXT) - 10, 1)):
        with (tmp_path / "in.txt").open("rb") as file:
            os.lseek(file.fileno(), len("我爱机器学习 0\n".encode()), os.SEEK_SET)
            command = [sys.executable, "-c", code, str(size)]
            done = subprocess.run(command, stdin=file, capture_output=True, check=False, timeout=100)
        assert done.returncode == ended, done.stderr
        assert b"stdin was cut short while it was read" in done.stderr or not ended
        assert done.stdout.startswith("我爱机器学习 1\n".encode())
        assert len(done.stdout) <= len(TEXT)


def test_files_that_the_kernel_makes_up(tmp_path):
    """They say that they have no bytes, or more than they have."""
    with open_bytes(tmp_path / "../../../../../../proc/self/status") as stream:
        assert stream.read().startswith(b"Name:")


def test_reading_it_twice_from_its_middle(tmp_path):
    (tmp_path / "f").write_bytes(b"0123456789")
    file = io.FileIO(tmp_path / "f")
    file.seek(4)
    whole = WholeFile(file, "f")
    os.utime(tmp_path / "f", (1, 1))
    assert whole.read(3) == b"456"
    assert whole.readall() == b"789"
    assert whole.read(3) == b""


# --- packed files

ONE, TWO = b"one\n" * 1_000, b"two\n" * 1_000


@pytest.mark.parametrize("ending", PACK)
def test_members_one_after_the_other(tmp_path, ending):
    path = tmp_path / f"f{ending}"
    one, two = PACK[ending](ONE), PACK[ending](TWO)
    allowed = {".gz": [b"\0", b"\0" * 7], ".xz": [b"\0" * 4, b"\0" * 70_000], ".zst": [b"\x50\x2a\x4d\x18\x02\0\0\0ab"]}
    for padding in (b"", *allowed[ending]):
        path.write_bytes(one + padding + two + padding)
        assert list(read_lines(path, ignore)) == ["one"] * 1_000 + ["two"] * 1_000
        assert count_lines(path) == 2_000
    path.write_bytes(one * 300)
    with open_bytes(path) as stream:
        assert stream.read() == ONE * 300


@pytest.mark.parametrize("ending", PACK)
def test_a_damaged_member_is_an_error_and_no_end(tmp_path, ending, evidence):
    path = tmp_path / f"f{ending}"
    one, two = PACK[ending](ONE), PACK[ending](TWO)
    cases = [one + bytes([byte]) + two[1:] for byte in range(0, 256, 4) if byte != two[0]]
    cases += [one + two[:size] for size in range(1, len(two), 2)]
    cases += [
        one + b"x",
        one + b"\0\0\0x",
        one + ONE,
        one + two + b"x",
        *([one + b"\0" * 3] if ending == ".xz" else []),
    ]
    for data in cases:
        path.write_bytes(data)
        with pytest.raises(DataError, match=rf"f\{ending} is damaged"):
            list(read_lines(path, ignore))
    evidence(
        "X1",
        f"a second member of {ending} damaged at its first byte, cut, or none: called an end",
        f"0 of {len(cases)}",
    )
