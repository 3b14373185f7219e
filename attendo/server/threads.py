"""Threads for requests: made when they are needed, used again, and no reason for a process not to end."""

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue

NICE = 10  # of 19: how far a thread may stand back


@dataclass(eq=False)
class RequestThreads:
    """As many as run at once; who calls `start` sees to it that they are not too many. Each begins with `begin`."""

    begin: Callable[[], object] = lambda: None
    waiting: SimpleQueue[Callable[[], None]] = field(default_factory=SimpleQueue)
    idle: int = 0
    changing: threading.Lock = field(default_factory=threading.Lock)

    def start(self, work: Callable[[], None]) -> None:
        with self.changing:
            if self.idle:
                self.idle -= 1
                self.waiting.put(work)
                return
        threading.Thread(target=self.run, args=([work],), name="request", daemon=True).start()

    def run(self, first: list[Callable[[], None]]) -> None:
        """Nothing of a request is kept while nobody asks: neither by a variable, nor by what the thread began with."""
        self.begin()
        work = first.pop()
        while True:
            work()
            del work
            with self.changing:
                self.idle += 1
            work = self.waiting.get()


def stand_back() -> None:
    """The calling thread gets its processor after others. Linux alone knows this of a thread, and never takes it back:
    so these threads serve for nothing else."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
