"""A polite stop: the first signal asks, the second ends the process at once.

Files are whole or not there at every moment (durable.py), so an end at once harms none.
"""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
if hasattr(signal, "SIGUSR1"):  # what clusters send before they take the machine away
    EXIT_CODES[signal.SIGUSR1] = 143


class Stopped(BaseException):
    """Raised where a signal finds nothing worth finishing. Not an Exception: no library should swallow it."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(f"stopped with exit code {exit_code}")
        self.exit_code = exit_code


class Stop:
    """Inside `with Stop() as stop`, `stop.exit_code` tells whether the run was asked to end.

    Work that may be broken off anywhere runs inside `stop.at_once()`: there the first signal raises Stopped.
    """

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self.waiting = False

    def __enter__(self) -> "Stop":
        self.before = {number: signal.signal(number, self.heard) for number in EXIT_CODES}
        # Python runs a handler only between its own instructions; a thread hears of the second signal even while
        # the main one is deep inside a long call of a library.
        self.ours, self.theirs = socket.socketpair()
        self.theirs.setblocking(False)
        self.fd_before = signal.set_wakeup_fd(self.theirs.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self.listen, name="signals", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.set_wakeup_fd(self.fd_before)
        for number, handler in self.before.items():
            signal.signal(number, handler)
        self.theirs.close()

    def heard(self, number: int, frame: FrameType | None) -> None:
        self.exit_code = self.exit_code or EXIT_CODES[signal.Signals(number)]
        if self.waiting:
            self.waiting = False
            raise Stopped(self.exit_code)

    def listen(self) -> None:
        count = 0
        with self.ours:
            while heard := self.ours.recv(16):
                count += sum(number in EXIT_CODES for number in heard)
                if count > 1:
                    os._exit(EXIT_CODES[signal.Signals(heard[-1])])

    @contextmanager
    def at_once(self) -> Iterator[None]:
        if self.exit_code is not None:
            raise Stopped(self.exit_code)
        self.waiting = True
        try:
            yield
        finally:
            self.waiting = False
