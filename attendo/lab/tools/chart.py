"""How the lab's pictures look: colours that colour-blind eyes tell apart, bands for the spread."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from attendo.lab.tools.measuring import Interval, interval, log_interval
from attendo.report.fonts import families

# Okabe and Ito's, in an order in which neighbours differ in lightness, too.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000", "#F0E442")
MARKERS = "os^Dv<>p"


@contextmanager
def style() -> Iterator[None]:
    """For the time a picture is drawn; nothing of it stays."""
    settings: dict[Any, Any] = {
        "font.family": list(families())[::-1], "font.size": 13, "axes.spines.top": False, "axes.spines.right": False,
        "axes.grid": True, "grid.alpha": 0.25, "grid.linewidth": 0.6, "axes.prop_cycle": cycler(color=COLOURS),
        "figure.dpi": 110, "savefig.dpi": 130, "legend.frameon": False, "mathtext.fontset": "dejavusans",
        "axes.unicode_minus": False,
    }  # fmt: skip
    with mpl.rc_context(settings):
        yield


def figure(columns: int = 1, rows: int = 1, width: float = 6.0, height: float = 4.4) -> tuple[Figure, list[Axes]]:
    """Axes from left to right, then from top to bottom."""
    drawn = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = drawn.subplots(rows, columns, squeeze=False)
    return drawn, list(axes.flat)


def title(figure: Figure, words: str) -> None:
    """The finding, above everything; a long one on two lines."""
    if words:
        width = int(figure.get_size_inches()[0] * 9)  # letters of this size that fit; a Han character counts twice
        figure.suptitle(broken(words, width), fontsize=17)


def upright(figure: Figure) -> None:
    """What the vertical axis is stands above it, to be read without turning one's head: Han characters lie badly."""
    for axes in figure.axes:
        words = [text for text in (axes.get_title(), axes.get_ylabel()) if text]
        axes.set_ylabel("")
        axes.set_title("")
        axes.set_title("\n".join(words), loc="left", fontsize=13)


def broken(words: str, width: int) -> str:
    """A line break near the middle, at a space or behind a comma, if the words are wider than that."""
    wide = [1 if ord(letter) < 0x2E80 else 2 for letter in words]
    if sum(wide) <= width:
        return words
    places = [at for at, letter in enumerate(words, start=1) if letter in " ，；：、" and at < len(words)]
    if not places:
        return words
    middle = min(places, key=lambda at: abs(sum(wide[:at]) - sum(wide) / 2))
    return f"{words[:middle].rstrip()}\n{words[middle:].lstrip()}"


def tick_at(axes: Axes, values: Sequence[float]) -> None:
    """Of an axis that is logarithmic: these numbers, and no lines between them."""
    axes.set_xticks(values, [f"{value:g}" for value in values])
    axes.minorticks_off()


def without_empty_logs(figure: Figure) -> None:
    """An axis on which nothing positive stands cannot be logarithmic: a turned knob may leave it so."""
    for axes in figure.axes:
        if axes.get_xscale() == "log" and not math.isfinite(axes.dataLim.minposx):
            axes.set_xscale("linear")
        if axes.get_yscale() == "log" and not math.isfinite(axes.dataLim.minposy):
            axes.set_yscale("linear")


def plain_log(axes: Axes) -> None:
    """A vertical axis that is logarithmic, with numbers as one says them: 200, 500, 1,000."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def finite_interval(values: Sequence[float]) -> Interval:
    """Where a value is infinite or none there is no interval; a picture leaves that point out."""
    return interval(values) if all(map(math.isfinite, values)) else Interval(math.nan, math.nan)


def finite_log_interval(values: Sequence[float]) -> tuple[float, float, float]:
    return log_interval(values) if all(map(math.isfinite, values)) else (math.nan, math.nan, math.nan)


def band(axes: Axes, x: Sequence[float], curves: Sequence[Sequence[float]], label: str, index: int, **how: Any) -> None:
    """The mean of the seeds' curves, with its 95 % interval."""
    at_each = [finite_interval(values) for values in zip(*curves, strict=True)]
    colour = COLOURS[index % len(COLOURS)]
    marker = MARKERS[index % len(MARKERS)]
    axes.plot(x, [at.mean for at in at_each], f"{marker}-", color=colour, label=label, ms=4, **how)
    axes.fill_between(x, [at.low for at in at_each], [at.high for at in at_each], color=colour, alpha=0.18, lw=0)


