"""Several processes on one machine, each a runner of its own: on a CPU some cores each, or a GPU each.

Each is started anew (spawn) and loads the model for itself: threads of an engine do not survive a fork. The parent
translates nothing. It sees who dies, gives back what that one held, counts it as an attempt at the shard, and starts
another.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing import connection, get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path

from attendo.bulk.lease import BACK, give_back, look_at
from attendo.bulk.marker import note_attempt
from attendo.bulk.plan import Plan, read_plan
from attendo.bulk.run import RunnerMachine, Share, load_translator, run, unsettled
from attendo.bulk.runner import Runner, this_runner
from attendo.errors import AttendoError, ConfigError
from attendo.report.language import Language
from attendo.report.messages import say
from attendo.training.stop import Stop, Stopped

logger = logging.getLogger("attendo")

LOOK_EVERY = 0.5  # seconds
LAST_WORDS = 60.0  # seconds that a worker has to give back its shard
MOST_WORKERS = 1_024


@dataclass(frozen=True, kw_only=True)
class WorkerOrder:
    """What a worker is told; plain values, as it is another process."""

    folder: Path
    machine: RunnerMachine
    share: Share
    group: str
    gpu: str | None = None  # the one it sees
    language: Language = "en"


def orders(
    folder: Path, machine: RunnerMachine, share: Share, workers: int, group: str, language: Language
) -> list[WorkerOrder]:
    """For so many workers: the cores shared out among them, or the GPUs."""
    order = WorkerOrder(folder=folder, machine=machine, share=share, group=group, language=language)
    if machine.device.startswith("cuda"):
        gpus = visible_gpus()
        return [replace(order, gpu=gpus[index % len(gpus)]) for index in range(workers)]
    threads = machine.threads or max(usable_cores() // workers, 1)
    return [replace(order, machine=replace(machine, threads=threads))] * workers


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def usual_workers(machine: RunnerMachine) -> int:
    """One for each GPU; on a CPU one for each core: what was measured is in docs/bulk.md."""
    if machine.device.startswith("cuda"):
        return len(visible_gpus())
    return max(usable_cores() // (machine.threads or 1), 1)


def visible_gpus() -> list[str]:
    """As CUDA_VISIBLE_DEVICES names them, or else by their numbers."""
    if named := os.environ.get("CUDA_VISIBLE_DEVICES"):
        return named.split(",")
    try:
        import torch
    except ModuleNotFoundError as error:
        raise ConfigError(
            "--device cuda needs torch: pip install 'attendo[train]' (in a clone: make install)"
        ) from error
    if not torch.cuda.device_count():
        raise ConfigError("device is 'cuda', but torch finds no GPU here: expected auto or cpu")
    return [str(index) for index in range(torch.cuda.device_count())]


# --- in a worker


def work(order: WorkerOrder) -> None:
    """The whole life of a worker; its exit code is its answer."""
    if order.gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = order.gpu  # before torch is there
    log_to_stderr(order.language)
    threading.Thread(target=end_with_parent, name="parent", daemon=True).start()
    code = 0
    try:
        with Stop(ends_process=True) as stop:
            run(order.folder, lambda plan: load_translator(plan, order.machine), stop, order.share, group=order.group)
    except Stopped as stopped:
        code = stopped.exit_code
    except AttendoError as error:
        logger.error(str(error))
        code = error.exit_code
    os._exit(code)  # at once: what libraries do on their way out could hang, and all is on the disk


def end_with_parent() -> None:
    """A parent that was killed leaves nobody to look after us."""
    if parent := parent_process():
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


def log_to_stderr(language: Language) -> None:
    class StderrLines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = " ".join(say(record.getMessage(), language).split())
            os.write(2, f"attendo: {text}\n".encode("utf-8", errors="replace"))

    logger.handlers = [StderrLines()]
    logger.setLevel(logging.INFO)
    logger.propagate = False


# --- in the parent


class Crew:
    """The workers of one command."""

    def __init__(self, plan: Plan, told: list[WorkerOrder]) -> None:
        self.plan, self.told = plan, told
        self.context = get_context("spawn")
        self.at_work: dict[int, BaseProcess] = {}
        self.code = 0

    def start(self, index: int) -> None:
        process = self.context.Process(target=work, args=(self.told[index],), name=f"worker {index}")
        process.start()
        self.at_work[index] = process

    def look(self) -> None:
        """Wait a moment; who has ended by himself is done, who was killed is replaced while there is work."""
        connection.wait([process.sentinel for process in self.at_work.values()], timeout=LOOK_EVERY)
        for index, process in list(self.at_work.items()):
            if process.is_alive():
                continue
            process.join()
            del self.at_work[index]
            code = process.exitcode or 0
            if code >= 0:
                self.code = max(self.code, code)
                continue
            name = signal.Signals(-code).name
            held = self.release(process.pid or 0, f"its worker was ended by {name}")
            logger.warning(f"a worker was ended by {name}; {held} of its shards given back")
            if unsettled(self.plan, self.told[index].share):
                self.start(index)

    def release(self, pid: int, reason: str) -> int:
        """What a dead worker held: nobody has to wait until it is stale."""
        held = 0
        me = this_runner(self.told[0].group)
        for path in self.plan.shard_folder.glob("*.lease-*"):
            holder = None if path.name.endswith(BACK) else look_at(path)
            if holder and is_his(holder.runner, pid, me.group):
                note_attempt(self.plan, self.plan.shards[int(path.name.partition(".")[0])], me, reason)
                give_back(path)
                held += 1
        return held

    def stop(self, code: int) -> None:
        """Everybody gives back what he holds, and goes; who does not is made to."""
        for process in self.at_work.values():
            process.terminate()
        until = time.monotonic() + LAST_WORDS
        for process in self.at_work.values():
            process.join(max(until - time.monotonic(), 0.1))
            if process.is_alive():
                process.kill()
                process.join()
        self.at_work, self.code = {}, code


def is_his(runner: Runner | None, pid: int, group: str) -> bool:
    return runner is not None and (runner.pid, runner.group) == (pid, group)


def run_workers(
    folder: Path,
    machine: RunnerMachine,
    share: Share,
    workers: int,
    on_look: Callable[[], None] = lambda: None,
    language: Language = "en",
) -> int:
    """The exit code: 0 where all that could be taken is done."""
    plan = read_plan(folder)
    told = orders(folder, machine, share, min(workers, MOST_WORKERS), this_runner().id, language)
    with Stop() as stop:
        crew = Crew(plan, told)
        try:
            for index in range(min(len(told), len(unsettled(plan, share)))):
                crew.start(index)
            while crew.at_work and stop.exit_code is None:
                crew.look()
                on_look()
        finally:
            crew.stop(stop.exit_code or crew.code)
    return crew.code
