"""Bars as a piece of HTML: rectangles in an SVG that stretches with the page, and words around it that do not."""

from collections.abc import Sequence
from dataclasses import dataclass

from attendo.report.axis import linear_axis
from attendo.report.curves import SIDE, grid
from attendo.report.page import shown

WIDE = 0.62  # of the room each bar has
BARS_STYLE = """
.plot rect { fill: var(--train); }
.plot rect.marked { fill: var(--good); }
.plot .whisker { stroke: var(--valid); stroke-width: 2; }
.plot .value { transform: translate(-50%, -130%); color: var(--ink); }
.bars .plot { margin-left: 2.6rem; }
.bars .chart:first-child { grid-column: auto; }
.bars .chart:first-child .plot { height: 12rem; }
"""


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    text: str  # above the bar
    note: str = ""  # for who points at it
    interval: tuple[float, float] | None = None
    marked: bool = False


def draw_bars(title: str, bars: Sequence[Bar]) -> str:
    """From 0 up; without a bar, nothing."""
    if not bars:
        return ""
    highest = max(max(bar.value, bar.interval[1] if bar.interval else 0.0) for bar in bars)
    axis = linear_axis(0.0, highest or 1.0)
    rows = 100 - 100 * axis.place(axis.ticks)
    room = 100 / len(bars)
    drawn, words = [], []
    for at, text in zip(rows, axis.labels, strict=True):
        words.append(f'<span class="y" style="top:{at:.2f}%">{text}</span>')
    for place, bar in enumerate(bars):
        middle = room * (place + 0.5)
        low, high, value = axis.place([*(bar.interval or (bar.value, bar.value)), bar.value]).clip(0, 1).tolist()
        left, width, height = (SIDE / 100 * length for length in (middle - WIDE * room / 2, WIDE * room, 100 * value))
        look = ' class="marked"' if bar.marked else ""
        drawn.append(
            f'<rect{look} x="{left:.1f}" y="{SIDE - height:.1f}" width="{width:.1f}" height="{height:.1f}">'
            f"<title>{shown(bar.note or bar.text)}</title></rect>"
        )
        if bar.interval:
            at, top, end = SIDE / 100 * middle, SIDE * (1 - high), SIDE * (1 - low)
            drawn.append(f'<path class="whisker" d="M{at:.1f} {end:.1f}V{top:.1f}"/>')
        above = f"left:{middle:.2f}%;top:{100 - 100 * max(value, high):.2f}%"
        words.append(f'<span class="x" style="left:{middle:.2f}%">{shown(bar.label)}</span>')
        words.append(f'<span class="value" style="{above}">{shown(bar.text)}</span>')
    return (
        f'<figure class="chart"><figcaption><b>{shown(title)}</b></figcaption>'
        f'<div class="plot" role="img" aria-label="{shown(title)}">'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE:g} {SIDE:g}" preserveAspectRatio="none">'
        f"{grid(rows)}{''.join(drawn)}</svg>{''.join(words)}</div></figure>\n"
    )
