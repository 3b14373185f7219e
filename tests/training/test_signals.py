"""T11: the first signal ends a run politely, with its state saved; the second at once. Neither harms a file."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest

from attendo.files.manifest import check_manifest
from attendo.recipe.write import recipe_to_toml
from attendo.runs import build_trainer
from attendo.runs import train as recipe_train
from attendo.training import checkpoints as training_checkpoints
from attendo.training import loop as training_loop
from attendo.training.checkpoints import AVERAGE, FILES, Checkpoints
from attendo.training.log import read_log
from attendo.training.stop import Stop
from tests.forked import forked
from tests.training.tiny_run import result, run, tensor_bytes, tiny_recipe

STEPS = 5
RECIPE = tiny_recipe(
    training={"max_steps": STEPS, "checkpoint_every": 2, "accumulate": 1},
    validation={"every": 2, "max_pairs": 2, "samples": 1},
)
EXIT_CODES = {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGUSR1: 143}
PATIENCE = 60  # seconds that a busy machine may take; what is measured is told as evidence


@dataclass(frozen=True)
class Child:
    """A run in a process of its own. It tells when it has come to a point, and goes on when it is told to."""

    process: int
    reached: int  # pipe to read from
    go_on: int  # pipe to write to

    def wait_until_reached(self):
        assert os.read(self.reached, 1) == b"!", "the run ended before it came to the point"

    def send(self, number):
        os.kill(self.process, number)

    def ended(self):
        """The exit code and the seconds until it came; a process that hangs is killed and fails the test."""
        started = time.perf_counter()
        while time.perf_counter() - started < PATIENCE:
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                return os.waitstatus_to_exitcode(status), time.perf_counter() - started
            time.sleep(0.001)
        self.send(signal.SIGKILL)
        os.waitpid(self.process, 0)
        raise AssertionError("the signal did not end the run")


def start(folder, point, wait):
    """Fork a run that stops at a point; `wait` is what it does there, given the pipe that tells it to go on."""
    reached, tell = os.pipe()
    hear, go_on = os.pipe()

    def work():
        os.close(go_on)

        def here():
            os.write(tell, b"!")
            wait(hear)

        point(here)
        return run(folder, RECIPE)[0]

    process = forked(work)
    os.close(tell)
    os.close(hear)
    return Child(process, reached, go_on)


def until_told(hear):
    os.read(hear, 1)


def asleep(hear):
    time.sleep(3600)


def stuck_in_c(hear):
    """A call of a library that never comes back, so that Python's own handlers never run: a lock taken twice."""
    library, lock = ctypes.CDLL(None), ctypes.create_string_buffer(64)
    library.pthread_mutex_lock(lock)
    library.pthread_mutex_lock(lock)


def in_preparation(here):
    def prepare(*arguments, real=recipe_train.prepare):
        prepared = real(*arguments)
        here()
        return prepared

    recipe_train.prepare = prepare


def in_step(number):
    def point(here):
        def try_step(this, work, rate, real=training_loop.Loop.try_step):
            outcome = real(this, work, rate)
            if this.state.progress.step + 1 == number:
                here()
            return outcome

        training_loop.Loop.try_step = try_step

    return point


def in_validation(here):
    """The first, after step 2."""

    def build_validation(*arguments, real=build_trainer.build_validation):
        validate = real(*arguments)

        def validated(model):
            found = validate(model)
            here()
            return found

        return validated

    build_trainer.build_validation = build_validation


def in_save(step):
    """Of which all is written but the manifest."""

    def point(here):
        def write_manifest(folder, real=training_checkpoints.write_manifest):
            if f'"step": {step},' in (folder / "state.json").read_text(encoding="utf-8"):
                here()
            real(folder)

        training_checkpoints.write_manifest = write_manifest

    return point


def in_the_model_folder(here):
    """All steps are done, and what came of them is being written."""

    real = recipe_train.save_model

    def save_model(*arguments, **options):
        here()
        real(*arguments, **options)

    recipe_train.save_model = save_model


POINTS = {  # and the last steps that a run may have taken there; it goes on while it saves
    "data preparation": (in_preparation, {0}),
    "a step": (in_step(3), {3}),
    "a validation": (in_validation, {2}),
    "a save": (in_save(2), {2, 3, 4}),
    "the last step but one": (in_step(STEPS - 1), {STEPS - 1}),
}


def saved_steps(folder):
    """All of which must be whole."""
    checkpoints = Checkpoints(folder / "checkpoints")
    for step in checkpoints.steps():
        check_manifest(checkpoints.path(step), FILES, [AVERAGE])
    return checkpoints.steps()


def last_logged(folder):
    return max((one["step"] for one in read_log(folder / "log.jsonl") if "loss" in one), default=0)


def saved_bits(folder):
    """Of the newest checkpoint: where two runs agree in them, they go on alike."""
    files = sorted((folder / "checkpoints").glob(f"step-{last_logged(folder)}/*.safetensors"))
    return {file.name: tensor_bytes(file) for file in files}


