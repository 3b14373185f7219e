"""A process that dies at each of its calls of the system in turn, and folders for it to write."""

import os
from itertools import count

from attendo.files.durable import exchange, new_folder
from tests.forked import end_of, forked

CALLS = (
    "open", "close", "mkdir", "fsync", "chmod", "replace", "rename", "unlink", "rmdir", "umask", "fdopen", "scandir",
)  # fmt: skip
CRASHED = 9
OLD, NEW = b"old " * 1000, b"new " * 2000
OLD_FOLDER, NEW_FOLDER = (dict.fromkeys(("a", "b"), text * 100) for text in (b"old", b"new"))


class InPieces:
    """A file whose every write reaches the disk in two halves."""

    def __init__(self, file, tick):
        self.file, self.tick = file, tick

    def write(self, data):
        middle = len(data) // 2
        for piece in (data[:middle], data[middle:]):
            self.file.write(piece)
            self.file.flush()
            self.tick()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()


def crash_at_every_call(work, look, *, most=200):
    """`work` in a process that dies at its first call of the system, then at its second, until it is done.

    `look` sees what each leaves behind. How many deaths there were.
    """
    for place in count():
        assert place < most

        def run(place=place):
            calls = count()

            def tick():
                if next(calls) == place:
                    os._exit(CRASHED)

            def watched(call):
                def first_tick(*arguments, **options):
                    tick()
                    result = call(*arguments, **options)
                    return InPieces(result, tick) if call is fdopen else result

                return first_tick

            fdopen = os.fdopen
            os.fsync = lambda descriptor: None  # what it is for, only a power cut would show
            for name in CALLS:
                setattr(os, name, watched(getattr(os, name)))
            work()

        code = end_of(forked(run))
        assert code in (0, CRASHED)
        look(code == 0)
        if code == 0:
            return place
    return 0


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def fill(path, text, **options):
    with new_folder(path, **options) as folder:
        lay(folder, text)


def lay(folder, text):
    """Two files, by calls that can be watched."""
    for name in ("a", "b"):
        with os.fdopen(os.open(folder / name, os.O_WRONLY | os.O_CREAT), "wb") as file:
            file.write(text * 100)


def lay_anew(folder, text):
    remove(folder)
    folder.mkdir()
    lay(folder, text)


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else None


def remove(folder):
    if folder.exists():
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


def can_exchange(folder):
    one, other = folder / "one", folder / "other"
    one.mkdir()
    other.mkdir()
    (one / "x").touch()
    able = exchange(one, other)
    remove(one)
    remove(other)
    return able
