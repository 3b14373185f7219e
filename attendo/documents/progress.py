"""Many lines on their way through a translator, on stderr: how far it is, where somebody watches; and warnings."""

import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from attendo.documents.line_reader import Chunk
from attendo.documents.pipeline import NumberedWarning, ProgressUnit
from attendo.report.formatting import duration_text, visible
from attendo.report.language import Language, in_language
from attendo.report.messages import say

if TYPE_CHECKING:
    from rich.progress import Progress

logger = logging.getLogger("attendo")

MOST_WARNINGS = 10


class TranslationProgress:
    """A `TranslationListener`. `unit` is how the texts are called in warnings: `in.txt, line`, or `text`.

    Without `bars` nobody watches, and there are warnings alone.
    """

    def __init__(
        self, bars: "Progress | None", unit: str, total_bytes: int | None, warn: bool = True, language: Language = "en"
    ) -> None:
        self.bars, self.unit, self.total_bytes, self.warn = bars, unit, total_bytes, warn
        self.tr = in_language(language)
        self.started = time.monotonic()
        self.bytes = self.bytes_before = self.characters = self.lines = 0
        self.warnings = 0
        self.counted: ProgressUnit = "lines"
        if bars:
            bars.add_task("", total=total_bytes, state=self.tr("loading the model", "正在载入模型"))

    def passed(self, lines: int, num_bytes: int, counted: ProgressUnit = "lines") -> None:
        """What an earlier run did. The clock begins now, when the model is loaded."""
        self.started = time.monotonic()
        self.lines, self.bytes_before, self.counted = lines, num_bytes, counted
        self.show(self.count())

    def done(self, chunk: Chunk, warnings: Sequence[NumberedWarning]) -> None:
        self.advance(chunk)
        if self.warn:
            self.warn_of(warnings)

    def advance(self, chunk: Chunk) -> None:
        self.bytes += chunk.size
        self.characters += sum(map(len, chunk.texts))
        self.lines += len(chunk.texts)
        self.show(self.state())

    def warn_of(self, warnings: Sequence[NumberedWarning]) -> None:
        """Of the first few; how many more there are is for `finish`."""
        for number, warning in warnings:
            self.warnings += 1
            if self.warnings <= MOST_WARNINGS:
                logger.warning(f"{self.unit} {number}: {warning}")

    def finish(self) -> None:
        if self.warnings > MOST_WARNINGS:
            logger.warning(f"and {self.warnings - MOST_WARNINGS:,} more remarks")

    def show(self, state: str) -> None:
        if self.bars:
            self.bars.update(self.bars.task_ids[0], completed=self.bytes_before + self.bytes, state=state)

    def count(self) -> str:
        """1,200 lines"""
        if self.counted == "segments":
            return self.tr(f"{self.lines:,} {'segment' if self.lines == 1 else 'segments'}", f"{self.lines:,} 段")
        return self.tr(f"{self.lines:,} {'line' if self.lines == 1 else 'lines'}", f"{self.lines:,} 行")

    def state(self) -> str:
        """1,200 lines, 830 characters/s, 2 min 5 s left"""
        seconds = max(time.monotonic() - self.started, 1e-6)
        speed = f"{self.characters / seconds:,.0f}"
        state = self.tr(f"{self.count()}, {speed} characters/s", f"{self.count()}，每秒 {speed} 字符")
        if self.total_bytes is None or not self.bytes:
            return state
        left = seconds * (self.total_bytes - self.bytes_before - self.bytes) / self.bytes
        return self.tr(f"{state}, {duration_text(left)} left", f"{state}，还需 {duration_text(left, self.tr)}")


class AboveTheBar(logging.Handler):
    """What is logged while a bar is shown, as lines above it."""

    def __init__(self, bars: "Progress", language: Language) -> None:
        super().__init__()
        self.bars, self.language = bars, language

    def emit(self, record: logging.LogRecord) -> None:
        self.bars.console.out(f"attendo: {visible(say(record.getMessage(), self.language))}", highlight=False)


@contextmanager
def log_above(bars: "Progress", language: Language = "en") -> Iterator[None]:
    """Instead of the other handlers of our messages, which know nothing of the bar."""
    before = logger.handlers
    logger.handlers = [AboveTheBar(bars, language)]
    try:
        yield
    finally:
        logger.handlers = before


@contextmanager
def progress_on_stderr(
    unit: str, total_bytes: int | None = None, *, hidden: bool = False, warn: bool = True, language: Language = "en"
) -> Iterator[TranslationProgress]:
    """With `hidden` there is no bar; without `warn` there are no warnings of single lines."""
    with ExitStack() as shown:
        bars = None
        if not hidden and sys.stderr is not None and sys.stderr.isatty():
            from rich.console import Console  # slow to come: only where somebody watches
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

            columns = (SpinnerColumn(), BarColumn(bar_width=24), TextColumn("{task.fields[state]}", markup=False))
            bars = shown.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
            shown.enter_context(log_above(bars, language))
        progress = TranslationProgress(bars, unit, total_bytes, warn, language)
        yield progress
        progress.finish()
