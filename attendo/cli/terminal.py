"""What a command writes, and to where.

One rule for both streams, whatever the locale or PYTHONIOENCODING say: **UTF-8**, as all files of attendo are; half
a surrogate pair, which UTF-8 cannot spell, becomes a question mark. What people read is written by `print_result` and
`print_note`, and holds no character that a terminal would obey instead of showing it: names of files, models and
languages may come from strangers. Translations and --json are the user's own data, and go to stdout as they are.

A stderr that cannot be written to (closed, a full disk, a pipe that nobody reads) changes nothing: the result and the
exit code are as without it. A stdout that cannot be is an error like any other, as the result is lost.
"""

import io
import json
import os
import sys
import traceback
from contextlib import suppress
from types import TracebackType

import typer

from attendo.report.formatting import visible_lines


def as_utf8(text: str) -> str:
    """An argument of the command as it was typed: in a locale that knows ASCII alone, Python cannot read the others.

    What is no UTF-8 either stays as Python gives it, in halves of surrogate pairs.
    """
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a half that stands for no byte
        return text


def print_result(text: str) -> None:
    """Lines for people, on stdout."""
    typer.echo(visible_lines(as_utf8(text)))


def print_note(text: str) -> None:
    """Lines about the work, on stderr."""
    typer.echo(visible_lines(as_utf8(text)), err=True)


def print_json(value: object) -> None:
    """For machines, on stdout."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", errors="replace"))


class Unfailing(io.RawIOBase):
    """The bytes of a descriptor; what it does not take is dropped. Without one, all is."""

    def __init__(self, descriptor: int | None) -> None:
        self.descriptor = descriptor

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        block = memoryview(data)  # type: ignore[arg-type]
        try:
            return len(block) if self.descriptor is None else os.write(self.descriptor, block)
        except OSError:
            return len(block)

    def isatty(self) -> bool:
        return self.descriptor is not None and os.isatty(self.descriptor)

    def fileno(self) -> int:
        if self.descriptor is None:
            raise io.UnsupportedOperation("a stream without a descriptor")
        return self.descriptor


def wait_for_stdin() -> None:
    """Who started us may have left stdin such that a read gives nothing where nothing is there yet (O_NONBLOCK: node,
    ssh and event loops do). That would look like the end of it, and all lines to come would be lost."""
    with suppress(AttributeError, OSError, ValueError):  # there is none, it is closed, or an object of somebody's own
        os.set_blocking(sys.stdin.fileno(), True)


def set_up_streams() -> None:
    """Those that the process was started with; who has put others in their place wants them as they are."""
    fill_descriptors()
    if sys.stdout is None:  # closed by who called: what is written to it fails, as to any file that is closed
        sys.stdout = io.TextIOWrapper(io.FileIO(os.open(os.devnull, os.O_RDONLY), "w"), encoding="utf-8")
    elif sys.stdout is sys.__stdout__ and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        raw = Unfailing(None if sys.stderr is None else sys.stderr.fileno())
        # Each line goes out at once. Of the old stream nothing is waiting to be written.
        sys.stderr = io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="replace", line_buffering=True)
    sys.excepthook = show_traceback


def fill_descriptors() -> None:
    """Where 0, 1 or 2 is closed, the next file that is opened would get that number, and what some library writes to
    "stderr" would end in the user's file."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest that is free


def show_traceback(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    """For --debug, and for a bug of ours: a traceback quotes what a file holds."""
    sys.stderr.write(visible_lines("".join(traceback.format_exception(kind, error, where)).rstrip("\n")) + "\n")
