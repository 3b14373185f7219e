"""A run that is killed and started again ends as the run that was never stopped, to the bit."""

import os
import random
import signal
import sys
import time
from dataclasses import fields, replace

import pytest
import torch

from attendo.engines.cpu.training import LeanTeacherForcing
from attendo.model_folder import weights
from attendo.training import loop as training_loop
from attendo.training import state as training_state
from attendo.training import trainer
from attendo.training.checkpoints import Checkpoints
from attendo.training.progress import TrainingProgress
from attendo.training.state import Snapshot
from tests.forked import end_of, forked
from tests.training.tiny_run import STEPS, result, run, tiny_recipe

RECIPE = tiny_recipe()


def kill_again_and_again(folder, reference, kills, seed):
    """Start, kill after a random time, start again …; whenever a run gets through, it is compared and begun anew."""
    chance = random.Random(seed)
    started = time.perf_counter()
    assert end_of(forked(lambda: run(folder / "timed")[0])) == 0
    whole = time.perf_counter() - started
    done = through = 0
    while done < kills or through == 0:
        here = folder / str(through)
        process = forked(lambda here=here: run(here)[0])
        # Mostly long enough to get from one checkpoint to the next, sometimes not even to the first step.
        time.sleep(chance.uniform(0.0, 0.5) * whole)
        if done < kills:
            os.kill(process, signal.SIGKILL)
        code = end_of(process)
        if code == 0:
            assert result(here) == reference
            through += 1
        else:
            assert code == -signal.SIGKILL, f"exit code {code}"
            done += 1
    return done, through


def test_killed_at_random_times(tmp_path, reference, evidence):
    kills, through = kill_again_and_again(tmp_path, reference, kills=15, seed=1)
    evidence("T1", "SIGKILL at a random time / runs ended / of them bit-identical", f"{kills} / {through} / {through}")


@pytest.mark.slow
def test_killed_at_random_times_200(tmp_path, reference, evidence):
    kills, through = kill_again_and_again(tmp_path, reference, kills=200, seed=2)
    evidence("T1", "the same, slow tier", f"{kills} / {through} / {through}")
    print(f"kills: {kills}, runs ended: {through}, bit-identical: {through}")


