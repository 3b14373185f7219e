"""T17: where memory does not suffice, batches are halved, once; where even that fails, the run stops with advice.

Batches come from a thread, not from worker processes; an error in it reaches the run, and nothing hangs.
"""

import os
import queue
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
import torch

from attendo.data.batches import Batches, Position
from attendo.errors import DataError, TrainingError
from attendo.files.cache_folder import cache_folder
from attendo.files.manifest import check_manifest
from attendo.runs.build_trainer import training_batches
from attendo.runs.prepare import prepare
from attendo.training import loop as training_loop
from attendo.training import trainer
from attendo.training.checkpoints import AVERAGE, FILES, Checkpoints, read_state
from attendo.training.device import choose_machine
from attendo.training.feed import AHEAD, Feed
from attendo.training.log import read_log
from attendo.training.loop import is_out_of_memory
from tests.forked import end_of, forked
from tests.training.tiny_run import result, run, tensor_bytes, tiny_recipe

STEPS = 4
CALM = {"dropout": 0.0}  # so that halving a batch draws nothing else
RECIPE = tiny_recipe(
    model=CALM,
    training={"max_steps": STEPS, "warmup_steps": 1, "checkpoint_every": 1, "tokens_per_batch": 1000, "accumulate": 1},
    validation={"every": STEPS, "max_pairs": 2},
)
PATIENCE = 60  # seconds; more is a hang


def of_a_gpu():
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")


def of_the_cpu():
    """A real one: no machine has so much."""
    torch.empty(2**57, dtype=torch.uint8)


class Scarce:
    """Memory that runs out in these steps, so many times each; the first micro-batch still finds room."""

    def __init__(self, patch, fails, times=1):
        self.left, self.calls, self.step = dict.fromkeys(fails, times), [], 0
        real_step, real_try = trainer.train_step, training_loop.Loop.try_step

        def try_step(this, work, rate):
            self.step = this.state.progress.step + 1
            return real_try(this, work, rate)

        def train_step(model, optimizer, batches, rate, objective, **settings):
            self.calls.append((self.step, len(batches), [len(batch.source) for batch in batches]))
            if self.left.get(self.step, 0):
                self.left[self.step] -= 1
                objective(model, batches[0]).backward()  # what it leaves must not be counted twice
                fails[self.step]()
            return real_step(model, optimizer, batches, rate, objective, **settings)

        patch.setattr(training_loop.Loop, "try_step", try_step)
        patch.setattr(trainer, "train_step", train_step)


def halved_remarks(folder):
    log = read_log(folder / "log.jsonl")
    return [one["text"] for one in log if "two halves" in one.get("text", "")]


def learnt(folder, step):
    """Weights and the optimiser's mean gradients. A bias of keys changes no attention: all it gets is rounding."""
    path = folder / "checkpoints" / f"step-{step}"
    raw = tensor_bytes(path / "model.safetensors") | tensor_bytes(path / "optimizer.safetensors")
    wanted = [name for name in raw if "key.bias" not in name and not name.endswith(("/exp_avg_sq", "/step"))]
    return {name: torch.frombuffer(bytearray(raw[name]), dtype=torch.float32) for name in wanted}


def largest_difference(one, other):
    assert set(one) == set(other)
    return max(float((one[name] - other[name]).abs().max()) for name in one)


@pytest.mark.parametrize("error", [of_a_gpu, of_the_cpu])
def test_batches_are_halved_once_and_the_update_stays_the_same(error, finished, tmp_path, monkeypatch, evidence):
    scarce = Scarce(monkeypatch, {2: error})
    code, output = run(tmp_path, RECIPE)
    assert code == 0
    whole, halves = scarce.calls[1], scarce.calls[2]  # of the second step, before and after
    assert [step for step, _, _ in scarce.calls] == [1, 2, 2, 3, 4]
    assert [count for _, count, _ in scarce.calls] == [1, 1, 2, 2, 2]
    assert sum(halves[2]) == sum(whole[2])
    assert max(halves[2]) == (max(whole[2]) + 1) // 2
    sentence = "out of memory at step 2: every batch is computed in two halves from now on"
    assert halved_remarks(tmp_path) == [sentence]
    assert output.count(sentence) == 1
    difference = largest_difference(learnt(finished, 2), learnt(tmp_path, 2))
    assert difference < 1e-6
    name = error.__name__.replace("_", " ")
    evidence("T17", f"out of memory {name}: times that batches were halved / that it was said", "1 / 1")
    evidence("T17", f"out of memory {name}: largest difference that halving makes to a weight", f"{difference:.0e}")


