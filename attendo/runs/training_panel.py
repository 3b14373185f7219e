"""The state of a run as a panel for a terminal of any width."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from rich.console import Console, ConsoleOptions, RenderResult
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from attendo.report.quantities import duration_text, score_text, scores_text
from attendo.report.visible_text import visible
from attendo.runs.training_state import TrainingState
from attendo.training.watch import Sample

BLOCKS = "▁▂▃▄▅▆▇█"
SAMPLES = 2
LONGEST_SAMPLE = 400  # characters; no terminal shows more of them in a line
NARROW = 40  # columns; fewer hold no column of labels
WIDEST = 110  # columns; the eye does not follow longer lines


class TrainingPanel:
    """Draws anew whatever the state says at that moment."""

    def __init__(self, state: TrainingState, name: str) -> None:
        self.state, self.name = state, visible(name, LONGEST_SAMPLE)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        state = self.state
        width = min(options.max_width, WIDEST)
        curve_width = 0 if options.ascii_only else width - 46
        body = Table.grid(expand=True)
        body.add_row(ProgressBar(max(state.max_steps, 1), state.step, complete_style="cyan"))
        body.add_row(labelled(facts(state, curve_width), narrow=width < NARROW))
        for sample in state.samples[:SAMPLES]:
            body.add_row()
            body.add_row(labelled(texts(sample), narrow=False))
        title = Text(f"training {self.name}".strip(), no_wrap=True, overflow="ellipsis")
        doing = "validating" if state.validating_since is not None else ""
        yield Panel(body, title=title, subtitle=state.ended or doing, width=width, title_align="left")


def labelled(rows: Iterable[tuple[str, Text]], *, narrow: bool) -> Table:
    """Labels in a column of their own; where there is no room for it, before the words."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    if not narrow:
        grid.add_column(style="dim", width=len("translation"), no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in rows:
        grid.add_row(*((Text.assemble((label, "dim"), " ", text),) if narrow else (label, text)))
    return grid


def facts(state: TrainingState, curve_width: int) -> Iterator[tuple[str, Text]]:
    """A name and what there is to say about it, a line each; longer ones wrap."""
    share = state.step / max(state.max_steps, 1)
    yield "step", Text(f"{state.step:,} of {state.max_steps:,}, {share:.1%}, {time_text(state)}")
    if last := state.last:
        loss, last_loss = score_text("loss", state.loss.value), score_text("loss", last.loss)
        curve = (spark_line(state.loss_curve.points, curve_width), "cyan")
        yield "loss", Text.assemble((loss, "bold"), f", last {last_loss}  ", curve)
        yield "update", Text(f"learning rate {last.learning_rate:.2e}, gradient norm {last.gradient_norm:.3g}")
        speed = "unknown" if math.isnan(state.speed.value) else f"{state.speed.value:,.0f}"
        yield "speed", Text(f"{speed} target tokens/s, padding {last.padding:.1%}, epoch {last.epoch:,}")
    if state.validation:
        when = f"step {state.validation.step:,}, {duration_text(state.since(state.validated_at))} ago"
        yield "validation", Text(f"{scores_text(state.validation.scores)}; {when}")
    if state.best:
        yield "best", Text(f"{scores_text(state.best.scores)}; step {state.best.step:,}", style="green")
    if state.skipped:
        updates = "1 update" if state.skipped == 1 else f"{state.skipped:,} updates"
        yield "skipped", Text(f"{updates}, the last at step {state.last_skipped:,}", style="red")
    if state.saved_step is not None:
        ago = duration_text(state.since(state.saved_at))
        yield "checkpoint", Text(f"step {state.saved_step:,}, {ago} ago, took {state.saved_seconds:.1f} s")


def time_text(state: TrainingState) -> str:
    gone = f"{duration_text(state.elapsed)} gone"
    if state.last is None:
        return f"{gone}, waiting for the first step"
    if state.ended or math.isnan(state.seconds_left):
        return gone
    return f"{gone}, {duration_text(state.seconds_left)} left"


def texts(sample: Sample) -> Iterator[tuple[str, Text]]:
    """Below each other, so that the eye can compare; each cut to one line."""
    for label in ("source", "reference", "translation"):
        text = visible(getattr(sample, label), LONGEST_SAMPLE)
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
