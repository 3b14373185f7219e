"""T10: what killed runs leave is swept, two runs never share a folder, and a good checkpoint is never deleted."""

import errno
import json
import os
import shutil
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from attendo.errors import ConfigError, InputError, TrainingError
from attendo.files.durable import UNFINISHED, mark
from attendo.files.manifest import check_manifest
from attendo.runs import build_trainer
from attendo.training import loop as training_loop
from attendo.training.checkpoints import AVERAGE, FILES, Checkpoints
from tests.forked import end_of, forked
from tests.training.tiny_run import result, run, tensor_bytes, tiny_recipe

RECIPE = tiny_recipe(
    training={"max_steps": 6, "checkpoint_every": 1, "keep_last": 2, "keep_best": 1, "accumulate": 1},
    validation={"every": 2, "max_pairs": 2},
)


def unfinished(folder):
    return sorted(path.name for path in folder.rglob(f"{UNFINISHED}*"))


def test_what_killed_runs_left_is_swept_at_the_start(tmp_path, reference, evidence):
    """Whoever left it, on this machine or on another that shares the disk; and nothing else, whatever it is called."""
    folder = tmp_path / "run"
    (folder / "checkpoints").mkdir(parents=True)
    writers = [f"{mark()}999999999", f"{mark()}{os.getpid()}", f"{UNFINISHED}0123abcd-17"]
    names = [f"{writer}-{what}" for writer in writers for what in ("abc", "step-4")]
    for place in (folder, folder / "checkpoints"):
        for name in names:
            (place / name).mkdir()
            (place / name / "model.safetensors").write_bytes(b"half")
            (place / f"{name}-file").write_bytes(b"half")
    mine = [folder / "notes.txt", folder / "checkpoints" / "step-x.tmp"]
    for path in mine:
        path.write_text("mine", encoding="utf-8")
    left = len(unfinished(folder))
    assert left == 4 * len(names)
    assert run(folder, RECIPE)[0] == 0
    assert unfinished(folder) == []
    assert [path.read_text(encoding="utf-8") for path in mine] == ["mine", "mine"]
    assert result(folder) == reference
    evidence("T10", "unfinished files and folders left after a start", f"0 of {left}")


@contextmanager
def a_run_at_work(folder, at_step):
    """A run in a process of its own that has taken so many steps and waits in the next; it is killed at the end."""
    reached, tell = os.pipe()

    def work():
        wait_in_step(at_step, tell)
        run(folder, RECIPE)

    process = forked(work)
    os.close(tell)
    try:
        assert os.read(reached, 1) == b"!"
        yield
    finally:
        os.close(reached)
        os.kill(process, signal.SIGKILL)
        assert end_of(process) == -signal.SIGKILL


def wait_in_step(step, tell):
    def take_step(this, work, real=training_loop.Loop.take_step):
        if this.state.progress.step == step:
            this.finish_saving()
            os.write(tell, b"!")
            while True:
                signal.pause()
        real(this, work)

    training_loop.Loop.take_step = take_step


def test_a_second_run_in_one_folder_is_refused_while_the_first_lives(tmp_path, finished, reference, evidence):
    folder = tmp_path / "run"
    with a_run_at_work(folder, at_step=3):
        steps = Checkpoints(folder / "checkpoints").steps()
        for _ in range(3):
            with pytest.raises(TrainingError, match="another run is at work in"):
                run(folder, RECIPE)
        assert Checkpoints(folder / "checkpoints").steps() == steps == [2, 3]
    assert run(folder, RECIPE)[0] == 0
    assert result(folder) == reference
    evidence("T10", "second runs in one folder that were let in while the first lived", "0 of 3")
    evidence("T10", "a run after the first was killed", "goes on to a bit-identical end")


def busy(path):
    return OSError(errno.EBUSY, "Device or resource busy", str(path))


