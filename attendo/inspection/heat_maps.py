"""Matrices of attention weights as heat maps, PNG pictures and HTML tables: rows look, columns are looked at."""

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from unicodedata import east_asian_width

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from torch import Tensor

from attendo.files.durable import write_file
from attendo.inspection.alignment import Alignment, AttentionMaps
from attendo.report import fonts

USES = {  # what each is called, who looks, and at whom
    "encoder-self": ("Encoder self-attention", "source, looking", "source, looked at"),
    "decoder-self": ("Decoder self-attention", "target as read, looking", "target as read, looked at"),
    "cross": ("Cross-attention", "target, being produced", "source, looked at"),
    "self": ("Self-attention", "source and target, looking", "source and target, looked at"),
}
ALIGNMENT = "alignment.png"

COLOURS = "viridis"  # reads the same to most colour-blind eyes, and in print
# Colours follow the root of a weight: beside 1 a weight of 0.04 would be as dark as nothing, and yet it is a look.
ROOT = 0.5
TICKS = (0, 0.04, 0.16, 0.36, 0.64, 1)
LEVELS = 32  # of colour in a table
BRIGHT = 20  # from this level on, dark letters are the readable ones

# All sizes in inches.
CELL, LARGEST_MAP = 0.26, 8.0  # cells of long sentences are smaller
FONT = 9 / 72
LINE = 0.16  # from one label to the next, at least
PER_ROW, WIDEST_ROW = 4, 17.0  # pictures side by side, at most
GAP, TITLE, NARROWEST = 0.25, 0.35, 0.95


def draw_maps(maps: Sequence[AttentionMaps], alignment: Alignment, folder: Path) -> Iterator[Path]:
    """A picture of the alignment, and for each layer one with all its heads; each path as soon as it is written."""
    heading = "Alignment: the mean over all layers and heads"
    draw_heads(alignment.weights[None], alignment.rows, alignment.columns, [""], heading, folder / ALIGNMENT)
    yield folder / ALIGNMENT
    for one in maps:
        use, looking, looked_at = USES[one.name]
        layers, heads = one.weights.shape[:2]
        titles = [f"head {head}" for head in range(1, heads + 1)]
        for layer, weights in enumerate(one.weights, start=1):
            path = folder / f"{one.name}-layer-{layer}.png"
            heading = f"{use}, layer {layer} of {layers}"
            draw_heads(weights, one.rows, one.columns, titles, heading, path, looking, looked_at)
            yield path


def draw_heads(
    weights: Tensor,
    rows: Sequence[str],
    columns: Sequence[str],
    titles: Sequence[str],
    heading: str,
    path: Path,
    looking: str = "target, looking",
    looked_at: str = "source, looked at",
) -> None:
    """weights [pictures, rows, columns], each in [0, 1] -> one picture a title, up to four in a row, written as PNG."""
    rows, columns = ([fonts.drawable(label) for label in labels] for labels in (rows, columns))
    apart = labels_apart(max(len(rows), len(columns)))
    layout = FigureLayout.of(rows, columns, len(titles), heading)
    # Text of strangers may hold $, which is no mathematics here.
    with mpl.rc_context(
        {"font.family": list(fonts.families()), "font.size": 9, "axes.titlesize": 10, "text.parse_math": False}
    ):
        figure = Figure(figsize=(layout.width, layout.height))
        figure.text(0.12 / layout.width, 1 - 0.12 / layout.height, heading, va="top", fontsize=11)
        for index, (matrix, title) in enumerate(zip(weights, titles, strict=True)):
            axis = figure.add_axes(layout.map_box(index))
            image = axis.imshow(matrix.numpy(force=True), cmap=COLOURS, norm=PowerNorm(ROOT, 0.0, 1.0), aspect="equal")
            axis.set_title(title)
            first, last = index % layout.across == 0, index + layout.across >= len(titles)
            label_ticks(axis, rows if first else [], columns if last else [], apart, upright=layout.upright)
            axis.set_ylabel(looking if first else "")
            axis.set_xlabel(looked_at if last else "")
        scale = figure.add_axes(layout.scale_box())
        figure.colorbar(image, cax=scale, label="attention weight", ticks=TICKS).ax.tick_params(length=2)
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=130)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, picture.getvalue())


def cell_size(longest: int) -> float:
    """Of a map with so many rows or columns."""
    return min(CELL, LARGEST_MAP / longest)


def labels_apart(longest: int) -> int:
    """Every label is shown where there is room for it, else every second, third …"""
    return math.ceil(LINE / cell_size(longest))


def label_ticks(axis: Axes, rows: Sequence[str], columns: Sequence[str], apart: int, *, upright: bool) -> None:
    axis.set_yticks(range(0, len(rows), apart), labels=rows[::apart])
    axis.set_xticks(range(0, len(columns), apart), labels=columns[::apart], rotation=0 if upright else 90)
    axis.tick_params(length=0)


