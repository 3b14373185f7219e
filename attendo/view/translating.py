"""Many lines on their way through a translator, on stderr: how far it is, where somebody watches; and remarks."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from attendo.translation.answer import Translation
from attendo.translation.lines import Chunk
from attendo.view.quantities import duration_text
from attendo.view.visible_text import visible

MOST_WARNINGS = 10


class Translating:
    """Implements `Watch`. `what` is how the texts are called in remarks: `in.txt, line`, or `text`."""

    def __init__(self, bars: Progress, what: str, total_bytes: int | None, remarks: bool = True) -> None:
        self.bars, self.what, self.total_bytes, self.remarks = bars, visible(what), total_bytes, remarks
        self.started = time.monotonic()
        self.bytes = self.characters = self.lines = 0
        self.warnings = 0
        self.task = bars.add_task("", total=total_bytes, said="loading the model")

    def passed(self, lines: int, num_bytes: int) -> None:
        """What an earlier run did. The clock begins now, with the model in its place."""
        self.started = time.monotonic()
        self.lines = lines
        self.bars.update(self.task, completed=num_bytes, said=f"{self.lines:,} lines")

    def done(self, chunk: Chunk, answers: Sequence[Translation]) -> None:
        self.bytes += chunk.size
        self.characters += sum(answer.ledger.characters_in for answer in answers)
        self.lines += len(answers)
        self.bars.update(self.task, advance=chunk.size, said=self.said())
        for number, answer in enumerate(answers, start=chunk.first):
            for remark in answer.remarks if self.remarks else ():
                self.warn(f"{self.what} {number}: {remark}")

    def said(self) -> str:
        """1,200 lines, 830 characters/s, 2 min 5 s left"""
        seconds = max(time.monotonic() - self.started, 1e-6)
        said = f"{self.lines:,} lines, {self.characters / seconds:,.0f} characters/s"
        if self.total_bytes is None or not self.bytes:
            return said
        left = self.total_bytes - self.bars.tasks[self.task].completed
        return f"{said}, {duration_text(seconds * left / self.bytes)} left"

    def warn(self, sentence: str) -> None:
        self.warnings += 1
        if self.warnings <= MOST_WARNINGS:
            self.say(sentence)

    def say(self, sentence: str) -> None:
        self.bars.console.out(f"attendo: {visible(sentence)}", highlight=False)


@contextmanager
def shown_on_stderr(
    what: str, total_bytes: int | None = None, *, hidden: bool = False, remarks: bool = True
) -> Iterator[Translating]:
    """With `hidden` there is no bar; without `remarks` nothing is said of single lines."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), BarColumn(bar_width=24), TextColumn("{task.fields[said]}", markup=False))
    with Progress(*columns, console=console, transient=True, disable=hidden or not console.is_terminal) as bars:
        watch = Translating(bars, what, total_bytes, remarks)
        yield watch
        if watch.warnings > MOST_WARNINGS:
            watch.say(f"and {watch.warnings - MOST_WARNINGS:,} more remarks")
