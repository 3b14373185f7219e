"""Matrices of attention weights as heat maps, PNG pictures: rows look, columns are looked at."""

import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unicodedata import east_asian_width

import matplotlib as mpl
import torch
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from torch import Tensor

from attendo.files.durable import write_file
from attendo.inspection.alignment import Alignment, AttentionMaps
from attendo.inspection.readable import SPACE
from attendo.report import fonts
from attendo.report.language import Bilingual, Language

USES = {  # what each is called, who looks, and at whom
    "encoder-self": (
        Bilingual("Encoder self-attention", "编码器自注意力"),
        Bilingual("source, looking", "在看的源句"),
        Bilingual("source, looked at", "被看的源句"),
    ),
    "decoder-self": (
        Bilingual("Decoder self-attention", "解码器自注意力"),
        Bilingual("target as read, looking", "在看的译文"),
        Bilingual("target as read, looked at", "被看的译文"),
    ),
    "cross": (
        Bilingual("Cross-attention", "交叉注意力"),
        Bilingual("target, being produced", "正在写的译文"),
        Bilingual("source, looked at", "被看的源句"),
    ),
    "self": (
        Bilingual("Self-attention", "自注意力"),
        Bilingual("source and target, looking", "在看的词元"),
        Bilingual("source and target, looked at", "被看的词元"),
    ),
    "language-model": (
        Bilingual("Self-attention", "自注意力"),
        Bilingual("text as read, looking", "在看的词元"),
        Bilingual("text as read, looked at", "被看的词元"),
    ),
    "encoder-only": (
        Bilingual("Self-attention", "自注意力"),
        Bilingual("text, looking", "在看的词元"),
        Bilingual("text, looked at", "被看的词元"),
    ),
}
ALIGNED = (
    Bilingual("Alignment: the mean over all layers and heads", "词对齐：所有层、所有头的平均"),
    Bilingual("target", "译文"),
    Bilingual("source", "源句"),
)
LAYER = Bilingual("{use}, layer {layer} of {layers}", "{use}，第 {layer} 层（共 {layers} 层）")
HEAD = Bilingual("head {head}", "第 {head} 个头")
WEIGHT = Bilingual("attention weight", "注意力权重")
MASKED = Bilingual("masked: may not be looked at", "被掩码遮住：不能看")
SIGNS = (  # which labels need a word of explanation
    (re.compile(">>.*<<"), Bilingual("{sign}: the language to write", "{sign}：要译成的语言")),
    (re.compile("<s>"), Bilingual("{sign}: start of the sentence", "{sign}：句首")),
    (re.compile("</s>"), Bilingual("{sign}: end of the sentence", "{sign}：句末")),
    (re.compile(SPACE), Bilingual("{sign}: a space", "{sign}：空格")),
)
ALIGNMENT = "alignment.png"

COLOURS = "Blues"  # one hue, white for nothing: reads the same to colour-blind eyes and in print
MASK_COLOUR, GRID = "#d9d9d9", "#e4e4e4"  # no weight has them

# All sizes in inches.
CELL, LARGEST_MAP = 0.26, 8.0  # cells of long sentences are smaller
FONT = 9 / 72
LINE = 0.16  # from one label to the next, at least
PER_ROW, WIDEST_ROW = 4, 17.0  # pictures side by side, at most
GAP, TITLE, NARROWEST, NOTE = 0.25, 0.35, 0.95, 0.28


def draw_maps(
    maps: Sequence[AttentionMaps], alignment: Alignment, folder: Path, language: Language = "en"
) -> Iterator[Path]:
    """A picture of the alignment, and for each layer one with all its heads; each path as soon as it is written."""
    heading, looking, looked_at = (words.of(language) for words in ALIGNED)
    weights, rows, columns = alignment.weights[None], alignment.rows, alignment.columns
    path = folder / ALIGNMENT
    draw_heads(weights, rows, columns, [""], heading, path, looking, looked_at, language=language)
    yield path
    for one in maps:
        yield from draw_layers(one, folder, language)


def draw_layers(one: AttentionMaps, folder: Path, language: Language = "en") -> Iterator[Path]:
    """One use of attention: a picture for each layer, with all its heads."""
    use, looking, looked_at = (words.of(language) for words in USES[one.name])
    layers, heads = one.weights.shape[:2]
    titles = [HEAD.of(language).format(head=head) for head in range(1, heads + 1)]
    for layer, weights in enumerate(one.weights, start=1):
        path = folder / f"{one.name}-layer-{layer}.png"
        heading = LAYER.of(language).format(use=use, layer=layer, layers=layers)
        draw_heads(
            weights, one.rows, one.columns, titles, heading, path, looking, looked_at,
            causal=one.causal, language=language,
        )  # fmt: skip
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
    *,
    causal: bool = False,
    language: Language = "en",
) -> None:
    """weights [pictures, rows, columns], each in [0, 1] -> one picture a title, up to four in a row, written as PNG.

    `causal`: a row may not look at later columns, and these cells are drawn as masked.
    """
    note = explain_signs([*rows, *columns], language, drawn=True)
    rows, columns = ([fonts.drawable(label) for label in labels] for labels in (rows, columns))
    apart = labels_apart(max(len(rows), len(columns)))
    layout = FigureLayout.of(rows, columns, len(titles), max(heading, note, key=label_width), has_note=bool(note))
    # Text of strangers may hold $, which is no mathematics here.
    with mpl.rc_context(
        {"font.family": list(fonts.families()), "font.size": 9, "axes.titlesize": 10, "text.parse_math": False}
    ):
        figure = Figure(figsize=(layout.width, layout.height))
        figure.text(0.12 / layout.width, 1 - 0.12 / layout.height, heading, va="top", fontsize=11)
        figure.text(0.12 / layout.width, 0.1 / layout.height, note, va="bottom", color="#555555")
        colours = mpl.colormaps[COLOURS].with_extremes(bad=MASK_COLOUR)
        for index, (matrix, title) in enumerate(zip(weights, titles, strict=True)):
            axis = figure.add_axes(layout.map_box(index))
            shown = matrix.double().cpu()
            if causal:
                shown = shown.masked_fill(torch.ones_like(shown, dtype=torch.bool).triu(1), torch.nan)
            image = axis.imshow(shown.numpy(), cmap=colours, norm=Normalize(0.0, 1.0), aspect="equal")
            axis.set_title(title)
            if apart == 1:
                draw_grid(axis, *shown.shape)
            first, last = index % layout.across == 0, index + layout.across >= len(titles)
            label_ticks(axis, rows if first else [], columns if last else [], apart, upright=layout.upright)
            upright_label(axis, looking if first else "")
            axis.set_xlabel(looked_at if last else "")
        scale = figure.add_axes(layout.scale_box())
        figure.colorbar(image, cax=scale).ax.tick_params(length=2)
        upright_label(scale, WEIGHT.of(language))
        if causal:
            patch = Patch(facecolor=MASK_COLOUR, edgecolor="#999999", label=MASKED.of(language))
            corner = 1 - 0.08 / layout.width, 1 - 0.02 / layout.height
            figure.legend(handles=[patch], loc="upper right", frameon=False, bbox_to_anchor=corner)
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=130)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, picture.getvalue())


