"""A document through a translator into a file: find, translate, write.

Everything is found before anything is translated, and everything is translated before a byte is written: the file gets
its name when it is whole. On the way the answers are in a journal (segment_journal.py).
"""

import hashlib
import logging
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from attendo.documents.document import AroundChange, Change, Document, DocumentSegment, Writing
from attendo.documents.document_report import DocumentAccount, DocumentOutcome, DocumentReport, SegmentNote
from attendo.documents.durable_output import ANEW, NOTHING_TO_DO, hash_of, size_of
from attendo.documents.journal import Entry, RunDescription, differences, read_record, write_record
from attendo.documents.line_reader import Chunk
from attendo.documents.memory import TranslationMemory
from attendo.documents.pipeline import TranslationListener
from attendo.documents.segment_answer import SegmentAnswer
from attendo.documents.segment_journal import SegmentJournal
from attendo.documents.segment_translation import AskedText, SegmentTranslator
from attendo.errors import InputError, UsageError
from attendo.files.durable import write_file
from attendo.translation.answer import Ledger, total

logger = logging.getLogger("attendo")

MOST_WARNINGS = 10
MARKUP_SIGN = re.compile("[<>&]")


@dataclass(frozen=True)
class TranslatedDocument:
    """All there is to write and to say."""

    changes: Sequence[Change]
    report: DocumentReport
    ledger: Ledger


def put_together(
    key: str,
    document: Document,
    answers: Sequence[SegmentAnswer | None],
    writing: Writing,
    remembered: frozenset[int] = frozenset(),
) -> TranslatedDocument:
    """The changes of all segments; None among the answers is a segment that has nothing to translate or is kept.

    An answer that would break the document is not taken: the segment stays as it is, and that is said.
    """
    changes: list[Change] = []
    outcomes: list[DocumentOutcome] = []
    notes: list[SegmentNote] = []
    refused = 0
    for index, (segment, answer) in enumerate(zip(document.segments, answers, strict=True)):
        problem = document.problem(index, answer.text) if answer else segment.kept
        if answer and not problem:
            changes += document.changes(index, answer.text, writing)
            outcome: DocumentOutcome = "from memory" if index in remembered else "translated"
            why = answer.warnings
        else:
            outcome = "refused" if answer else "kept"
            refused += answer is not None
            why = (problem,) if problem else ()
        outcomes.append(outcome)
        unplaced = answer.unplaced if answer and not problem else ()
        if why or unplaced or outcome == "from memory":
            notes.append(SegmentNote(segment.place, segment.kind, outcome, why, unplaced))
    around: Sequence[AroundChange] = document.around(writing)
    changes += [one.change for one in around]
    report = DocumentReport(key, outcomes, notes, [(one.place, one.what) for one in around])
    return TranslatedDocument(changes, report, Ledger(untranslated=refused))


def warn_of(notes: Sequence[SegmentNote], name: str) -> None:
    """Of the first few; the report has them all."""
    worth = [note for note in notes if note.outcome == "refused" or (note.outcome == "translated" and note.why)]
    for note in worth[:MOST_WARNINGS]:
        kept = "left untranslated: " if note.outcome == "refused" else ""
        logger.warning(f"{name}, {note.place}: {kept}{'; '.join(note.why)}")
    if len(worth) > MOST_WARNINGS:
        logger.warning(f"and {len(worth) - MOST_WARNINGS:,} more remarks")