@dataclass(frozen=True)
class FigureLayout:
    """Where everything stands. Computed, not found by trial as matplotlib's own layouts are: dozens are drawn."""

    map_width: float
    map_height: float
    left: float
    bottom: float
    top: float
    across: int
    down: int
    least_width: float
    upright: bool  # the columns' labels: they are short

    @classmethod
    def of(cls, rows: Sequence[str], columns: Sequence[str], pictures: int, heading: str) -> "FigureLayout":
        cell = cell_size(max(len(rows), len(columns)))
        longest_row, longest_column = (max(map(label_width, labels)) for labels in (rows, columns))
        map_width = max(len(columns) * cell, NARROWEST)
        across = max(1, min(pictures, PER_ROW, int(WIDEST_ROW / (map_width + GAP))))
        upright = longest_column <= 1.3 * cell
        return cls(
            map_width=map_width,
            map_height=len(rows) * cell,
            left=longest_row + 0.5,
            bottom=(FONT if upright else longest_column) + 0.5,
            top=0.45,
            across=across,
            down=math.ceil(pictures / across),
            least_width=1.25 * label_width(heading) + 0.3,
            upright=upright,
        )

    @property
    def width(self) -> float:
        return max(self.left + self.across * (self.map_width + GAP) + 0.9, self.least_width)

    @property
    def height(self) -> float:
        # A scale of colours needs some height of its own.
        return max(self.top + self.down * (self.map_height + TITLE) + self.bottom, 2.2)

    def map_box(self, index: int) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of a picture, as shares of the figure."""
        across, down = index % self.across, index // self.across
        left = self.left + across * (self.map_width + GAP)
        bottom = self.height - self.top - (down + 1) * (self.map_height + TITLE)
        return self.shares(left, bottom, self.map_width, self.map_height)

    def scale_box(self) -> tuple[float, float, float, float]:
        left = self.left + self.across * (self.map_width + GAP) + 0.05
        height = min(self.height - self.top - TITLE - 0.15, 3.0)
        return self.shares(left, self.height - self.top - TITLE - height, 0.14, height)

    def shares(self, left: float, bottom: float, width: float, height: float) -> tuple[float, float, float, float]:
        return left / self.width, bottom / self.height, width / self.width, height / self.height


def label_width(label: str) -> float:
    """About; a Chinese character is as wide as high."""
    return FONT * sum(1.0 if east_asian_width(letter) in "WF" else 0.64 for letter in label)


def heat_table(
    weights: Tensor,
    rows: Sequence[str],
    columns: Sequence[str],
    caption: str,
    *,
    numbers: bool = False,
    languages: tuple[str | None, str | None] = (None, None),
) -> str:
    """weights [rows, columns]; `numbers`: each cell shows its percent. The languages are of rows and columns."""
    rows, columns = ([escape(label) for label in labels] for labels in (rows, columns))
    head = "".join(f'<th scope="col"><span>{column}</span></th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row" dir="auto">{row}</th>{"".join(table_cells(values, row, columns, numbers))}</tr>\n'
        for row, values in zip(rows, weights.tolist(), strict=True)
    )
    return (
        f'<figure class="map{" numbers" if numbers else ""}"><figcaption>{escape(caption)}</figcaption><table>'
        f"<thead{lang_attribute(languages[1])}><tr><td></td>{head}</tr></thead><tbody{lang_attribute(languages[0])}>\n{body}</tbody>"
        f"</table></figure>\n"
    )


def table_cells(values: Sequence[float], row: str, columns: Sequence[str], numbers: bool) -> list[str]:
    return [
        f'<td class="{colour_class(value)}" title="{row} → {column}: {value:.3f}">'
        f"{f'{100 * value:.0f}' if numbers and value >= 0.005 else ''}</td>"
        for value, column in zip(values, columns, strict=True)
    ]


def colour_class(value: float) -> str:
    return f"k{round(LEVELS * math.sqrt(min(max(value, 0.0), 1.0)))}"


def lang_attribute(language: str | None) -> str:
    return f' lang="{escape(language)}"' if language else ""


def legend() -> str:
    """The scale of colours, with its numbers."""
    marks = [(step / 20, f"{step / 20:g}" if step in (0, 1, 2, 4, 6, 8, 10, 15, 20) else "") for step in range(21)]
    strip = "".join(f'<td class="{colour_class(value)}">{label}</td>' for value, label in marks)
    return f'<table class="legend"><tr>{strip}</tr></table>'


def colour_rules() -> str:
    """The style of each level."""
    colours = mpl.colormaps[COLOURS]
    return "".join(
        f".k{level} {{ background: {mpl.colors.to_hex(colours(level / LEVELS))}; "
        f"color: {'#000' if level >= BRIGHT else '#fff'}; }}\n"
        for level in range(LEVELS + 1)
    )