def test_an_old_checkpoint_that_cannot_be_moved_is_a_remark(tmp_path, reference, evidence):
    """A file that somebody has open, a folder that was made read-only."""

    def rename(path, target, real=Path.rename):
        if path.name == "step-1":
            raise busy(path)
        return real(path, target)

    folder = tmp_path / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "rename", rename)
        code, output = run(folder, RECIPE)
    assert code == 0
    assert f"cannot delete the old checkpoint {folder / 'checkpoints' / 'step-1'}: Device or resource busy" in output
    assert result(folder) == reference
    evidence("T10", "an old checkpoint that cannot be moved", "a remark, and a bit-identical end")


def test_an_old_checkpoint_that_cannot_be_emptied_is_a_remark(tmp_path, reference, evidence):
    """What is left of it does not look like a checkpoint, and the next start sweeps it."""

    def rmtree(path, ignore_errors=False, real=shutil.rmtree):
        if path.name.endswith("step-1"):
            (path / "state.json").unlink()
            raise busy(path)
        real(path, ignore_errors)

    folder = tmp_path / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "rmtree", rmtree)
        code, output = run(folder, RECIPE)
    assert code == 0
    assert "cannot delete the old checkpoint" in output
    assert result(folder) == reference
    assert len(unfinished(folder)) == 1
    assert run(folder, RECIPE)[0] == 0
    assert unfinished(folder) == []
    evidence("T10", "an old checkpoint that cannot be emptied", "a remark, swept at the next start")


class Counting:
    """How many whole checkpoints there are whenever a name on the disk changes."""

    def __init__(self, folder):
        self.folder, self.looking, self.fewest = folder, False, {}

    def heard(self, event, arguments):
        if event not in ("os.rename", "os.remove", "os.rmdir", "shutil.rmtree") or self.looking:
            return
        self.looking = True
        steps = [path for path in self.folder.glob("step-*") if is_whole(path)]
        newest = max((int(path.name.removeprefix("step-")) for path in steps), default=0)
        self.fewest[newest] = min(len(steps), self.fewest.get(newest, 99))
        self.looking = False


def is_whole(path):
    try:
        check_manifest(path, FILES, [AVERAGE])
    except InputError:
        return False
    return True


def test_there_are_always_two_checkpoints_after_the_second_save(tmp_path, evidence):
    """Looked at before every change of a name, in a process of its own: an audit hook stays for good."""
    folder, told = tmp_path / "run", tmp_path / "told.json"

    def counted():
        counting = Counting(folder / "checkpoints")
        sys.addaudithook(counting.heard)
        code = run(folder, RECIPE)[0]
        told.write_text(json.dumps(counting.fewest), encoding="utf-8")
        return code

    assert end_of(forked(counted)) == 0
    fewest = {int(step): count for step, count in json.loads(told.read_text(encoding="utf-8")).items()}
    assert set(fewest) == set(range(7))
    assert min(count for step, count in fewest.items() if step >= 2) == 2
    evidence("T10", "fewest whole checkpoints at any change of the disk after the second save", 2)


def test_the_best_checkpoint_outlives_newer_ones(tmp_path, monkeypatch, evidence):
    scores = iter([1.0, 2.0, 1.5])
    scripted = lambda recipe, prepared, machine, ranks: lambda model: ({"loss": next(scores)}, [])  # noqa: E731
    monkeypatch.setattr(build_trainer, "build_validation", scripted)
    code, _ = run(tmp_path / "run", RECIPE)
    folder = tmp_path / "run" / "checkpoints"
    assert code == 0
    assert Checkpoints(folder).steps() == [2, 5, 6]
    best = tensor_bytes(folder / "step-2" / AVERAGE)
    assert tensor_bytes(tmp_path / "run" / "model" / "model.safetensors") == best
    evidence("T10", "kept of 6 checkpoints with keep_last = 2, the best at step 2", "2, 5, 6")


def test_keeping_a_single_checkpoint_cannot_be_asked_for():
    with pytest.raises(ConfigError, match="keep_last = 1"):
        tiny_recipe(training={"keep_last": 1})
