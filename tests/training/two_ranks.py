"""Several ranks of a run on this machine, each a forked process: torch is imported already, so they start at once.

torchrun -m tests.training.two_ranks POINT FOLDER     a run of which a rank is killed, once
"""

import os
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

import torch

from attendo.engines.cpu.training import LeanTeacherForcing
from attendo.training.checkpoints import Checkpoints
from tests.forked import forked
from tests.training.tiny_run import run, tiny_recipe

PATIENCE = 120  # seconds that a busy machine may take; what is measured is told as evidence


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def in_ranks(work, world=2):
    """`work(rank)` in each rank; their process ids. The environment is as torchrun sets it."""
    port = str(free_port())

    def as_rank(rank):
        numbers = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": world, "LOCAL_WORLD_SIZE": world}
        os.environ |= {name: str(number) for name, number in numbers.items()}
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        return work(rank)

    return [forked(lambda rank=rank: as_rank(rank)) for rank in range(world)]


def ends_of(processes, patience=PATIENCE):
    """Exit codes, negative for a signal, and the seconds until the last came. One that hangs fails the test."""
    started = time.monotonic()
    codes = {}
    while len(codes) < len(processes) and time.monotonic() - started < patience:
        for process in set(processes) - set(codes):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                codes[process] = os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    hanging = [process for process in processes if process not in codes]
    for process in hanging:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    assert not hanging, f"{len(hanging)} of {len(processes)} ranks hang; the others ended with {list(codes.values())}"
    return [codes[process] for process in processes], time.monotonic() - started


def die(stamp):
    """As by the kernel, with no chance to say a word; once, so that the run can go on when it is started again."""
    if not stamp.exists():
        stamp.touch()
        os.kill(os.getpid(), signal.SIGKILL)


def in_forward(rank, stamp):
    real, seen = LeanTeacherForcing.__call__, []

    def dies(this, model, batch):
        seen.append(batch)
        if rank == 1 and model.training and len(seen) > 6:
            die(stamp)
        return real(this, model, batch)

    LeanTeacherForcing.__call__ = dies


def in_all_reduce(rank, stamp):
    """With a bucket of gradients sent and none waited for."""
    real, seen = torch.distributed.all_reduce, []

    def dies(tensor, *arguments, **keywords):
        sent = real(tensor, *arguments, **keywords)
        if keywords.get("async_op"):
            seen.append(sent)
            if rank == 1 and len(seen) > 6:
                die(stamp)
        return sent

    torch.distributed.all_reduce = dies


def in_save(rank, stamp):
    """Rank 0: no other writes."""
    real = Checkpoints.save

    def dies(this, snapshot, fingerprint):
        if snapshot.progress.step >= 6:
            die(stamp)
        return real(this, snapshot, fingerprint)

    Checkpoints.save = dies


KILLS = {"forward": in_forward, "all-reduce": in_all_reduce, "save": in_save}


if __name__ == "__main__":
    torch.set_num_threads(1)
    folder = Path(sys.argv[2])
    KILLS[sys.argv[1]](int(os.environ["RANK"]), folder / "killed")
    sys.exit(run(folder / "run", tiny_recipe(training={"max_steps": 9}))[0])