def test_a_resumed_run_remembers_that_batches_are_halved(tmp_path, monkeypatch, evidence):
    """And ends as the run that was not killed."""
    with monkeypatch.context() as patch:
        Scarce(patch, {2: of_a_gpu})
        assert run(tmp_path / "whole", RECIPE)[0] == 0

    def killed():
        def take_step(this, work, real=training_loop.Loop.take_step):
            if this.state.progress.step == 3:
                this.finish_saving()
                os.kill(os.getpid(), signal.SIGKILL)
            real(this, work)

        training_loop.Loop.take_step = take_step
        return run(tmp_path / "run", RECIPE)[0]

    with monkeypatch.context() as patch:
        Scarce(patch, {2: of_a_gpu})
        assert end_of(forked(killed)) == -signal.SIGKILL
    assert read_state(tmp_path / "run" / "checkpoints" / "step-1")[0].halved is False
    assert read_state(tmp_path / "run" / "checkpoints" / "step-3")[0].halved is True

    scarce = Scarce(monkeypatch, {})
    assert run(tmp_path / "run", RECIPE)[0] == 0
    assert [(step, count) for step, count, _ in scarce.calls] == [(4, 2)]
    assert result(tmp_path / "run") == result(tmp_path / "whole")
    evidence("T17", "halved batches over a resume", "remembered, bit-identical end")


def test_where_halves_do_not_fit_either_the_run_stops_with_advice(tmp_path, monkeypatch, finished, evidence):
    with monkeypatch.context() as patch:
        Scarce(patch, {2: of_a_gpu}, times=2)
        with pytest.raises(TrainingError) as stopped:
            run(tmp_path, RECIPE)
    sentence = str(stopped.value)
    assert sentence.startswith("out of memory at step 2 even with halved batches: training.tokens_per_batch is 1000;")
    assert "training.accumulate" in sentence
    assert "\n" not in sentence
    checkpoints = Checkpoints(tmp_path / "checkpoints")
    assert checkpoints.steps() == [1]
    check_manifest(checkpoints.path(1), FILES, [AVERAGE])
    assert run(tmp_path, RECIPE)[0] == 0
    assert result(tmp_path) == result(finished)
    evidence("T17", "out of memory twice", "a TrainingError with advice, the checkpoint whole, a bit-identical end")


def test_a_second_time_later_stops_too(tmp_path, monkeypatch):
    Scarce(monkeypatch, {2: of_a_gpu, 3: of_the_cpu})
    with pytest.raises(TrainingError, match="out of memory at step 3 even with halved batches"):
        run(tmp_path, RECIPE)
    assert len(halved_remarks(tmp_path)) == 1


def test_the_allocators_own_errors_are_recognised():
    with pytest.raises(RuntimeError) as cpu:
        of_the_cpu()
    assert is_out_of_memory(cpu.value)
    assert is_out_of_memory(MemoryError())
    assert is_out_of_memory(torch.OutOfMemoryError("out"))
    assert not is_out_of_memory(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))


def test_another_error_in_a_step_is_not_taken_for_a_lack_of_memory(tmp_path, monkeypatch):
    def broken():
        raise RuntimeError("shapes cannot be multiplied")

    Scarce(monkeypatch, {2: broken})
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        run(tmp_path, RECIPE)
    assert halved_remarks(tmp_path) == []


@pytest.fixture(scope="module")
def batches():
    prepared = prepare(RECIPE, cache_folder())
    return training_batches(RECIPE, prepared, choose_machine(RECIPE.training, prepared.model))


