"""The curves of a run: training loss with the validation loss over it, each score, the optimiser, the speed."""

import math
from collections.abc import Sequence

import numpy as np

from attendo.report.axis import linear_axis
from attendo.report.curves import Line, Marks, draw
from attendo.report.quantities import score_text
from attendo.report.thinning import evenly, extremes, smooth
from attendo.report.visible_text import visible
from attendo.runs.training_log import TrainingLog

WINDOWS = 50  # in a run, over which its values are averaged
LEAST_WINDOW = 9  # steps
MOST_DOTS = 100  # of validations; more would be a thick line


def curves(log: TrainingLog) -> str:
    """Nothing where nothing has happened; no picture of what has no number."""
    happened = [*log.steps[:1].tolist(), *log.steps[-1:].tolist(), *(one.step for one in log.validations)]
    if not happened:
        return ""
    first, last = min(happened), max(happened)
    steps = linear_axis(0 if first < 0.1 * last else first, last, whole=True)
    marks = Marks(log.resumed, log.skipped, ticked(log))
    rate = Line(*evenly(log.steps, log.series["learning_rate"]), "train")
    pictures = [
        draw("loss", [*measured(log, "loss", "training"), *validated(log, "loss", "validation")], steps, marks),
        *(draw(visible(name), validated(log, name), steps, marks) for name in log.score_names() if name != "loss"),
        draw("learning rate", [rate], steps, marks, zero=True),
        draw("gradient norm", measured(log, "gradient_norm", log_scale=True), steps, marks, log=True),
        draw("target tokens a second", measured(log, "target_tokens_per_second"), steps, marks, zero=True),
    ]
    return f'<div class="charts">\n{"".join(pictures)}</div>\n{legend(log)}' if any(pictures) else ""


def ticked(log: TrainingLog) -> list[int]:
    """The validations, as long as their ticks do not merge into a bar."""
    return [one.step for one in log.validations] if len(log.validations) <= MOST_DOTS else []


def measured(log: TrainingLog, name: str, label: str = "", *, log_scale: bool = False) -> list[Line]:
    """What was measured, faint, and its mean over neighbouring steps; on a logarithmic scale the mean of logarithms."""
    values = log.series[name]
    window = max(LEAST_WINDOW, len(values) // WINDOWS)
    if log_scale:
        values = np.where(values > 0, values, np.nan)
        mean = np.exp(smooth(np.log(values), window))
    else:
        mean = smooth(values, window)
    label = label if np.isfinite(values).any() else ""
    return [Line(*extremes(log.steps, values), "raw"), Line(*evenly(log.steps, mean), "train", label)]


def validated(log: TrainingLog, name: str, label: str = "") -> list[Line]:
    """A dot a validation, and a larger one where it was the best."""
    x, y = extremes(*log.scores(name))
    lines = [Line(x, y, "valid", label if len(x) else "", notes(name, x, y) if len(x) <= MOST_DOTS else ())]
    if log.best and math.isfinite(score := log.best.scores.get(name, math.nan)):
        x, y = np.array([log.best.step]), np.array([score])
        lines.append(Line(x, y, "best", "best", notes(name, x, y)))
    return lines


def notes(name: str, steps: np.ndarray, values: np.ndarray) -> list[str]:
    pairs = zip(steps.tolist(), values.tolist(), strict=True)
    return [f"step {int(step):,}: {score_text(name, value)}" for step, value in pairs]


def legend(log: TrainingLog) -> str:
    """What the lines and marks mean, those there are."""
    said = ["Across: steps. Faint: each step; strong: the mean of its neighbours."]
    if ticked(log):
        said.append("Short grey ticks: validations.")
    if log.resumed:
        said.append(f"Dashed lines: the run was resumed ({listed(log.resumed)}).")
    if log.skipped:
        reason = "because a loss or gradient was no number"
        said.append(f"Red ticks: updates skipped {reason} ({listed(log.skipped)}).")
    return f'<p class="note">{" ".join(said)}</p>'


def listed(steps: Sequence[int]) -> str:
    """at step 500; 7 times, at steps 500, 600, 700, 800, 900 …"""
    if len(steps) == 1:
        return f"at step {steps[0]:,}"
    first = ", ".join(f"{step:,}" for step in steps[:5])
    return f"{len(steps):,} times, at steps {first}{' …' if len(steps) > 5 else ''}"
