"""T8, T9: a full or forbidden disk ends a run with one clear sentence, harms no checkpoint, leaves nothing behind."""

import errno
import os
import re
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from safetensors import SafetensorError

from attendo.cli.main import main
from attendo.errors import AttendoError, WriteError
from attendo.files.durable import UNFINISHED
from attendo.files.manifest import check_manifest
from attendo.model_folder import weights
from attendo.recipe.write import recipe_to_toml
from attendo.training import log as training_log
from attendo.training import loop as training_loop
from attendo.training import trainer
from attendo.training.checkpoints import AVERAGE, FILES, Checkpoints
from tests.training.tiny_run import result, run, tiny_recipe

RECIPE = tiny_recipe(
    training={"max_steps": 3, "warmup_steps": 1, "checkpoint_every": 1, "keep_last": 2, "accumulate": 1},
    validation={"every": 3, "max_pairs": 2},
)
FULL_AT = 2  # the step whose checkpoint finds no room


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 1 MB in memory, where this user may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount(["-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)])
    yield folder
    subprocess.run([shutil.which("umount"), "--lazy", str(folder)], check=True)


def mount(words):
    command = shutil.which("mount")
    if command is None:
        pytest.skip("no command mount here: a real full disk needs one")
    done = subprocess.run([command, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"cannot mount a small disk here: {done.stderr.strip()}")


def leftovers(folder):
    return [path for path in folder.rglob("*") if path.name.startswith(UNFINISHED)]


def before_the_save(monkeypatch, step, happens):
    """Something happens to the disk just before this step is saved."""

    def save(this, real=training_loop.Loop.save):
        if this.state.progress.step == step:
            this.finish_saving()  # the one before
            happens()
        real(this)

    monkeypatch.setattr(training_loop.Loop, "save", save)


def fill(disk, room):
    """Until only so many bytes are free, in whole pages."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    os.truncate(filler, filler.stat().st_size - room // 4096 * 4096)


def check_what_is_left(folder, error):
    """The old checkpoint whole, no byte of the new one, and a sentence with the bytes needed and free."""
    checkpoints = Checkpoints(folder / "checkpoints")
    assert checkpoints.steps() == [1]
    check_manifest(checkpoints.path(1), FILES, [AVERAGE])
    assert leftovers(folder) == []
    assert error.exit_code == 1
    told = re.search(r"cannot write .*step-2.*\(([0-9,]+) bytes needed, ([0-9,]+) free\)$", str(error))
    assert told, str(error)
    assert "\n" not in str(error)
    assert int(told[1].replace(",", "")) > 10_000


def test_a_disk_that_gets_full_in_a_save(small_disk, reference, evidence):
    """In the first file, the second, the third, the last, or before them all; then room is made."""
    folder, rooms = small_disk / "run", [0, 8_192, 73_728, 155_648, 200_704]
    for room in rooms:
        with pytest.MonkeyPatch.context() as patch:
            before_the_save(patch, FULL_AT, lambda room=room: fill(small_disk, room))
            with pytest.raises(WriteError, match="No space left on device") as full:
                run(folder, RECIPE)
        check_what_is_left(folder, full.value)
        (small_disk / "filler").unlink()
    assert run(folder, RECIPE)[0] == 0
    assert result(folder) == reference
    where = ", ".join(f"{room:,}" for room in rooms)
    evidence("T8", f"a real disk full after {where} bytes of a save: checkpoints lost / bytes left over", "0 / 0")
    evidence("T8", "the same command after room was made", "bit-identical end")


class Room:
    """A disk with room for so many bytes, played: writers write what fits, then hear that there is no space."""

    def __init__(self, left, patch):
        self.left, self.patch = left, patch

    def begins(self):
        self.patch.setattr(weights, "save_file", self.save_file)
        self.patch.setattr(Path, "write_text", lambda path, text, encoding: self.write_text(path, text, encoding))

    def save_file(self, tensors, path, real=weights.save_file):
        real(tensors, path)
        self.take(path, SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"))

    def write_text(self, path, text, encoding):
        path.write_bytes(text.encode(encoding))
        self.take(path, OSError(errno.ENOSPC, "No space left on device", str(path)))

    def take(self, path, error):
        self.left -= path.stat().st_size
        if self.left < 0:
            os.truncate(path, path.stat().st_size + self.left)
            raise error


def test_no_space_after_any_number_of_bytes(tmp_path, finished, reference, evidence):
    """The same where no disk can be mounted, and to the byte."""
    folder = tmp_path / "run"
    counts = byte_counts(finished / "checkpoints" / "step-3")
    for room in counts:
        with pytest.MonkeyPatch.context() as patch:
            before_the_save(patch, FULL_AT, Room(room, patch).begins)
            with pytest.raises(WriteError, match="No space left on device") as full:
                run(folder, RECIPE)
        check_what_is_left(folder, full.value)
    assert run(folder, RECIPE)[0] == 0
    assert result(folder) == reference
    evidence("T8", "byte counts of a save at which a write fails", len(counts))
    evidence("T8", "of them with a checkpoint lost, or a byte left over", 0)


def byte_counts(path):
    """So many fit: none of a file, all but its last byte. The manifest may be a few bytes shorter."""
    counts, written = [], 0
    for name in ("model.safetensors", "optimizer.safetensors", AVERAGE, "state.json"):
        size = (path / name).stat().st_size
        counts += [written, written + size - 1]
        written += size
    return [*counts, written + (path / "manifest.json").stat().st_size // 2]


def test_no_space_for_the_last_checkpoint_is_not_missed(tmp_path, reference):
    """It is written in the background when there is nothing else left to do."""
    folder = tmp_path / "run"
    with pytest.MonkeyPatch.context() as patch:
        before_the_save(patch, 3, Room(100_000, patch).begins)
        with pytest.raises(WriteError, match="No space left on device"):
            run(folder, RECIPE)
    assert Checkpoints(folder / "checkpoints").steps() == [1, 2]
    assert leftovers(folder) == []
    assert not (folder / "model").exists()
    assert run(folder, RECIPE)[0] == 0
    assert result(folder) == reference


def test_a_disk_that_complains_only_when_it_is_flushed(tmp_path, reference, evidence):
    """Networks and quotas do: every write went well, and the bytes are not there."""
    folder, reasons = tmp_path / "run", (errno.ENOSPC, errno.EDQUOT, errno.EIO)
    for reason in reasons:

        def fsync(descriptor, reason=reason):
            raise OSError(reason, os.strerror(reason))

        with pytest.MonkeyPatch.context() as patch:
            before_the_save(patch, FULL_AT, lambda patch=patch, fsync=fsync: patch.setattr(os, "fsync", fsync))
            with pytest.raises(WriteError, match=os.strerror(reason)) as full:
                run(folder, RECIPE)
        check_what_is_left(folder, full.value)
    assert run(folder, RECIPE)[0] == 0
    assert result(folder) == reference
    names = ", ".join(errno.errorcode[reason] for reason in reasons)
    evidence("T8", f"checkpoints lost or bytes left over by a flush that fails with {names}", "0 of 3")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_log_that_cannot_grow(tmp_path, reference, evidence):
    folder = tmp_path / "run"

    def open_full(this, step, validated, real=training_log.RunLog.trim):
        real(this, step, validated)
        this.file = Path("/dev/full").open("a", encoding="utf-8")  # noqa: SIM115 - the run closes it

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_log.RunLog, "trim", open_full)
        with pytest.raises(WriteError) as full:
            run(folder, RECIPE)
    assert str(full.value) == f"cannot write {folder / 'log.jsonl'}: No space left on device"
    assert run(folder, RECIPE)[0] == 0
    assert result(folder) == reference
    evidence("T8", "a log on /dev/full", "one sentence, exit code 1; the same command ends bit-identical")


def test_the_command_says_it_in_one_line(small_disk, tmp_path, monkeypatch, capsys):
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(recipe_to_toml(RECIPE), encoding="utf-8")
    before_the_save(monkeypatch, FULL_AT, lambda: fill(small_disk, 8_192))
    with pytest.raises(SystemExit) as left:
        main(["train", str(recipe), "--run-dir", str(small_disk / "run")])
    complaint = [line for line in capsys.readouterr().err.split("\n") if "cannot write" in line]
    assert left.value.code == 1
    assert len(complaint) == 1
    assert "No space left on device" in complaint[0]
    assert "Traceback" not in complaint[0]


def under_a_file(folder):
    folder.parent.write_text("not a folder", encoding="utf-8")


def a_file(folder):
    folder.parent.mkdir()
    folder.write_text("not a folder", encoding="utf-8")


def a_folder_instead_of(name):
    return lambda folder: (folder / name).mkdir(parents=True)


def checkpoints_are_a_file(folder):
    folder.mkdir(parents=True)
    (folder / "checkpoints").write_text("not a folder", encoding="utf-8")


def read_only(folder):
    folder.parent.mkdir()
    mount(["-t", "tmpfs", "-o", "size=1m,ro", "tmpfs", str(folder.parent)])


def full(folder):
    folder.parent.mkdir()
    mount(["-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder.parent)])
    fill(folder.parent, 4_096)


FORBIDDEN = {
    "under a file": under_a_file,
    "a file": a_file,
    "with a file for checkpoints": checkpoints_are_a_file,
    "with a folder for the log": a_folder_instead_of("log.jsonl"),
    "with a folder for the recipe": a_folder_instead_of("recipe.toml"),
    "with a folder for the lock": a_folder_instead_of(".lock"),
    "on a read-only disk": read_only,
    "on a full disk": full,
}


@pytest.mark.parametrize("where", FORBIDDEN)
def test_a_folder_that_cannot_be_used_is_told_before_the_first_step(where, tmp_path, reference, monkeypatch, evidence):
    def step(*arguments, **settings):
        raise AssertionError("a step was taken")

    monkeypatch.setattr(trainer, "train_step", step)
    folder = tmp_path / "place" / "run"
    try:
        FORBIDDEN[where](folder)
        started = time.perf_counter()
        with pytest.raises(AttendoError) as refused:
            run(folder, RECIPE)
        seconds = time.perf_counter() - started
    finally:
        if folder.parent.is_mount():
            subprocess.run([shutil.which("umount"), "--lazy", str(folder.parent)], check=True)
    assert str(folder) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert refused.value.exit_code == 1
    assert seconds < 2
    evidence("T9", f"seconds to the error, run folder {where}", f"{seconds:.2f}")


def test_a_run_folder_that_is_not_there_is_made(tmp_path, reference):
    assert run(tmp_path / "a" / "b" / "run", RECIPE)[0] == 0
    assert result(tmp_path / "a" / "b" / "run") == reference
