"""A command in a child of this process: all is imported already, so that it costs some hundredths of a second."""

import faulthandler
import gc
import io
import os
import pkgutil
import signal
import sys
import tempfile
import traceback
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module

import attendo
from attendo.cli.main import main
from tests.forked import end_of, forked

CRASHED = 98  # main ended in an exception: a bug of ours


@dataclass(frozen=True)
class Ended:
    code: int  # negative: the signal
    out: str
    err: str


def command(*arguments, encoding="utf-8", stdin=b"", seconds=30, before=None, cwd=None):
    """`attendo ARGUMENTS` with streams of its own in an encoding of the locale; `before` is called in the child."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)

        def work():
            for number, file in enumerate((given, out, err)):
                os.dup2(file.fileno(), number)
            sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding=encoding)
            sys.stdout = sys.__stdout__ = text_stream(1, encoding, "strict")
            sys.stderr = sys.__stderr__ = text_stream(2, encoding, "backslashreplace")
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(seconds)
            faulthandler.dump_traceback_later(0.9 * seconds, file=2)  # where it hangs
            sys.argv = ["attendo", *arguments]
            if cwd:
                os.chdir(cwd)
            if before:
                before()
            return run_main([str(word) for word in arguments])

        gc.freeze()  # so that the child need not copy what it only looks at
        code = end_of(forked(work))
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", errors="surrogateescape"))
    ended = Ended(code, *texts)
    if code:
        print(f"attendo {' '.join(map(str, arguments))}: {ended}")  # pytest shows it if the test fails
    return ended


OF_A_GPU = "attendo.engines.cuda.kernels."  # their compiler comes with torch's builds for GPUs


def import_all():
    """Once, here, and not again in every child."""
    for module in pkgutil.walk_packages(attendo.__path__, "attendo."):
        if not module.name.endswith("__main__") and not module.name.startswith(OF_A_GPU):
            import_module(module.name)
    for library in ("ctranslate2", "rich.progress", "rich.live", "sacrebleu", "matplotlib.figure"):
        import_module(library)


def run_main(arguments):
    try:
        main(arguments)
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
        code = CRASHED
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    return code


def text_stream(descriptor, encoding, errors):
    buffer = io.BufferedWriter(io.FileIO(descriptor, "w", closefd=False))
    return io.TextIOWrapper(buffer, encoding=encoding, errors=errors, line_buffering=descriptor == 2)


def raw_controls(text):
    """What a terminal would obey; a tab parts the columns of a table."""
    return sorted({letter for letter in text if not letter.isprintable() and letter not in "\n\t"})
