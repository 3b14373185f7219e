"""A run on the terminal while it trains: a panel where somebody watches, plain lines where nobody does."""

import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.markup import escape
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from attendo.report.formatting import count_text, duration_text, score_text, scores_text, visible
from attendo.runs.live_status import LiveStatus
from attendo.training.callback import Callback, CheckpointRecord, StepRecord, TranslationSample, ValidationRecord

REFRESHES_A_SECOND = 2  # drawing takes some 10 ms, in which Python does nothing else
SECONDS_A_LINE = 30.0
SAMPLES = 2
LONGEST_IN_LINE, LONGEST_IN_PANEL = 200, 400  # characters of a text; no terminal shows more of them in a line
BLOCKS = "▁▂▃▄▅▆▇█"
NARROW = 40  # columns; fewer hold no column of labels
WIDEST = 110  # columns; the eye does not follow longer lines


class LiveView(Callback):
    """A run on the console of stderr.

    On a terminal a thread of its own redraws the panel; `on_step` only notes numbers. Elsewhere a line about every
    30 seconds, and no control codes.
    """

    def __init__(self, console: Console, name: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        self.console, self.name, self.clock = console, name, clock
        self.status = LiveStatus(0, 0, clock)
        self.live: Live | None = None
        self.next_line = 0.0  # when
        self.last_line = 0  # of which step

    def on_start(self, step: int, max_steps: int) -> None:
        self.status = LiveStatus(max_steps, step, self.clock)
        self.next_line, self.last_line = 0.0, step
        if is_watched(self.console):
            self.live = live_panel(self.console, TrainingPanel(self.status, self.name))
            self.live.start(refresh=True)
        else:
            self.write(start_line(self.status, self.name))

    def on_end(self, error: BaseException | None) -> None:
        """The last status stays on the screen, however the run has ended."""
        interrupted = isinstance(error, KeyboardInterrupt)
        self.status.ended = "ended" if error is None else "interrupted" if interrupted else "stopped"
        if self.live:
            self.live.stop()
        elif self.status.step != self.last_line:
            self.write(step_line(self.status))

    def on_step(self, record: StepRecord) -> None:
        self.status.note_step(record)
        if self.live is None and (self.clock() >= self.next_line or record.step == self.status.max_steps):
            self.write(step_line(self.status))
            self.next_line, self.last_line = self.clock() + SECONDS_A_LINE, record.step

    def on_validation_start(self, step: int) -> None:
        self.status.validating_since = self.clock()

    def on_validation(self, record: ValidationRecord) -> None:
        self.status.note_validation(record)
        if self.live is None:
            self.write("\n".join([validation_line(record), *sample_lines(record.samples)]))

    def on_checkpoint(self, record: CheckpointRecord) -> None:
        self.status.note_saved(record.step, record.seconds)

    def on_message(self, step: int, text: str) -> None:
        """Above the panel, where one is shown."""
        self.write("\n".join(visible(line) for line in text.split("\n")))

    def write(self, lines: str) -> None:
        self.console.print(Text(lines), soft_wrap=True)  # Text: nothing in it is markup; a long line stays one line


class TrainingScreen(LiveView):
    """All of `attendo train`, as a context manager: the data while it is prepared, then the run.

    Messages of the run come from the logger "attendo", which the command line writes on stderr.
    """

    def __init__(self, console: Console, name: str) -> None:
        super().__init__(console, name)
        self.preparing = console.status("preparing the data")

    def __enter__(self) -> Self:
        self.preparing.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.preparing.stop()

    def show_corpus(self, name: str, pairs: int) -> None:
        """A large corpus takes minutes the first time."""
        self.preparing.update(f"encoding {escape(visible(Path(name).name))}: {pairs:,} pairs")

    def on_start(self, step: int, max_steps: int) -> None:
        self.preparing.stop()
        super().on_start(step, max_steps)

    def on_message(self, step: int, text: str) -> None:
        pass


def is_watched(console: Console) -> bool:
    """By a person at a terminal that can be drawn on. FORCE_COLOR in a pipe asks for colours, not for a panel."""
    return console.is_interactive and console.file.isatty() and not os.environ.get("CI")


def live_panel(console: Console, panel: "TrainingPanel") -> Live:
    """What others write to stderr appears above it; so does stdout, unless it goes to a file or another program."""
    return Live(panel, console=console, refresh_per_second=REFRESHES_A_SECOND, redirect_stdout=sys.stdout.isatty())


def start_line(status: LiveStatus, name: str) -> str:
    what = f"training {visible(name, LONGEST_IN_LINE)}".strip()
    if status.start_step:
        return f"{what}: resumed after step {status.start_step:,} of {status.max_steps:,}"
    return f"{what}: {status.max_steps:,} steps"


def step_line(status: LiveStatus) -> str:
    """A step, or that there has been none."""
    parts = [f"step {status.step:,} of {status.max_steps:,}"]
    if last := status.last:
        parts += [
            f"loss {score_text('loss', status.loss.value)} (last {score_text('loss', last.loss)})",
            f"learning rate {last.learning_rate:.2e}",
            f"gradient norm {last.gradient_norm:.3g}",
            f"{last.target_tokens_per_second:,.0f} target tokens/s",
            f"padding {last.padding:.1%}",
            f"epoch {last.epoch}",
        ]
    if status.skipped:
        parts.append(f"{status.skipped:,} skipped")
    if status.saved_step is not None:
        parts.append(f"checkpoint {status.saved_step:,}")
    if status.step < status.max_steps and not math.isnan(status.seconds_left):
        parts.append(f"{duration_text(status.seconds_left)} left")
    return ", ".join(parts)


def validation_line(record: ValidationRecord) -> str:
    return f"validation at step {record.step:,}: {scores_text(record.scores)}{' (best so far)' if record.best else ''}"


def sample_lines(samples: Sequence[TranslationSample]) -> Iterator[str]:
    for sample in samples[:SAMPLES]:
        for label in ("source", "reference", "translation"):
            yield f"  {label:<11}  {visible(getattr(sample, label), LONGEST_IN_LINE)}"


class TrainingPanel:
    """Draws anew whatever the status says at that moment."""

    def __init__(self, status: LiveStatus, name: str) -> None:
        self.status, self.name = status, visible(name, LONGEST_IN_PANEL)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        status = self.status
        width = min(options.max_width, WIDEST)
        curve_width = 0 if options.ascii_only else width - 46
        body = Table.grid(expand=True)
        body.add_row(ProgressBar(max(status.max_steps, 1), status.step, complete_style="cyan"))
        body.add_row(labelled_rows(status_facts(status, curve_width), narrow=width < NARROW))
        for sample in status.samples[:SAMPLES]:
            body.add_row()
            body.add_row(labelled_rows(sample_texts(sample), narrow=False))
        title = Text(f"training {self.name}".strip(), no_wrap=True, overflow="ellipsis")
        doing = "validating" if status.validating_since is not None else ""
        yield Panel(body, title=title, subtitle=status.ended or doing, width=width, title_align="left")


def labelled_rows(rows: Iterable[tuple[str, Text]], *, narrow: bool) -> Table:
    """Labels in a column of their own; where there is no room for it, before the words."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    if not narrow:
        grid.add_column(style="dim", width=len("translation"), no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in rows:
        grid.add_row(*((Text.assemble((label, "dim"), " ", text),) if narrow else (label, text)))
    return grid


def status_facts(status: LiveStatus, curve_width: int) -> Iterator[tuple[str, Text]]:
    """A name and what there is to say about it, a line each; longer ones wrap."""
    share = status.step / max(status.max_steps, 1)
    yield "step", Text(f"{status.step:,} of {status.max_steps:,}, {share:.1%}, {time_text(status)}")
    if last := status.last:
        loss, last_loss = score_text("loss", status.loss.value), score_text("loss", last.loss)
        curve = (spark_line(status.loss_curve.points, curve_width), "cyan")
        yield "loss", Text.assemble((loss, "bold"), f", last {last_loss}  ", curve)
        yield "update", Text(f"learning rate {last.learning_rate:.2e}, gradient norm {last.gradient_norm:.3g}")
        speed = "unknown" if math.isnan(status.speed.value) else f"{status.speed.value:,.0f}"
        yield "speed", Text(f"{speed} target tokens/s, padding {last.padding:.1%}, epoch {last.epoch:,}")
    if status.validation:
        when = f"step {status.validation.step:,}, {duration_text(status.since(status.validated_at))} ago"
        yield "validation", Text(f"{scores_text(status.validation.scores)}; {when}")
    if status.best:
        yield "best", Text(f"{scores_text(status.best.scores)}; step {status.best.step:,}", style="green")
    if status.skipped:
        last_skipped = f"the last at step {status.last_skipped:,}"
        yield "skipped", Text(f"{count_text(status.skipped, 'update')}, {last_skipped}", style="red")
    if status.saved_step is not None:
        ago = duration_text(status.since(status.saved_at))
        yield "checkpoint", Text(f"step {status.saved_step:,}, {ago} ago, took {status.saved_seconds:.1f} s")


def time_text(status: LiveStatus) -> str:
    gone = f"{duration_text(status.since(status.started))} gone"
    if status.last is None:
        return f"{gone}, waiting for the first step"
    if status.ended or math.isnan(status.seconds_left):
        return gone
    return f"{gone}, {duration_text(status.seconds_left)} left"


def sample_texts(sample: TranslationSample) -> Iterator[tuple[str, Text]]:
    """Below each other, so that the eye can compare; each cut to one line."""
    for label in ("source", "reference", "translation"):
        text = visible(getattr(sample, label), LONGEST_IN_PANEL)
        yield label, Text(text, style="bold" if label == "translation" else "", no_wrap=True, overflow="ellipsis")


def spark_line(points: Sequence[float], width: int) -> str:
    """The curve in blocks, from its lowest to its highest; of a long one the means of neighbours."""
    if not points or width < 1:
        return ""
    width = min(width, len(points))
    edges = [i * len(points) // width for i in range(width + 1)]
    means = [sum(points[a:b]) / (b - a) for a, b in pairwise(edges)]
    low, high = min(means), max(means)
    scale = (len(BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(BLOCKS[round((mean - low) * scale)] for mean in means)
