"""Many lines on their way through a translator, on stderr: how far it is, where somebody watches; and remarks."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from attendo.documents.line_reader import Chunk
from attendo.report.formatting import duration_text, visible
from attendo.translation.answer import Translation
from attendo.translation.second_look import AGAIN

if TYPE_CHECKING:
    from rich.progress import Progress

MOST_WARNINGS = 10


class Translating:
    """Implements `Watch`. `what` is how the texts are called in remarks: `in.txt, line`, or `text`.

    Without `bars` nobody watches, and remarks alone are said.
    """

    def __init__(self, bars: "Progress | None", what: str, total_bytes: int | None, remarks: bool = True) -> None:
        self.bars, self.what, self.total_bytes, self.remarks = bars, visible(what), total_bytes, remarks
        self.started = time.monotonic()
        self.bytes = self.bytes_before = self.characters = self.lines = 0
        self.warnings = 0
        if bars:
            bars.add_task("", total=total_bytes, said="loading the model")

    def passed(self, lines: int, num_bytes: int) -> None:
        """What an earlier run did. The clock begins now, with the model in its place."""
        self.started = time.monotonic()
        self.lines, self.bytes_before = lines, num_bytes
        self.show(f"{self.lines:,} lines")

    def done(self, chunk: Chunk, answers: Sequence[Translation]) -> None:
        self.bytes += chunk.size
        self.characters += sum(answer.ledger.characters_in for answer in answers)
        self.lines += len(answers)
        self.show(self.said())
        for number, answer in enumerate(answers, start=chunk.first):
            for remark in answer.remarks if self.remarks else ():
                if not (answer.ledger.is_clean and AGAIN in remark):  # it was mended: there is nothing to look at
                    self.warn(f"{self.what} {number}: {remark}")

    def show(self, said: str) -> None:
        if self.bars:
            self.bars.update(self.bars.task_ids[0], completed=self.bytes_before + self.bytes, said=said)

    def said(self) -> str:
        """1,200 lines, 830 characters/s, 2 min 5 s left"""
        seconds = max(time.monotonic() - self.started, 1e-6)
        said = f"{self.lines:,} lines, {self.characters / seconds:,.0f} characters/s"
        if self.total_bytes is None or not self.bytes:
            return said
        left = self.total_bytes - self.bytes_before - self.bytes
        return f"{said}, {duration_text(seconds * left / self.bytes)} left"

    def warn(self, sentence: str) -> None:
        self.warnings += 1
        if self.warnings <= MOST_WARNINGS:
            self.say(sentence)

    def say(self, sentence: str) -> None:
        remark = f"attendo: {visible(sentence)}"
        if self.bars:
            self.bars.console.out(remark, highlight=False)
        elif sys.stderr is not None:  # it may be closed, and then print would take stdout
            print(remark, file=sys.stderr)


@contextmanager
def shown_on_stderr(
    what: str, total_bytes: int | None = None, *, hidden: bool = False, remarks: bool = True
) -> Iterator[Translating]:
    """With `hidden` there is no bar; without `remarks` nothing is said of single lines."""
    with ExitStack() as shown:
        bars = None
        if not hidden and sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console  # slow to come: only where somebody watches
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

            columns = (SpinnerColumn(), BarColumn(bar_width=24), TextColumn("{task.fields[said]}", markup=False))
            bars = shown.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
        watch = Translating(bars, what, total_bytes, remarks)
        yield watch
        if watch.warnings > MOST_WARNINGS:
            watch.say(f"and {watch.warnings - MOST_WARNINGS:,} more remarks")
