"""What each process must make for itself: a child that was forked has none of its parent's threads.

CTranslate2 gives its work to threads. In a child of `os.fork` (multiprocessing, gunicorn --preload) the object is there
and the threads are not: it waits for an answer for ever, and for the threads to end when it is taken away. OpenMP keeps
helpers for each thread that computes, and the one that forked would wait for its own in the child: so there a value is
made in a thread that never had any.
"""

import ctypes
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar
from weakref import WeakSet

T = TypeVar("T")

EVERY: "WeakSet[OfThisProcess[object]]" = WeakSet()
PARENT = os.getpid()  # or this process, if nobody has forked it


class OfThisProcess(Generic[T]):
    """One value, made at once, or when it is first asked for; and again in each forked child that asks for it."""

    def __init__(self, make: Callable[[], T], *, at_once: bool = True) -> None:
        self.make, self.lock = make, threading.Lock()
        self.value: T | None = self.made() if at_once else None
        EVERY.add(self)  # type: ignore[arg-type]

    def get(self) -> T:
        if self.value is None:
            with self.lock:  # threads of the child may ask at the same time
                if self.value is None:
                    self.value = self.made()
        return self.value

    def made(self) -> T:
        if os.getpid() == PARENT:
            return self.make()
        with ThreadPoolExecutor(1) as fresh:
            return fresh.submit(self.make).result()

    def forget(self) -> None:
        """In a child: the parent's is of no use, and must not be taken away either, not even when the child ends."""
        if self.value is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.value))
        self.value, self.lock = None, threading.Lock()  # another thread of the parent may have held the lock


def forget_all() -> None:
    for one in EVERY:
        one.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_all)
