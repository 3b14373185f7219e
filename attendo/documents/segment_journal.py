"""The answers of a document on their way, so that a run that was killed goes on where it was.

    FILE.segments.jsonl
    {"attendo": "document", "format": 1, "run": {"model": …, "to": …, "document": …}, "seal": …}
    {"key": "8f3c…", "text": "Guten Morgen.", "ledger": {…}, "warnings": [], "unplaced": [], "seal": …}

A segment is known by the hash of its text, so a document of which a part was changed meanwhile keeps what is still the
same. Seals as in journal.py. When the document is written, the journal goes.
"""

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self

from attendo.documents.durable_output import ANEW, NO_LINK, force, is_still_there
from attendo.documents.journal import RunDescription, differences, parsed, read_seal, sealed_line
from attendo.documents.segment_answer import SegmentAnswer, answer_from_dict
from attendo.errors import InputError, WriteError
from attendo.files.durable import cannot_write, lock

logger = logging.getLogger("attendo")

FORMAT = 1
ENDING = ".segments.jsonl"
LONGEST_LINE = 10_000_000  # bytes


class SegmentJournal:
    """A context manager; what is not finished stays, to be resumed."""

    def __init__(self, target: Path, run: RunDescription, *, resume: bool) -> None:
        self.target, self.run = target, run
        self.path = target.with_name(f"{target.name}{ENDING}")
        self.answers: dict[str, SegmentAnswer] = {}
        self.seal = ""
        self.file = self.opened()
        try:
            end = self.read(resume=resume)
            self.file.truncate(end)
            self.file.seek(end)
            if not end:
                head, self.seal = sealed_line({"attendo": "document", "format": FORMAT, "run": run})
                self.write(head)
        except BaseException:
            self.file.close()
            raise

    def opened(self) -> BinaryIO:
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_file()):
            raise InputError(f"{self.path} is in the way: it is no journal of a document")
        try:
            file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o666), "r+b")
        except OSError as error:
            raise cannot_write(self.target, error) from error
        if not lock(file.fileno()) or not is_still_there(file, self.path):
            file.close()
            raise InputError(f"another run is writing {self.target}: wait for it, or name another file with -o")
        return file

    def read(self, *, resume: bool) -> int:
        """Take over what an earlier run knew; up to which byte that is good."""
        first = self.file.readline(LONGEST_LINE)
        if not first:
            return 0
        seal = read_seal(first)
        match parsed(first) if seal else None:
            case {"attendo": "document", "format": int(version), "run": dict(run)}:
                if not resume:
                    self.warn_of_loss(run)
                    return 0
                if version != FORMAT:
                    raise InputError(f"{self.path} has format {version}, expected {FORMAT}; {ANEW}")
                if others := differences(run, self.run):
                    raise InputError(f"{self.path} was made with {others}: --resume takes the same command; {ANEW}")
            case _:
                raise InputError(f"{self.path} is in the way: it is no journal of a document")
        end = len(first)
        self.seal = seal or ""
        while (line := self.file.readline(LONGEST_LINE)) and (seal := read_seal(line, self.seal)):
            table = parsed(line)
            try:
                self.answers[str(table["key"])] = answer_from_dict(table)
            except (ValueError, LookupError, TypeError):
                break
            end, self.seal = end + len(line), seal
        return end

    def warn_of_loss(self, run: RunDescription) -> None:
        if run == self.run and (lines := sum(1 for _ in self.file)):
            logger.warning(
                f"{self.path} holds {lines:,} segments of a run that was stopped: --resume would continue after them, "
                "now all begins anew"
            )

    def add(self, answers: Mapping[str, SegmentAnswer]) -> None:
        """They are on the disk when this returns."""
        lines = []
        for key, answer in answers.items():
            line, self.seal = sealed_line({"key": key} | answer.to_dict(), self.seal)
            lines.append(line)
        self.write(b"".join(lines))
        self.answers |= answers

    def write(self, data: bytes) -> None:
        try:
            self.file.write(data)
            force(self.file)
        except OSError as error:
            raise WriteError(str(cannot_write(self.path, error))) from error

    def finish(self) -> None:
        """The document is written: nothing is left to resume."""
        with suppress(OSError):
            self.path.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if not self.answers:
            self.finish()
        self.file.close()