class Crash:
    """Ends the process at the n-th call that touches the disk while a checkpoint is saved or pruned."""

    def __init__(self, at):
        self.at, self.count, self.saving = at, 0, False

    def here(self):
        if self.saving:
            self.count += 1
            if self.count == self.at:
                os._exit(77)

    def heard(self, event, arguments):
        if event in ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod"):
            self.here()

    def install(self):
        sys.addaudithook(self.heard)  # it stays for the life of the process, which is a child
        real_fsync, real_file = os.fsync, weights.save_file
        real_save, real_prune = Checkpoints.save, Checkpoints.prune

        def fsync(descriptor):
            self.here()
            real_fsync(descriptor)

        def save(this, snapshot, fingerprint):
            # The third save: there is something to lose, and something to prune.
            self.saving = snapshot.progress.step == 3
            return real_save(this, snapshot, fingerprint)

        def prune(this, keep):
            real_prune(this, keep)
            self.saving = False

        def save_file(tensors, path, metadata=None):
            """The library's own writing, broken off in the middle."""
            real_file(tensors, path, metadata)
            if self.count + 1 == self.at and self.saving:
                os.truncate(path, path.stat().st_size // 2)
            self.here()

        os.fsync, weights.save_file = fsync, save_file
        Checkpoints.save, Checkpoints.prune = save, prune


@pytest.mark.parametrize("every", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_a_crash_at_every_call_of_a_save(tmp_path, evidence, every):
    few = {"max_steps": 4, "warmup_steps": 1, "checkpoint_every": 1, "keep_last": 2, "keep_best": 0}
    recipe = tiny_recipe(training=few, validation={"every": 4, "max_pairs": 0})
    assert run(tmp_path / "whole", recipe)[0] == 0
    expected = result(tmp_path / "whole")

    def crashing(folder, at):
        Crash(at).install()
        return run(folder, recipe)[0]

    points = lost = 0
    for at in range(1, 200, every):
        folder = tmp_path / str(at)
        code = end_of(forked(lambda folder=folder, at=at: crashing(folder, at)))
        if code == 0:
            break
        assert code == 77
        points += 1
        steps = Checkpoints(folder / "checkpoints").steps()
        lost += not {2, 3} & set(steps)
        if at % 8 == 1 or at < 4:  # going on from each would say the same again
            assert run(folder, recipe)[0] == 0
            assert result(folder) == expected
    assert points > 20 / every
    assert lost == 0
    evidence("T2", "calls of a save at which the process was ended / checkpoints lost", f"{points} / {lost}")


STOPS = {  # where a run is asked to stop: after which part of the loop, and when
    "in the middle of an epoch": ("take_step", lambda progress: progress.step > 3 and progress.position.batch > 0),
    "at the end of an epoch": ("take_step", lambda progress: progress.position.batch == 0),
    "before a validation": ("take_step", lambda progress: progress.step == 5),
    "after a validation": ("validate_if_due", lambda progress: progress.step == 5),
    "after a checkpoint": ("save_if_due", lambda progress: progress.step == 9),
    "before the last step": ("take_step", lambda progress: progress.step == STEPS - 1),
    "after the last step": ("take_step", lambda progress: progress.step == STEPS),
}


@pytest.mark.parametrize("when", STOPS)
def test_stopped_and_gone_on(when, tmp_path, reference, monkeypatch, evidence):
    part, is_now = STOPS[when]
    real = getattr(training_loop.Loop, part)

    def then_ask(this, *arguments):
        real(this, *arguments)
        if is_now(this.state.progress):
            this.stop.exit_code = 143

    monkeypatch.setattr(training_loop.Loop, part, then_ask)
    assert run(tmp_path)[0] == 143
    stopped = Checkpoints(tmp_path / "checkpoints").steps()[-1]
    assert stopped <= STEPS
    monkeypatch.undo()
    assert run(tmp_path)[0] == 0
    assert result(tmp_path) == reference
    evidence("T3", f"stopped {when} and gone on", "bit-identical")


def test_killed_in_the_middle_of_accumulation(tmp_path, reference, evidence):
    def killed():
        real, seen = LeanTeacherForcing.__call__, []

        def dies_at_the_16th(this, model, batch):
            seen.append(batch)
            if len(seen) == 16 and model.training:  # the second micro-batch of its step
                os._exit(77)
            return real(this, model, batch)

        LeanTeacherForcing.__call__ = dies_at_the_16th
        return run(tmp_path)[0]

    assert end_of(forked(killed)) == 77
    assert run(tmp_path)[0] == 0
    assert result(tmp_path) == reference
    evidence("T3", "killed between two micro-batches and gone on", "bit-identical")


def test_a_finished_run_does_nothing(tmp_path, evidence):
    recipe = tiny_recipe(training={"max_steps": 6})
    assert run(tmp_path, recipe)[0] == 0
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    code, output = run(tmp_path, recipe)
    assert code == 0
    assert "finished" in output
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == before
    evidence("T3", "a finished run, started again", "exit 0, no file touched")


def test_a_finished_run_makes_a_lost_model_again(tmp_path):
    recipe = tiny_recipe(training={"max_steps": 6})
    assert run(tmp_path, recipe)[0] == 0
    made = result(tmp_path)
    (tmp_path / "model" / "model.safetensors").unlink()
    assert run(tmp_path, recipe)[0] == 0
    assert result(tmp_path) == made


# What a snapshot holds, and each number of the progress that decides how a run goes on. `seconds`, `target_tokens` and
# `skipped` are told to people and decide nothing; `halved` and `skipped_in_a_row` have tests of their own.
ITEMS = [one.name for one in fields(Snapshot) if one.name != "progress"]
NUMBERS = ["step", "position", "history"]


@pytest.mark.parametrize("item", ITEMS + NUMBERS)
def test_whatever_is_left_out_is_missed(item, tmp_path, reference, monkeypatch, evidence):
    """The guard of the guard: without any single item of state the comparison above fails."""
    recipe = tiny_recipe(validation={"patience": 100})
    stop_after(10, monkeypatch)
    assert run(tmp_path, recipe)[0] == 143
    monkeypatch.undo()
    real = trainer.restore

    def restore(state, snapshot, ranks):
        fresh = training_state.capture(state)
        if item in NUMBERS:
            changed = {item: getattr(TrainingProgress(), item)}
            snapshot = replace(snapshot, progress=replace(snapshot.progress, **changed))
        else:
            snapshot = replace(snapshot, **{item: clone(getattr(fresh, item))})
        real(state, snapshot, ranks)

    monkeypatch.setattr(trainer, "restore", restore)
    assert run(tmp_path, recipe)[0] == 0
    assert result(tmp_path) != reference
    evidence("T4", f"run without its {item}", "noticed")


def test_the_guard_itself_is_sound(tmp_path, reference, monkeypatch):
    """With nothing left out the same path through the test gives the same run."""
    stop_after(10, monkeypatch)
    assert run(tmp_path)[0] == 143
    monkeypatch.undo()
    assert run(tmp_path)[0] == 0
    assert result(tmp_path) == reference


def stop_after(step, monkeypatch):
    real = training_loop.Loop.take_step

    def take_step(this, work):
        real(this, work)
        if this.state.progress.step == step:
            this.stop.exit_code = 143

    monkeypatch.setattr(training_loop.Loop, "take_step", take_step)


def clone(item):
    return {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in item.items()}