@dataclass(frozen=True, kw_only=True)
class DocumentRun:
    """One document, how it is translated, and where it goes; without a target to a stream."""

    key: str
    document: Document
    name: str
    asking: SegmentTranslator
    target: Path | None
    writing: Writing
    run: RunDescription  # all that decides an answer
    memory: TranslationMemory = field(default_factory=dict)
    resume: bool = False

    def __post_init__(self) -> None:
        if self.writing.bilingual != "none" and not self.document.can_be_bilingual:
            raise UsageError(f"--bilingual is not for this kind of file: {self.name}")

    @property
    def read(self) -> str:
        return hashlib.sha256(self.document.data).hexdigest()

    @property
    def whole_run(self) -> RunDescription:
        """All that decides what is written."""
        memory = hashlib.sha256(repr(sorted(self.memory.items())).encode()).hexdigest() if self.memory else ""
        return self.run | {"bilingual": self.writing.bilingual, "memory": memory}

    def translate(self, stdout: BinaryIO, listener: TranslationListener) -> DocumentAccount:
        started = time.perf_counter()
        with self.journal() as journal:
            if self.resume and self.target and not (journal and journal.answers) and self.target.exists():
                return self.finished(self.target)
            listener.passed(0, 0, "segments")
            asked = self.asked()
            found = self.answers(asked, journal, listener)
            answers = [self.answer_of(index, asked, found) for index in range(len(self.document.segments))]
            remembered = frozenset(index for index, one in enumerate(self.document.segments) if self.is_known(one))
            whole = put_together(self.key, self.document, answers, self.writing, remembered)
            data = self.document.written(whole.changes)
            ledger = total(answer.ledger for answer in found.values()) + whole.ledger
            account = DocumentAccount(
                len(answers), self.read, time.perf_counter() - started, ledger, whole.report
            )  # fmt: skip
            self.write(data, stdout, account)
            if journal:
                journal.finish()
        warn_of(whole.report.notes, self.name)
        return account

    def is_known(self, segment: DocumentSegment) -> bool:
        """The memory is of plain texts: one with signs of markup is not put among markup."""
        known = self.memory.get(segment.text)
        return known is not None and (segment.rules is None or not MARKUP_SIGN.search(known))

    def asked(self) -> dict[int, AskedText]:
        """What the translator is asked, by the index of the segment."""
        return {
            index: self.asking.asked(segment, self.writing.source)
            for index, segment in enumerate(self.document.segments)
            if not segment.kept and not self.is_known(segment)
        }

    def answers(
        self, asked: Mapping[int, AskedText], journal: SegmentJournal | None, listener: TranslationListener
    ) -> dict[str, SegmentAnswer]:
        """By their keys, each on the disk as soon as it is there."""
        known = dict(journal.answers) if journal else {}
        length = {one.key: len(one.text) for one in asked.values()}
        size, characters = len(self.document.data), max(1, sum(length.values()))
        number = 1

        def done(new: Mapping[str, SegmentAnswer]) -> None:
            nonlocal number
            if journal and (fresh := {key: answer for key, answer in new.items() if key not in known}):
                journal.add(fresh)
            texts = [answer.text for answer in new.values()]
            share = size * sum(length[key] for key in new) // characters
            listener.done(Chunk(number, texts, True, share), [])
            number += len(texts)

        try:
            return self.asking.answers(list(asked.values()), known, done)
        except KeyboardInterrupt:
            if journal and journal.answers:
                count = len(journal.answers)
                logger.warning(f"{count:,} segments are done: the same command with --resume continues after them")
            raise

    def answer_of(
        self, index: int, asked: Mapping[int, AskedText], found: Mapping[str, SegmentAnswer]
    ) -> SegmentAnswer | None:
        segment = self.document.segments[index]
        if segment.kept:
            return None
        if self.is_known(segment):
            return SegmentAnswer(self.memory[segment.text], Ledger())
        return found.get(asked[index].key)

    def write(self, data: bytes, stdout: BinaryIO, account: DocumentAccount) -> None:
        if self.target is None:
            stdout.write(data)
            stdout.flush()
        else:
            path = self.target.resolve()
            write_file(path, data)
            if path.is_file():
                entry = Entry(account, len(data), hashlib.sha256(data).hexdigest(), whole=True)
                write_record(path, self.whole_run, entry)

    def finished(self, target: Path) -> DocumentAccount:
        """A file that this very command made of this very document, or else not ours to judge."""
        known = read_record(target.resolve())
        if known is None:
            raise InputError(f"{target} is there, and nothing tells that this command made it; {ANEW}")
        run, entry = known
        if others := differences(run, self.whole_run):
            raise InputError(f"{target} was made with {others}: --resume takes the same command; {ANEW}")
        if entry.account.read != self.read:
            raise InputError(f"{target} was made from another {self.name}; {ANEW}")
        if size_of(target) != entry.size or hash_of(target, entry.size).hexdigest() != entry.output:
            raise InputError(f"{target} was changed after this command made it; {ANEW}")
        logger.info(NOTHING_TO_DO, target)
        return DocumentAccount(entry.account.lines, self.read, entry.account.seconds, entry.account.ledger)

    @contextmanager
    def journal(self) -> Iterator[SegmentJournal | None]:
        """None where nothing can be resumed: the document goes to a stream."""
        if self.target is None or (self.target.exists() and not self.target.is_file()):
            yield None
            return
        with SegmentJournal(self.target.resolve(), self.run, resume=self.resume) as journal:
            yield journal
