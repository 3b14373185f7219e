"""A curve as a piece of HTML: lines in an SVG that stretches with the page, and words around it that do not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np

from attendo.report.axis import Axis, linear_axis, log_axis

SIDE = 1000.0  # of the drawing, in its own units


@dataclass(frozen=True)
class Line:
    """`look` is one of raw, train, valid, best: the classes of style.py. With `notes` each point is a dot."""

    x: np.ndarray
    y: np.ndarray
    look: str
    label: str = ""
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Marks:
    """Steps at which something happened, the same in every picture."""

    resumed: Sequence[int] = field(default=())
    skipped: Sequence[int] = field(default=())
    validated: Sequence[int] = field(default=())


def draw(title: str, lines: Sequence[Line], steps: Axis, marks: Marks, *, log: bool = False, zero: bool = False) -> str:
    """`zero`: the axis starts at 0. Without a point, nothing."""
    known = [np.asarray(line.y, dtype=np.float64) for line in lines if len(line.y)]
    values = np.concatenate(known) if known else np.array([])
    if log:
        values = values[values > 0]
    if len(values) == 0:
        return ""
    low, high = float(values.min()), float(values.max())
    axis = log_axis(low, high) if log else linear_axis(min(low, 0.0) if zero else low, high)
    keys = "".join(f'<span class="key {line.look}">{escape(line.label)}</span>' for line in lines if line.label)
    rows = 100 - 100 * axis.place(axis.ticks)
    columns = 100 * steps.place(steps.ticks)
    words = [f'<span class="y" style="top:{at:.2f}%">{text}</span>' for at, text in zip(rows, axis.labels, strict=True)]
    words += [
        f'<span class="x" style="left:{at:.2f}%">{text}</span>' for at, text in zip(columns, steps.labels, strict=True)
    ]
    return (
        f'<figure class="chart"><figcaption><b>{escape(title)}</b>{keys}</figcaption>'
        f'<div class="plot" role="img" aria-label="{escape(title)} by step, from {low:.4g} to {high:.4g}">'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE:g} {SIDE:g}" preserveAspectRatio="none">'
        f"{grid(rows)}{draw_marks(steps, marks)}{''.join(draw_line(line, steps, axis) for line in lines)}"
        f"</svg>{''.join(words)}</div></figure>\n"
    )


def grid(rows: Iterable[float]) -> str:
    return f'<path class="grid" d="{"".join(f"M0 {row * SIDE / 100:.1f}h{SIDE:g}" for row in rows)}"/>'


def draw_marks(steps: Axis, marks: Marks) -> str:
    """Validations and skipped updates as ticks at the foot, the start of a resumed run as a line through all."""

    def strokes(look: str, happened: Sequence[int], height: float) -> str:
        places = sorted({round(float(place) * SIDE) for place in steps.place(happened)})  # as many as can be told apart
        path = "".join(f"M{place} {SIDE:g}v-{height:g}" for place in places if 0 <= place <= SIDE)
        return f'<path class="{look}" d="{path}"/>' if path else ""

    return (
        strokes("resumed", marks.resumed, SIDE)
        + strokes("validated", marks.validated, 0.03 * SIDE)
        + strokes("skipped", marks.skipped, 0.08 * SIDE)
    )


def draw_line(line: Line, steps: Axis, axis: Axis) -> str:
    shown = line.y > 0 if axis.log else np.ones(len(line.y), dtype=bool)
    xs = (steps.place(line.x[shown]) * SIDE).tolist()
    ys = ((1 - axis.place(line.y[shown])) * SIDE).tolist()
    if not xs:
        return ""
    points = [f"{x:.1f} {y:.1f}" for x, y in zip(xs, ys, strict=True)]
    if len(points) == 1:
        return dot(line.look, points[0], line.notes[0] if line.notes else "")
    path = f'<path class="{line.look}" d="M{"L".join(points)}"/>'
    return path + "".join(dot(line.look, point, note) for point, note in zip(points, line.notes, strict=False))


def dot(look: str, point: str, note: str) -> str:
    """A line of no length with round ends: it stays round however the drawing is stretched."""
    return f'<path class="dot {look}" d="M{point}h0"><title>{escape(note)}</title></path>'
