"""Charts of a page, curves and bars, drawn as SVG by hand (docs/dependencies.md says why not by matplotlib).

Lines stretch with the page, words around them do not; the colours are those of the page, by day and by night; and
whoever points at a dot or a bar reads its value.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from attendo.report.page import html_text

SIDE = 1000.0  # of a drawing, in its own units

# Axes: room above and below the data as a share of their span, and about how many ticks fit on a phone.
ROOM = 0.04
MOST_TICKS, MOST_LOG_TICKS = 6, 8

MOST_POINTS = 1_000  # of a curve; more are not seen
BAR_WIDTH = 0.62  # of the room each bar has


@dataclass(frozen=True)
class Axis:
    """A scale from `low` to `high`, with ticks at numbers people like; logarithmic where numbers span decades."""

    low: float
    high: float
    ticks: list[float]
    labels: list[str]
    log: bool = False

    def position(self, values: np.ndarray | Sequence[float]) -> np.ndarray:
        """0 at the low end, 1 at the high end."""
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        numbers = np.asarray(values, dtype=np.float64)
        return ((np.log10(numbers) if self.log else numbers) - low) / (high - low)


def linear_axis(low: float, high: float, *, whole: bool = False) -> Axis:
    """`whole`: ticks at whole numbers alone, without room at the ends."""
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # one number, but for rounding
        half = 0.5 if whole or low == 0 else 0.5 * abs(low)
        low, high = low - half, high + half
    elif not whole:
        low, high = (low if low == 0 else low - ROOM * (high - low)), high + ROOM * (high - low)
    distance = nice_distance((high - low) / MOST_TICKS)
    if whole:
        distance = max(distance, 1.0)
    first, last = math.ceil(low / distance), math.floor(high / distance)
    ticks = [distance * count for count in range(first, last + 1)]
    decimals = max(0, -math.floor(math.log10(distance)))
    return Axis(low, high, ticks, [tick_label(tick, decimals) for tick in ticks])


def log_axis(low: float, high: float) -> Axis:
    """For numbers above 0, from tick to tick; where they span many decades, only those are ticks."""
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    nice = [factor * 10.0**decade for decade in decades for factor in (1, 2, 5)]
    low, high = max(tick for tick in nice if tick <= low), min(tick for tick in nice if tick > high)
    ticks = [tick for tick in nice if low <= tick <= high]
    if len(ticks) > MOST_LOG_TICKS:
        ticks = [tick for tick in (10.0**decade for decade in decades) if low <= tick <= high]
    ticks = ticks[:: math.ceil(len(ticks) / MOST_LOG_TICKS)]
    return Axis(low, high, ticks, [f"{tick:,g}" for tick in ticks], log=True)


def nice_distance(distance: float) -> float:
    """The least of … 1, 2, 5, 10, 20, 50 … that is no less."""
    decade = 10.0 ** math.floor(math.log10(distance))
    return next(decade * factor for factor in (1, 2, 5, 10) if decade * factor >= distance * (1 - 1e-9))


def tick_label(tick: float, decimals: int) -> str:
    if tick == 0:
        return "0"
    return f"{tick:,.{decimals}f}" if decimals < 6 and abs(tick) < 1e9 else f"{tick:.1e}"


@dataclass(frozen=True)
class Curve:
    """`look` is one of raw, train, valid, best: the classes of style.py. With `notes` each point is a dot."""

    x: np.ndarray
    y: np.ndarray
    look: str
    label: str = ""
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Marks:
    """Steps at which something happened, the same in every chart."""

    resumed: Sequence[int] = field(default=())
    skipped: Sequence[int] = field(default=())
    validated: Sequence[int] = field(default=())


def draw_curves(
    title: str, curves: Sequence[Curve], steps: Axis, marks: Marks, *, log: bool = False, zero: bool = False
) -> str:
    """`zero`: the axis starts at 0. Without a point, nothing."""
    known = [np.asarray(curve.y, dtype=np.float64) for curve in curves if len(curve.y)]
    values = np.concatenate(known) if known else np.array([])
    if log:
        values = values[values > 0]
    if len(values) == 0:
        return ""
    low, high = float(values.min()), float(values.max())
    axis = log_axis(low, high) if log else linear_axis(min(low, 0.0) if zero else low, high)
    keys = "".join(f'<span class="key {one.look}">{html_text(one.label)}</span>' for one in curves if one.label)
    rows, columns = 100 - 100 * axis.position(axis.ticks), 100 * steps.position(steps.ticks)
    labels = y_labels(rows, axis) + [
        f'<span class="x" style="left:{at:.2f}%">{text}</span>' for at, text in zip(columns, steps.labels, strict=True)
    ]
    drawn = [grid(rows), draw_marks(steps, marks), *(draw_curve(curve, steps, axis) for curve in curves)]
    return figure(title, keys, f"{html_text(title)} by step, from {low:.4g} to {high:.4g}", drawn, labels)


def figure(title: str, keys: str, description: str, drawn: Iterable[str], labels: Iterable[str]) -> str:
    """The frame of a chart: what is drawn in an SVG that stretches, and labels of HTML around it that do not."""
    return (
        f'<figure class="chart"><figcaption><b>{html_text(title)}</b>{keys}</figcaption>'
        f'<div class="plot" role="img" aria-label="{description}">'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE:g} {SIDE:g}" preserveAspectRatio="none">'
        f"{''.join(drawn)}</svg>{''.join(labels)}</div></figure>\n"
    )


def y_labels(rows: Iterable[float], axis: Axis) -> list[str]:
    return [f'<span class="y" style="top:{at:.2f}%">{text}</span>' for at, text in zip(rows, axis.labels, strict=True)]


def grid(rows: Iterable[float]) -> str:
    return f'<path class="grid" d="{"".join(f"M0 {row * SIDE / 100:.1f}h{SIDE:g}" for row in rows)}"/>'


def draw_marks(steps: Axis, marks: Marks) -> str:
    """Validations and skipped updates as ticks at the foot, the start of a resumed run as a line through all."""

    def draw_strokes(look: str, happened: Sequence[int], height: float) -> str:
        columns = sorted({round(float(at) * SIDE) for at in steps.position(happened)})  # as many as can be told apart
        path = "".join(f"M{column} {SIDE:g}v-{height:g}" for column in columns if 0 <= column <= SIDE)
        return f'<path class="{look}" d="{path}"/>' if path else ""

    return (
        draw_strokes("resumed", marks.resumed, SIDE)
        + draw_strokes("validated", marks.validated, 0.03 * SIDE)
        + draw_strokes("skipped", marks.skipped, 0.08 * SIDE)
    )


def draw_curve(curve: Curve, steps: Axis, axis: Axis) -> str:
    drawable = curve.y > 0 if axis.log else np.ones(len(curve.y), dtype=bool)
    xs = (steps.position(curve.x[drawable]) * SIDE).tolist()
    ys = ((1 - axis.position(curve.y[drawable])) * SIDE).tolist()
    if not xs:
        return ""
    points = [f"{x:.1f} {y:.1f}" for x, y in zip(xs, ys, strict=True)]
    if len(points) == 1:
        return draw_dot(curve.look, points[0], curve.notes[0] if curve.notes else "")
    path = f'<path class="{curve.look}" d="M{"L".join(points)}"/>'
    return path + "".join(draw_dot(curve.look, point, note) for point, note in zip(points, curve.notes, strict=False))


def draw_dot(look: str, point: str, note: str) -> str:
    """A line of no length with round ends: it stays round however the drawing is stretched."""
    return f'<path class="dot {look}" d="M{point}h0"><title>{html_text(note)}</title></path>'


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    text: str  # above the bar
    note: str = ""  # for whoever points at it
    interval: tuple[float, float] | None = None
    marked: bool = False


def draw_bars(title: str, bars: Sequence[Bar]) -> str:
    """From 0 up; without a bar, nothing."""
    if not bars:
        return ""
    highest = max(max(bar.value, bar.interval[1] if bar.interval else 0.0) for bar in bars)
    axis = linear_axis(0.0, highest or 1.0)
    rows = 100 - 100 * axis.position(axis.ticks)
    room = 100 / len(bars)
    drawn, labels = [grid(rows)], y_labels(rows, axis)
    for index, bar in enumerate(bars):
        middle = room * (index + 0.5)
        low, high, value = axis.position([*(bar.interval or (bar.value, bar.value)), bar.value]).clip(0, 1).tolist()
        left, width, height = (
            SIDE / 100 * length for length in (middle - BAR_WIDTH * room / 2, BAR_WIDTH * room, 100 * value)
        )
        look = ' class="marked"' if bar.marked else ""
        drawn.append(
            f'<rect{look} x="{left:.1f}" y="{SIDE - height:.1f}" width="{width:.1f}" height="{height:.1f}">'
            f"<title>{html_text(bar.note or bar.text)}</title></rect>"
        )
        if bar.interval:
            at, top, end = SIDE / 100 * middle, SIDE * (1 - high), SIDE * (1 - low)
            drawn.append(f'<path class="whisker" d="M{at:.1f} {end:.1f}V{top:.1f}"/>')
        above = f"left:{middle:.2f}%;top:{100 - 100 * max(value, high):.2f}%"
        labels.append(f'<span class="x" style="left:{middle:.2f}%">{html_text(bar.label)}</span>')
        labels.append(f'<span class="value" style="{above}">{html_text(bar.text)}</span>')
    return figure(title, "", html_text(title), drawn, labels)


def smooth(values: np.ndarray, window: int) -> np.ndarray:
    """The mean of the numbers in a window around each one; at the start a smaller one, where a loss falls fast.

    values [n], NaN where there is none -> [n], NaN where the whole window has none.
    """
    known = np.isfinite(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(known, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(known)])
    indices = np.arange(len(values))
    half = np.minimum(indices, window // 2)
    low, high = indices - half, np.minimum(indices + half + 1, len(values))
    with np.errstate(invalid="ignore"):
        return (sums[high] - sums[low]) / (counts[high] - counts[low])


def keep_extremes(x: np.ndarray, y: np.ndarray, most: int = MOST_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Of each stretch the lowest and the highest point: a jagged line keeps its peaks."""
    x, y = finite_points(x, y)
    if len(x) <= most:
        return x, y
    edges = np.linspace(0, len(x), most // 2 + 1).astype(np.int64)
    kept = set()
    for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        kept |= {start + int(y[start:end].argmin()), start + int(y[start:end].argmax())}
    indices = np.array(sorted(kept))
    return x[indices], y[indices]


def keep_evenly(x: np.ndarray, y: np.ndarray, most: int = MOST_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Every so many-th point, the first and the last among them: enough for a smooth line."""
    x, y = finite_points(x, y)
    if len(x) <= most:
        return x, y
    indices = np.linspace(0, len(x) - 1, most).round().astype(np.int64)
    return x[indices], y[indices]


def finite_points(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    known = np.isfinite(y)
    return x[known], y[known]
