"""A polite stop: the first signal asks, the second ends.

Files are whole or not there at every moment (files/durable.py), so an end at once harms none.
"""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
for name in ("SIGUSR1", "SIGHUP"):  # what clusters send before they take the machine away; a terminal that is closed
    if hasattr(signal, name):
        EXIT_CODES[signal.Signals[name]] = 143


class Stopped(BaseException):
    """Raised where a signal finds nothing worth finishing. Not an Exception: no library should swallow it."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(f"stopped with exit code {exit_code}")
        self.exit_code = exit_code


class Stop:
    """Inside `with Stop() as stop`, `stop.exit_code` tells whether the run was asked to end.

    Work that may be broken off anywhere runs inside `stop.at_once()`: there the first signal raises Stopped. The
    second signal raises KeyboardInterrupt; where `ends_process`, as for a command, it ends the process at once.
    Python lets the main thread alone handle signals: in another thread, and outside `with`, nothing is ever asked.
    """

    def __init__(self, ends_process: bool = False) -> None:
        self.exit_code: int | None = None
        self.waiting = False
        self.ends_process = ends_process
        self.undo = ExitStack()

    def __enter__(self) -> "Stop":
        if threading.current_thread() is threading.main_thread():
            for number in EXIT_CODES:
                if number.name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN:
                    continue  # as `nohup` wants it
                self.undo.callback(signal.signal, number, signal.signal(number, self.handle))
            if self.ends_process:
                self.listen_in_thread()
        return self

    def __exit__(self, *exception: object) -> None:
        self.undo.close()

    def handle(self, number: int, frame: FrameType | None) -> None:
        if self.exit_code is not None and not self.ends_process:
            raise KeyboardInterrupt
        self.exit_code = self.exit_code or EXIT_CODES[signal.Signals(number)]
        if self.waiting:
            self.waiting = False
            raise Stopped(self.exit_code)

    def listen_in_thread(self) -> None:
        """Python runs a handler only between its own instructions; a thread hears of the second signal even while
        the main one is deep inside a long call of a library."""
        self.ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        self.undo.callback(theirs.close)
        self.undo.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False))
        threading.Thread(target=self.listen, name="signals", daemon=True).start()

    def listen(self) -> None:
        count = 0
        with self.ours:
            while received := self.ours.recv(16):
                count += sum(number in EXIT_CODES for number in received)
                if count > 1:
                    os._exit(EXIT_CODES[signal.Signals(received[-1])])

    @contextmanager
    def at_once(self) -> Iterator[None]:
        if self.exit_code is not None:
            raise Stopped(self.exit_code)
        self.waiting = True
        try:
            yield
        finally:
            self.waiting = False