@pytest.mark.parametrize("where", POINTS)
def test_a_signal_ends_a_run_with_all_of_its_steps_saved(where, tmp_path, reference, evidence):
    point, steps = POINTS[where]
    longest, seen = 0.0, []
    for number, expected in EXIT_CODES.items():
        folder = tmp_path / number.name
        child = start(folder, point, until_told)
        child.wait_until_reached()
        child.send(number)
        os.write(child.go_on, b"!")
        code, seconds = child.ended()

        assert code == expected, number.name
        assert last_logged(folder) in steps
        assert max(saved_steps(folder), default=0) == last_logged(folder)
        longest = max(longest, seconds)
        bits = saved_bits(folder)
        if bits not in seen:
            seen.append(bits)
            assert run(folder, RECIPE)[0] == 0
            assert result(folder) == reference
    assert len(seen) <= len(steps)
    codes = ", ".join(f"{number.name} {code}" for number, code in EXIT_CODES.items())
    evidence("T11", f"a signal in {where}: exit codes", codes)
    evidence("T11", f"a signal in {where}: steps lost / longest seconds to the exit", f"0 / {longest:.2f}")
    evidence("T11", f"a signal in {where}: the same command", "bit-identical end")


@pytest.mark.parametrize("where", ["the last save", "the model folder"])
def test_a_signal_when_all_is_done_lets_the_run_end(where, tmp_path, reference, evidence):
    """There is nothing left to go on with, so the model is written and the exit code says that it is there."""
    child = start(tmp_path, in_save(STEPS) if where == "the last save" else in_the_model_folder, until_told)
    child.wait_until_reached()
    child.send(signal.SIGTERM)
    os.write(child.go_on, b"!")
    code, _ = child.ended()

    assert code == 0
    assert result(tmp_path) == reference
    evidence("T11", f"SIGTERM in {where}, all steps done: exit code", code)


STUCK = {  # where, what it does there, and the second signal
    "a step that sleeps": (in_step(3), asleep, signal.SIGTERM),
    "a step that never leaves a library": (in_step(3), stuck_in_c, signal.SIGINT),
    "a validation that never ends": (in_validation, stuck_in_c, signal.SIGINT),
    "a save that never ends": (in_save(4), stuck_in_c, signal.SIGINT),
    "a preparation that never ends": (in_preparation, stuck_in_c, signal.SIGUSR1),
}


@pytest.mark.skipif(sys.platform != "linux", reason="the lock that is taken twice is one of Linux")
@pytest.mark.parametrize("where", STUCK)
def test_a_second_signal_ends_a_stuck_run_at_once(where, tmp_path, reference, evidence):
    point, wait, second = STUCK[where]
    child = start(tmp_path, point, wait)
    child.wait_until_reached()
    time.sleep(0.05)  # it is on its way into the call that does not come back
    child.send(signal.SIGINT)
    time.sleep(0.1)
    assert os.waitpid(child.process, os.WNOHANG) == (0, 0), "one signal is a request"
    child.send(second)
    code, seconds = child.ended()

    assert code == EXIT_CODES[second]
    assert saved_steps(tmp_path) == ([2] if "step" in where or "save" in where else [])
    assert run(tmp_path, RECIPE)[0] == 0
    assert result(tmp_path) == reference
    evidence("T11", f"Ctrl-C, then {second.name}, in {where}: files harmed / seconds", f"0 / {seconds:.3f}")


EARLY = [
    ("attendo.recipe.read", "SIGUSR1"), ("rich.console", "SIGHUP"), ("attendo.runs.live_view", "SIGINT"),
    ("torch", "SIGUSR1"), ("torch", "SIGTERM"), ("attendo.runs.train", "SIGUSR1"), ("attendo.runs.train", "SIGHUP"),
]  # fmt: skip


@pytest.mark.parametrize(("module", "name"), EARLY)
def test_a_signal_while_the_command_starts(module, name, tmp_path):
    """A real process that gets a real signal just as it begins to import something: one line, and the exit code."""
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(recipe_to_toml(RECIPE), encoding="utf-8")
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # which nohup ignores, also for the children of the tests
        "from attendo.cli.main import main\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), signal.{name})\n"
        "sys.meta_path.insert(0, Finder())\n"
        f"main(['train', {str(recipe)!r}, '--run-dir', {str(tmp_path / 'run')!r}])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    ended = {"SIGINT": (130, "attendo: interrupted\n")}
    assert (done.returncode, done.stderr) == ended.get(name, (143, "attendo: stopped before the first step\n"))
    assert not (tmp_path / "run").exists()


def test_a_run_under_nohup_goes_on_when_its_terminal_is_closed():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Stop() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            assert stop.exit_code is None
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_command_itself(tmp_path, evidence):
    """A real process, a real signal. How far it gets is chance; from there the same command goes on."""
    endless = {"schedule": "noam", "learning_rate": 1.0, "checkpoint_every": 1000}
    recipe, folder = tmp_path / "recipe.toml", tmp_path / "run"
    recipe.write_text(recipe_to_toml(tiny_recipe(training={**endless, "max_steps": 10**6})), encoding="utf-8")
    command = [sys.executable, "-m", "attendo", "train", str(recipe), "--run-dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + PATIENCE
        while last_logged(folder) < 3 and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.02)
        started = time.perf_counter()
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=PATIENCE)[1]
        seconds = time.perf_counter() - started
    step = last_logged(folder)

    assert process.returncode == 143, output
    assert saved_steps(folder)[-1] == step >= 3
    assert f"stopped after step {step}; the same command resumes from here" in output
    assert "Traceback" not in output
    bounded = tiny_recipe(training={**endless, "max_steps": step + 2})
    assert run(folder, bounded)[0] == run(tmp_path / "whole", bounded)[0] == 0
    assert result(folder) == result(tmp_path / "whole")
    evidence("T11", "SIGTERM to a real `attendo train`: exit code / steps lost / seconds", f"143 / 0 / {seconds:.2f}")
