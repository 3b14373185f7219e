"""Threads for requests: made when they are needed, used again, and no reason for a process not to end."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue


@dataclass(eq=False)
class RequestThreads:
    """As many as run at once; who calls `start` sees to it that they are not too many."""

    waiting: SimpleQueue[Callable[[], None]] = field(default_factory=SimpleQueue)
    idle: int = 0
    changing: threading.Lock = field(default_factory=threading.Lock)

    def start(self, work: Callable[[], None]) -> None:
        with self.changing:
            if self.idle:
                self.idle -= 1
                self.waiting.put(work)
                return
        threading.Thread(target=self.run, args=(work,), name="request", daemon=True).start()

    def run(self, work: Callable[[], None]) -> None:
        while True:
            work()
            with self.changing:
                self.idle += 1
            work = self.waiting.get()
