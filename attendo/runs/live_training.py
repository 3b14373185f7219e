"""A run on the terminal while it trains: a panel where somebody watches, plain lines where nobody does."""

import os
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from attendo.report.visible_text import visible
from attendo.runs.training_lines import sample_lines, start_line, step_line, validation_line
from attendo.runs.training_panel import TrainingPanel
from attendo.runs.training_state import TrainingState
from attendo.training.watch import StepRecord, ValidationRecord

REFRESHES_A_SECOND = 2  # drawing takes some 10 ms, in which Python does nothing else
SECONDS_A_LINE = 30.0


class LiveTraining:
    """Implements `Watcher`; use it as a context manager on the console of stderr.

    On a terminal a thread of its own redraws the panel; `stepped` only notes numbers. Elsewhere a line about every
    30 seconds, and no control codes.
    """

    def __init__(
        self,
        console: Console,
        max_steps: int,
        start_step: int = 0,
        name: str = "",
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.console, self.name, self.clock = console, name, clock
        self.state = TrainingState(max_steps, start_step, clock)
        self.live = live_panel(console, TrainingPanel(self.state, name)) if is_watched(console) else None
        self.next_line = 0.0  # when
        self.last_line = start_step  # of which step

    def __enter__(self) -> Self:
        if self.live:
            self.live.start(refresh=True)
        else:
            self.write(start_line(self.state, self.name))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """The last state stays on the screen, however the run has ended."""
        if kind is None:
            self.state.ended = "ended"
        else:
            self.state.ended = "interrupted" if issubclass(kind, KeyboardInterrupt) else "stopped"
        if self.live:
            self.live.stop()
        elif self.state.step != self.last_line:
            self.write(step_line(self.state))

    def stepped(self, record: StepRecord) -> None:
        self.state.note_step(record)
        if self.live is None and (self.clock() >= self.next_line or record.step == self.state.max_steps):
            self.write(step_line(self.state))
            self.next_line, self.last_line = self.clock() + SECONDS_A_LINE, record.step

    def validating(self, step: int) -> None:
        self.state.validating_since = self.clock()

    def validated(self, record: ValidationRecord) -> None:
        self.state.note_validation(record)
        if self.live is None:
            self.write("\n".join([validation_line(record), *sample_lines(record.samples)]))

    def saved(self, step: int, seconds: float) -> None:
        self.state.note_saved(step, seconds)

    def said(self, sentence: str) -> None:
        """Above the panel, where one is shown."""
        self.write("\n".join(visible(line) for line in sentence.split("\n")))

    def write(self, lines: str) -> None:
        self.console.print(Text(lines), soft_wrap=True)  # Text: nothing in it is markup; a long line stays one line


def is_watched(console: Console) -> bool:
    """By a person at a terminal that can be drawn on. FORCE_COLOR in a pipe asks for colours, not for a panel."""
    return console.is_interactive and console.file.isatty() and not os.environ.get("CI")


def live_panel(console: Console, panel: TrainingPanel) -> Live:
    """What others write to stderr appears above it; so does stdout, unless it goes to a file or another program."""
    return Live(panel, console=console, refresh_per_second=REFRESHES_A_SECOND, redirect_stdout=sys.stdout.isatty())