def in_time(work):
    """What the work gives or raises; a test that hangs fails instead."""
    answers = queue.Queue()

    def answer():
        try:
            answers.put((work(), None))
        except BaseException as error:
            answers.put((None, error))

    threading.Thread(target=answer, daemon=True).start()
    given, error = answers.get(timeout=PATIENCE)
    if error is not None:
        raise error
    return given


class Breaking:
    """Batches of which the n-th cannot be had."""

    def __init__(self, batches, number, error):
        self.batches, self.number, self.error = batches, number, error

    def stream(self, position):
        for count, found in enumerate(self.batches.stream(position), start=1):
            if count == self.number:
                raise self.error
            yield found


@pytest.mark.parametrize("number", [1, 2, 2 * AHEAD["cpu"] + 1, 2 * AHEAD["cpu"] + 9])
@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), MemoryError(), SystemExit(3)], ids=repr)
def test_an_error_in_the_background_is_raised_where_the_work_was_to_come_out(number, error, batches):
    def work():
        with Feed(Breaking(batches, number, error), Position(), 2, torch.device("cpu")) as feed:
            return [None for _ in feed]

    with pytest.raises(type(error)) as raised:
        in_time(work)
    assert raised.value is error


def test_an_error_in_the_background_ends_a_run(tmp_path, monkeypatch, evidence):
    """In a process of its own, so that a hang could be told: it ends with the error, and what was saved is whole."""

    def stream(this, position, real=Batches.stream):
        for count, found in enumerate(real(this, position)):
            if len(this.corpora) == 1 and count == 2 and threading.current_thread().name == "feed":
                raise DataError("corpus.tsv cannot be read any more")
            yield found

    def broken():
        monkeypatch.setattr(Batches, "stream", stream)
        try:
            run(tmp_path, RECIPE)
        except DataError:
            return 7
        return 0

    started = time.perf_counter()
    assert end_of(forked(broken)) == 7
    assert time.perf_counter() - started < PATIENCE
    checkpoints = Checkpoints(tmp_path / "checkpoints")
    assert checkpoints.steps() == [1, 2]
    for step in checkpoints.steps():
        check_manifest(checkpoints.path(step), FILES, [AVERAGE])
    evidence("T17", "an error in the thread that makes batches", "ends the run, 0 hangs, checkpoints whole")


def children():
    """Processes that this one has started: other tests may have left some, such as a compiler's."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            state_and_parent = stat.read_text().rpartition(")")[2].split()[:2]
            if int(state_and_parent[1]) == os.getpid():
                found.add(stat.parent.name)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_run_has_no_worker_processes(tmp_path, monkeypatch, evidence):
    seen, before = set(), children()

    def take_step(this, work, real=training_loop.Loop.take_step):
        real(this, work)
        seen.update(thread.name for thread in threading.enumerate())
        assert children() <= before

    monkeypatch.setattr(training_loop.Loop, "take_step", take_step)
    assert run(tmp_path, RECIPE)[0] == 0
    assert {"feed", "signals"} <= seen
    evidence("T17", "worker processes that could die (batches come from a thread of the run)", 0)


def test_closing_a_feed_never_hangs(batches, evidence):
    """At any moment: before the first work was taken, in between, with all places full, while it waits."""
    closed = 0
    for taken in (0, 1, AHEAD["cpu"] + 1):
        for pause in (0.0, 0.001, 0.02):

            def work(taken=taken, pause=pause):
                with Feed(batches, Position(), 2, torch.device("cpu")) as feed:
                    for _, _work in zip(range(taken), feed, strict=False):
                        pass
                    time.sleep(pause)
                return feed.thread

            assert not in_time(work).is_alive()
            closed += 1
    evidence("T17", "feeds that hang when they are closed", f"0 of {closed}")


def test_a_feed_with_an_error_that_nobody_reads_can_be_closed(batches):
    def work():
        with Feed(Breaking(batches, 1, OSError("gone")), Position(), 2, torch.device("cpu")) as feed:
            time.sleep(0.01)
        return feed.thread

    assert not in_time(work).is_alive()
