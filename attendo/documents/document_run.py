"""A document through a translator into a file: find, translate, write.

Everything is found before anything is translated, and everything is translated before a byte is written: the file gets
its name when it is whole. On the way the answers are in a journal (segment_journal.py).
"""

import hashlib
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from attendo.documents.document import AroundChange, Change, Document, DocumentSegment, Writing
from attendo.documents.document_report import DocumentAccount, DocumentOutcome, DocumentReport, SegmentNote
from attendo.documents.journal import RunDescription
from attendo.documents.line_reader import Chunk
from attendo.documents.pipeline import TranslationListener
from attendo.documents.segment_answer import SegmentAnswer
from attendo.documents.segment_journal import SegmentJournal
from attendo.documents.segment_translation import SegmentTranslator
from attendo.errors import UsageError
from attendo.files.durable import write_file
from attendo.translation.answer import Ledger, total

logger = logging.getLogger("attendo")

MOST_WARNINGS = 10
# Texts of a memory by what they say in the source language; exact matches are taken over.
TranslationMemory = Mapping[str, str]


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
    run: RunDescription
    memory: TranslationMemory
    resume: bool = False

    def __post_init__(self) -> None:
        if self.writing.bilingual != "none" and not self.document.can_be_bilingual:
            raise UsageError(f"--bilingual is not for this kind of file: {self.name}")

    def translate(self, stdout: BinaryIO, listener: TranslationListener) -> DocumentAccount:
        started = time.perf_counter()
        segments = self.document.segments
        size, characters = len(self.document.data), max(1, sum(len(segment.text) for segment in segments))
        with self.journal() as journal:
            listener.passed(0, 0)
            known = journal.answers if journal else {}
            recorded = set(known)
            number = 1

            def done(new: Mapping[str, SegmentAnswer]) -> None:
                nonlocal number
                if journal and (fresh := {key: answer for key, answer in new.items() if key not in recorded}):
                    journal.add(fresh)
                texts = [answer.text for answer in new.values()]
                listener.done(Chunk(number, texts, True, size * sum(map(len, texts)) // characters), [])
                number += len(texts)

            wanted = [segment for segment in segments if not segment.kept and segment.text not in self.memory]
            asked = {id(segment): self.asking.asked(segment, self.writing.source) for segment in wanted}
            found = self.asking.answers(list(asked.values()), known, done)
            answers = [self.answer_of(segment, asked, found) for segment in segments]
            remembered = frozenset(
                index for index, segment in enumerate(segments) if not segment.kept and segment.text in self.memory
            )
            whole = put_together(self.key, self.document, answers, self.writing, remembered)
            self.write(self.document.written(whole.changes), stdout)
            if journal:
                journal.finish()
        warn_of(whole.report.notes, self.name)
        ledger = total(answer.ledger for answer in found.values()) + whole.ledger
        seconds = time.perf_counter() - started
        read = hashlib.sha256(self.document.data).hexdigest()
        return DocumentAccount(len(segments), read, seconds, ledger, whole.report)

    def answer_of(
        self, segment: DocumentSegment, asked: Mapping[int, "object"], found: Mapping[str, SegmentAnswer]
    ) -> SegmentAnswer | None:
        if segment.kept:
            return None
        if segment.text in self.memory:
            return SegmentAnswer(self.memory[segment.text], Ledger())
        return found.get(asked[id(segment)].key)  # type: ignore[attr-defined]

    def write(self, data: bytes, stdout: BinaryIO) -> None:
        if self.target is None:
            stdout.write(data)
            stdout.flush()
        else:
            write_file(self.target.resolve(), data)

    @contextmanager
    def journal(self) -> Iterator[SegmentJournal | None]:
        """None where nothing can be resumed: the document goes to a stream."""
        if self.target is None or (self.target.exists() and not self.target.is_file()):
            yield None
            return
        with SegmentJournal(self.target.resolve(), self.run, resume=self.resume) as journal:
            yield journal
