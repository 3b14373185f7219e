"""A translated file that survives kill -9: what is done is on the disk, and the same command resumes after it.

    FILE.partial          the lines that are done
    FILE.partial.jsonl    their journal

A chunk is forced to the disk before the journal tells of it, so what the journal tells of is there; what stands after
that is cut off. FILE itself gets its name when all is done, and then the journal goes.
"""

import hashlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Self

from attendo.documents.journal import (
    Entry,
    Journal,
    RunDescription,
    differences,
    head_line,
    read_journal,
    read_record,
    sealed_line,
    write_record,
)
from attendo.documents.line_reader import LineReader
from attendo.documents.pipeline import Account
from attendo.errors import InputError, WriteError
from attendo.files.durable import cannot_write, lock, sync_folder

logger = logging.getLogger("attendo")

BESIDE = (".partial", ".partial.jsonl")
BESIDE_DOCUMENT = (".segments.jsonl", ".report.json")
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # no other file is written through a link in place of the journal
ANEW = "without --resume the translation begins anew"
NOTHING_TO_DO = "%s is there already, made by the same command: nothing to do"


class DurableOutput:
    """The output of a run; a context manager. What is not finished stays, to be resumed.

    `finished` is true where the file was there already, whole.
    """

    def __init__(
        self, path: Path, run: RunDescription, engine: str, reader: LineReader | None, *, resume: bool
    ) -> None:
        self.path = path.resolve() if path.is_symlink() else path
        self.partial, self.journal = (self.path.with_name(f"{self.path.name}{ending}") for ending in BESIDE)
        self.run, self.engine = run, engine
        self.last = Entry()
        self.seal = ""  # of the journal's last line
        self.written = hashlib.sha256()  # all output up to here
        self.out: BinaryIO | None = None
        self.finished = False
        self.notes = self.lock_journal()
        try:
            old = read_journal(self.notes, self.journal)
            if old is None and self.partial.exists():
                raise InputError(f"{self.partial} is in the way: it has no journal of a translation beside it")
            if resume and reader:
                self.resume(old, reader)
            elif old:
                self.warn_of_loss(old)
        except BaseException:
            self.close()
            raise

    @property
    def account(self) -> Account:
        return self.last.account

    @property
    def hint(self) -> str:
        """For who stops before the end."""
        if not self.account.lines or self.run["input_bytes"] is None:
            return ""
        return f"{self.account.lines:,} lines are done: the same command with --resume continues after them"

    def lock_journal(self) -> BinaryIO:
        if self.journal.is_symlink() or (self.journal.exists() and not self.journal.is_file()):
            raise InputError(f"{self.journal} is in the way: it is no journal of a translation")
        try:
            notes = os.fdopen(os.open(self.journal, os.O_RDWR | os.O_CREAT | NO_LINK, 0o666), "r+b")
        except OSError as error:
            raise cannot_write(self.path, error) from error
        if not lock(notes.fileno()) or not is_still_there(notes, self.journal):
            notes.close()
            raise InputError(f"another run is writing {self.path}: wait for it, or name another file with -o")
        return notes

    def warn_of_loss(self, old: Journal) -> None:
        lines = old.last.account.lines
        if lines and self.partial.exists() and old.run == self.run and self.run["input_bytes"] is not None:
            logger.warning(
                f"{self.partial} holds {lines:,} lines of a run that was stopped: --resume would continue after them, "
                "now all begins anew"
            )

    def resume(self, old: Journal | None, reader: LineReader) -> None:
        """Find where the run was stopped, in the output and in the input."""
        if old and old.changed:
            raise InputError(f"{self.journal}, line {old.changed} is not what was written there; {ANEW}")
        if old is None or not old.last.end:
            if self.path.exists() and not self.partial.exists():
                self.check_finished(reader)
            return
        if others := differences(old.run, self.run):
            raise InputError(f"{self.partial} was made with {others}: --resume takes the same command; {ANEW}")
        reader.skip(old.last.account.lines)
        if not is_at(reader, old.last.account):
            raise InputError(f"{self.partial} was made from another {reader.name}; {ANEW}")
        done = self.path if old.last.whole and not self.partial.exists() else self.partial
        if size_of(done) < old.last.size:
            raise InputError(f"{done} is shorter than its journal says; {ANEW}")
        self.written = hash_of(done, old.last.size)
        longer = done == self.path and size_of(done) != old.last.size  # what follows in a partial file is cut off
        if longer or self.written.hexdigest() != old.last.output:
            raise InputError(f"{done} is not what was written there: its sha256 is another; {ANEW}")
        self.last, self.seal = old.last, old.last.seal
        if done == self.path:
            self.put_away()  # stopped between the last two things to do
            logger.info(NOTHING_TO_DO, self.path)
            return
        logger.info(f"resuming {self.partial} after line {self.account.lines:,}")
        if old.engine != self.engine:
            logger.warning(f"it was begun by another engine: {old.engine}; now it is {self.engine}")

    def check_finished(self, reader: LineReader) -> None:
        """Made by this very command from this very input, or else not ours to judge."""
        known = read_record(self.path)
        if known is None:
            raise InputError(f"{self.path} is there, and nothing tells that this command made it; {ANEW}")
        run, entry = known
        if others := differences(run, self.run):
            raise InputError(f"{self.path} was made with {others}: --resume takes the same command; {ANEW}")
        reader.skip()
        if not is_at(reader, entry.account):
            raise InputError(f"{self.path} was made from another {reader.name}; {ANEW}")
        if size_of(self.path) != entry.size or hash_of(self.path, entry.size).hexdigest() != entry.output:
            raise InputError(f"{self.path} was changed after this command made it; {ANEW}")
        self.last, self.finished = entry, True
        logger.info(NOTHING_TO_DO, self.path)

    def add(self, data: bytes, account: Account) -> None:
        with self.explain_failure():
            out = self.out or self.begin()
            out.write(data)
            force(out)
            self.written.update(data)
            self.note(account, self.last.size + len(data))

    def begin(self) -> BinaryIO:
        """What an earlier run left is touched only now, when there is something to replace it."""
        if self.last.end:
            self.notes.truncate(self.last.end)
            self.out = self.partial.open("r+b")
            self.out.truncate(self.last.size)
            self.out.seek(self.last.size)
        else:
            self.partial.unlink(missing_ok=True)  # before its journal: it must not lie there without one
            self.notes.truncate(0)
            self.notes.seek(0)
            head, self.seal = head_line(self.run, self.engine)
            self.notes.write(head)
            force(self.notes)
            self.out = self.partial.open("wb")
            sync_folder(self.path.parent)
        return self.out

    def note(self, account: Account, size: int, *, whole: bool = False) -> None:
        entry = Entry(account, size, self.written.hexdigest(), whole)
        line, self.seal = sealed_line(entry.to_dict(), self.seal)
        self.notes.seek(0, os.SEEK_END)
        self.notes.write(line)
        force(self.notes)
        self.last = entry

    def finish(self) -> None:
        """All is translated: the file gets its name."""
        with self.explain_failure():
            (self.out or self.begin()).close()
            self.note(self.account, self.last.size, whole=True)
            self.partial.replace(self.path)
            sync_folder(self.path.parent)
        self.put_away()

    def put_away(self) -> None:
        write_record(self.path, self.run, self.last)
        self.finished = True

    @contextmanager
    def explain_failure(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise WriteError("; ".join(filter(None, (str(cannot_write(self.path, error)), self.hint)))) from error

    def close(self) -> None:
        """The journal of a finished run goes, and one in which nothing stands: while it is still ours alone."""
        if self.finished or os.fstat(self.notes.fileno()).st_size == 0:
            with suppress(OSError):
                self.journal.unlink()
        for file in (self.out, self.notes):
            with suppress(OSError):  # what a full disk did not take; we have heard of it
                if file:
                    file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def is_at(reader: LineReader, account: Account) -> bool:
    return (reader.lines, reader.read) == (account.lines, account.read)


def is_still_there(notes: BinaryIO, path: Path) -> bool:
    """A run that ended between our opening the journal and our locking it has removed it."""
    try:
        return os.path.samestat(os.fstat(notes.fileno()), path.stat())
    except FileNotFoundError:
        return False


def size_of(path: Path) -> int:
    """0 where there is no file."""
    return path.stat().st_size if path.exists() else 0


def hash_of(path: Path, size: int) -> "hashlib._Hash":
    """sha256 of so many bytes from the beginning; more can be added to it."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while size and (block := file.read(min(size, 2**20))):
            found.update(block)
            size -= len(block)
    return found


def force(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
