"""A value that is made in a thread of its own while something else is done, such as the plan of the next epoch."""

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

GoOn = Callable[[], None]  # asked now and then by long work; raises GivenUp when nobody wants its result any more


class GivenUp(Exception):  # noqa: N818 -- no error
    """Nobody wants the value any more."""


def go_on() -> None:
    """For work that nobody gives up."""


class Meanwhile(Generic[T]):
    """Begins at once. Leave it as a context manager, and nothing of it is left running.

    Threads do not outlive a fork: a child that asks makes the value itself.
    """

    def __init__(self, make: Callable[[GoOn], T]) -> None:
        self.make, self.process = make, os.getpid()
        self.given_up = threading.Event()
        self.made: list[T] = []
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self.run, name="meanwhile", daemon=True)
        self.thread.start()

    def run(self) -> None:
        try:
            self.made.append(self.make(self.check))
        except BaseException as error:  # whatever it is, it must not be lost with the thread
            self.error = error

    def check(self) -> None:
        if self.given_up.is_set():
            raise GivenUp

    def get(self) -> T:
        """The value, waited for, or the error that came instead; to be asked for once."""
        if self.process != os.getpid():
            return self.make(go_on)
        self.thread.join()
        if self.error is not None:
            raise self.error
        return self.made.pop()

    def __enter__(self) -> "Meanwhile[T]":
        return self

    def __exit__(self, *exception: object) -> None:
        if self.process == os.getpid():
            self.given_up.set()
            self.thread.join()
