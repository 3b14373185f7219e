"""What all drawings share: a slide of 16:9 measured in inches, one palette, letters that can be read from the last row.

Nothing is turned on its side: Han characters stand upright wherever they are. Text of strangers is no mathematics,
unless a drawing says so of a formula of its own.
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.text import Text

from attendo.files.durable import write_file
from attendo.report import fonts

WIDTH, HEIGHT = 40 / 3, 7.5  # inches: a slide of 16:9
TITLE, BODY, SMALL = 22.0, 14.0, 12.0  # points; nothing is smaller than SMALL
MARGIN = 0.35
LIFT = 0.13  # of a letter's height

# The palette of the pages (report/style.py): blue for the source side, orange for the target side.
INK, QUIET, RULE = "#1c2024", "#59616a", "#c9ced4"
SOURCE, TARGET, GOOD, BAD = "#3b528b", "#c65102", "#1a7f5a", "#c62828"
PALE = {SOURCE: "#e6ebf7", TARGET: "#fdece0", GOOD: "#e0f2ea", BAD: "#fbe3e3", QUIET: "#eff1f3", INK: "#ffffff"}
WEIGHTS, SIGNED = "Reds", "RdBu_r"  # colours of numbers from 0 to 1, and of numbers around 0: in both red is above 0
PIXELS_PER_INCH = 144  # 1920 × 1080

Point = tuple[float, float]


@contextmanager
def slide_style() -> Iterator[None]:
    """For the time a drawing is made and written; nothing of it stays."""
    settings: dict[Any, Any] = {
        "font.family": list(fonts.families())[::-1], "font.size": BODY, "text.parse_math": False, "text.color": INK,
        "mathtext.fontset": "dejavusans", "axes.unicode_minus": False, "axes.edgecolor": QUIET,
        "axes.spines.top": False, "axes.spines.right": False, "xtick.color": INK, "ytick.color": INK,
        # Letters as outlines: they look the same where no Chinese font is; and the same drawing is the same file.
        "svg.fonttype": "path", "svg.hashsalt": "attendo",
    }  # fmt: skip
    with mpl.rc_context(settings):
        yield


class Slide:
    """A figure with one canvas over all of it: x from 0 to 13.333, y from 0 to 7.5, inches from the lower left."""

    def __init__(self, title: str, subtitle: str = "") -> None:
        self.figure = Figure(figsize=(WIDTH, HEIGHT), facecolor="white")
        self.canvas = self.figure.add_axes((0.0, 0.0, 1.0, 1.0), zorder=1)
        self.canvas.set(xlim=(0, WIDTH), ylim=(0, HEIGHT))
        self.canvas.set_axis_off()
        self.boxed: list[tuple[Text, FancyBboxPatch]] = []  # words and the box that must hold them
        self.text(MARGIN, HEIGHT - 0.42, title, TITLE, ha="left")
        if subtitle:
            self.text(MARGIN, HEIGHT - 0.83, subtitle, BODY, QUIET, ha="left")

    def text(
        self, x: float, y: float, words: str, size: float = BODY, colour: str = INK, *,
        ha: str = "center", va: str = "center_baseline", formula: bool = False,
    ) -> Text:  # fmt: skip
        if va == "center_baseline":  # letters stand on one line, whatever their heights; this brings it to the middle
            y += LIFT * size / 72
        return self.canvas.text(
            x, y, words if formula else drawable_lines(words), fontsize=size, color=colour, ha=ha, va=va,
            parse_math=formula, zorder=6, linespacing=1.25,
        )  # fmt: skip

    def box(
        self, middle: Point, size: Point, words: str = "", colour: str = QUIET, font: float = BODY, *,
        fill: str | None = None, dashed: bool = False, behind: bool = False,
    ) -> None:  # fmt: skip
        """A box around a middle, with words in it; `behind`: a frame around other boxes."""
        (x, y), (width, height) = middle, size
        patch = FancyBboxPatch(
            (x - width / 2, y - height / 2), width, height, boxstyle="round,pad=0,rounding_size=0.07",
            facecolor=PALE[colour] if fill is None else fill, edgecolor=colour, linewidth=1.4,
            linestyle="--" if dashed else "-", zorder=2 if behind else 4,
        )  # fmt: skip
        self.canvas.add_patch(patch)
        if words:
            self.boxed.append((self.text(x, y, words, font), patch))

    def arrow(self, *points: Point, colour: str = INK, width: float = 1.6, head: bool = True) -> None:
        """Along these points, with its head at the last."""
        if len(points) > 2:
            xs, ys = zip(*points[:-1], strict=True)
            self.canvas.plot(xs, ys, color=colour, linewidth=width, solid_joinstyle="round", zorder=3)
        self.canvas.add_patch(
            FancyArrowPatch(
                points[-2], points[-1], arrowstyle="-|>" if head else "-", mutation_scale=13, color=colour,
                linewidth=width, shrinkA=0, shrinkB=0, zorder=3,
            )
        )  # fmt: skip

    def line(self, start: Point, end: Point, colour: str, width: float, opacity: float = 1.0) -> None:
        xs, ys = zip(start, end, strict=True)
        self.canvas.plot(xs, ys, color=colour, linewidth=width, alpha=opacity, solid_capstyle="round", zorder=3)

    def cell(self, x: float, y: float, width: float, height: float, fill: str, edge: str = RULE) -> None:
        """By its lower left corner."""
        patch = Rectangle((x, y), width, height, facecolor=fill, edgecolor=edge, linewidth=0.8, zorder=3)
        self.canvas.add_patch(patch)

    def heat(
        self, x: float, y: float, width: float, height: float, numbers: np.ndarray, *,
        colours: str = WEIGHTS, low: float = 0.0, high: float = 1.0, frame: str = QUIET,
    ) -> None:  # fmt: skip
        """numbers [rows, columns], the first row on top; x and y are the lower left corner."""
        self.canvas.imshow(
            numbers, cmap=colours, vmin=low, vmax=high, extent=(x, x + width, y, y + height), aspect="auto",
            interpolation="nearest", zorder=3,
        )  # fmt: skip
        self.canvas.set(xlim=(0, WIDTH), ylim=(0, HEIGHT))
        self.canvas.add_patch(
            Rectangle((x, y), width, height, facecolor="none", edgecolor=frame, linewidth=1.2, zorder=4)
        )

    def texts(self) -> list[Text]:
        """All words that are seen, those of axes too; a tick beyond the end of its axis is not."""
        axes = (axis for panel in self.figure.axes for axis in (panel.xaxis, panel.yaxis))
        ticks = ((tick, axis.get_view_interval()) for axis in axes for tick in axis.get_major_ticks())
        beyond = {tick.label1 for tick, (low, high) in ticks if not low <= tick.get_loc() <= high}
        shown = [one for one in self.figure.findobj(Text) if one.get_visible() and one.get_text().strip()]
        return [one for one in shown if one not in beyond]


def write_slide(slide: Slide, path: Path) -> None:
    """As SVG or PNG, by the ending of the name."""
    write_file(path, picture_of(slide, path.suffix.lower().removeprefix(".")))


def picture_of(slide: Slide, form: str) -> bytes:
    """The same drawing is the same file: it bears no date."""
    said = ("Date", "Creator", "Format", "Type") if form == "svg" else ("Software",)
    picture = io.BytesIO()
    slide.figure.savefig(picture, format=form, dpi=PIXELS_PER_INCH, metadata=dict.fromkeys(said))
    return picture.getvalue()


def text_width(words: str, size: float = SMALL) -> float:
    """About, in inches; a Chinese character is as wide as high."""
    return size / 72 * sum(1.0 if east_asian_width(letter) in "WF" else 0.58 for letter in words)


def shortened(label: str, width: float, size: float = SMALL) -> str:
    """As much of it as fits, the rest as an ellipsis."""
    while len(label) > 1 and text_width(label, size) > width:
        label = label.removesuffix("…")[:-1] + "…"
    return label


def drawable_lines(words: str) -> str:
    return "\n".join(map(fonts.drawable, words.split("\n")))


def shape_text(shape: Sequence[int]) -> str:
    """[2, 7, 512]"""
    return f"[{', '.join(map(str, shape))}]"
