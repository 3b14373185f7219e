"""Several ranks of a run on this machine, each a forked process: torch is imported already, so they start at once."""

import os
import signal
import socket
import time
from contextlib import suppress

from tests.forked import forked

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