def explain_signs(labels: Iterable[str], language: Language, *, drawn: bool = False) -> str:
    """What the signs among the labels mean, one after the other; empty if there are none. `drawn`: by our fonts."""
    labels = list(dict.fromkeys(labels))
    signs = ((words, match.group()) for pattern, words in SIGNS for match in map(pattern.match, labels) if match)
    explained = dict.fromkeys(words.of(language).format(sign=sign) for words, sign in signs)  # each once
    return "    ".join(map(fonts.drawable, explained) if drawn else explained)


def cell_size(longest: int) -> float:
    """Of a map with so many rows or columns."""
    return min(CELL, LARGEST_MAP / longest)


def labels_apart(longest: int) -> int:
    """Every label is shown where there is room for it, else every second, third …"""
    return math.ceil(LINE / cell_size(longest))


def draw_grid(axis: Axes, rows: int, columns: int) -> None:
    """Between the cells, most of which are as white as paper."""
    axis.set_xticks([column - 0.5 for column in range(1, columns)], minor=True)
    axis.set_yticks([row - 0.5 for row in range(1, rows)], minor=True)
    axis.grid(which="minor", color=GRID, linewidth=0.5)
    axis.tick_params(which="minor", length=0)


def label_ticks(axis: Axes, rows: Sequence[str], columns: Sequence[str], apart: int, *, upright: bool) -> None:
    axis.set_yticks(range(0, len(rows), apart), labels=rows[::apart])
    axis.set_xticks(range(0, len(columns), apart), labels=[across_ticks(label, upright) for label in columns[::apart]])
    for label in axis.get_xticklabels():
        label.set_rotation(0 if upright or is_wide(label.get_text()) else 90)
    axis.tick_params(length=0)


def upright_label(axis: Axes, label: str) -> None:
    """Beside a map: Chinese from top to bottom, Latin letters from bottom to top."""
    if label and is_wide(label):
        axis.set_ylabel("\n".join(label), rotation=0, va="center", labelpad=8)
    else:
        axis.set_ylabel(label)


def across_ticks(label: str, upright: bool) -> str:
    """Chinese is written from top to bottom, a character a line; it is never laid on its side."""
    return "\n".join(label) if is_wide(label) and not upright else label


def is_wide(label: str) -> bool:
    """Whether all its characters are as wide as high, as those of Chinese are."""
    return all(letter == "\n" or east_asian_width(letter) in "WF" for letter in label)


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
    def of(
        cls, rows: Sequence[str], columns: Sequence[str], pictures: int, longest_line: str, *, has_note: bool = False
    ) -> "FigureLayout":
        cell = cell_size(max(len(rows), len(columns)))
        longest_row, longest_column = (max(map(label_width, labels)) for labels in (rows, columns))
        highest_column = max(map(label_height, columns))
        map_width = max(len(columns) * cell, NARROWEST)
        fit = max(1, min(pictures, PER_ROW, int(WIDEST_ROW / (map_width + GAP))))
        down = math.ceil(pictures / fit)
        across = math.ceil(pictures / down)  # four of which three fit are two and two
        upright = longest_column <= 1.3 * cell
        return cls(
            map_width=map_width,
            map_height=len(rows) * cell,
            left=longest_row + 0.5,
            bottom=(FONT if upright else highest_column) + 0.5 + (NOTE if has_note else 0.0),
            top=0.45,
            across=across,
            down=down,
            least_width=1.25 * label_width(longest_line) + 0.3,
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
        height = min(max(self.map_height, 1.35), 3.0)
        return self.shares(left, self.height - self.top - TITLE - height, 0.14, height)

    def shares(self, left: float, bottom: float, width: float, height: float) -> tuple[float, float, float, float]:
        return left / self.width, bottom / self.height, width / self.width, height / self.height


def label_width(label: str) -> float:
    """About; a Chinese character is as wide as high."""
    return FONT * sum(1.0 if east_asian_width(letter) in "WF" else 0.64 for letter in label)


def label_height(label: str) -> float:
    """Of a column's label that stands on end, or of its characters one below the other."""
    return LINE * len(label) if is_wide(label) else label_width(label)