def lines(axes: Axes, x: Sequence[float], curves: Sequence[Sequence[float]], label: str, index: int) -> None:
    """Each seed's curve as a thin line, and a thick one at the median: for seeds that part ways, or a log scale."""
    colour = COLOURS[index % len(COLOURS)]
    for curve in curves:
        axes.plot(x, curve, color=colour, lw=0.8, alpha=0.35)
    axes.plot(x, [median(values) for values in zip(*curves, strict=True)], color=colour, lw=3, label=label)


def log_band(axes: Axes, x: Sequence[float], curves: Sequence[Sequence[float]], label: str, index: int) -> None:
    """As band, for an axis that is logarithmic: the geometric mean, and its interval."""
    means, lows, highs = zip(*(finite_log_interval(values) for values in zip(*curves, strict=True)), strict=True)
    colour = COLOURS[index % len(COLOURS)]
    axes.plot(x, means, f"{MARKERS[index % len(MARKERS)]}-", color=colour, label=label, ms=6)
    axes.fill_between(x, lows, highs, color=colour, alpha=0.18, lw=0)


def bars(axes: Axes, labels: Sequence[str], seeds_of_each: Sequence[Sequence[float]]) -> None:
    """A bar for each label: the mean over seeds, its interval as a line, and every seed as a point."""
    for index, values in enumerate(seeds_of_each):
        around = finite_interval(values)
        axes.bar(index, around.mean, color=COLOURS[index % len(COLOURS)], alpha=0.75, width=0.62)
        if len(values) > 1:
            axes.errorbar(index, around.mean, around.half, color="black", capsize=4, lw=1)
            axes.plot([index] * len(values), values, "o", color="black", ms=3, alpha=0.6)
    axes.set_xticks(range(len(labels)), labels)
    axes.grid(visible=False, axis="x")


def points(axes: Axes, labels: Sequence[str], seeds_of_each: Sequence[Sequence[float]]) -> None:
    """A point for every seed, side by side, and a line at the median: for results that fall into two heaps."""
    for index, values in enumerate(seeds_of_each):
        heap(axes, values, index, 0.56, COLOURS[index % len(COLOURS)])
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.grid(visible=False, axis="x")


def grouped_points(
    axes: Axes, groups: Sequence[str], sides: Sequence[str], seeds_of_each: Sequence[Sequence[Sequence[float]]]
) -> None:
    """Such points for each side of each group: [group][side][seed]. The sides are told apart by colour: see legend."""
    width = 0.84 / len(sides)
    for group, each in enumerate(seeds_of_each):
        for index, (side, values) in enumerate(zip(sides, each, strict=True)):
            at = group + width * (index - (len(sides) - 1) / 2)
            heap(axes, values, at, 0.8 * width, COLOURS[index % len(COLOURS)], label=None if group else side)
    axes.set_xticks(range(len(groups)), groups)
    axes.set_xlim(-0.5, len(groups) - 0.5)
    axes.grid(visible=False, axis="x")


def heap(axes: Axes, values: Sequence[float], at: float, width: float, colour: str, label: str | None = None) -> None:
    """The points of one side, sorted from left to right, and the median."""
    spread = [at + 0.65 * width * ((place + 0.5) / len(values) - 0.5) for place in range(len(values))]
    axes.plot(spread, sorted(values), "o", color=colour, ms=6, alpha=0.75, mew=0)
    axes.plot([at - width / 2, at + width / 2], [median(values)] * 2, color=colour, lw=2.5, label=label)


def legend_below(figure: Figure, axes: Axes) -> None:
    """One for all panels, under them, where it covers nothing."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
