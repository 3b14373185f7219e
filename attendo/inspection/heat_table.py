"""A matrix of attention weights as an HTML table: colours to see, values to point at, and labels that are text."""

import math
from collections.abc import Sequence
from html import escape

import matplotlib as mpl
from torch import Tensor

from attendo.inspection.heat_map import COLOURS

LEVELS = 32  # of colour; they follow the root of the weight, as in the pictures
BRIGHT = 20  # from this level on, dark letters are the readable ones


def heat_table(
    weights: Tensor,
    rows: Sequence[str],
    columns: Sequence[str],
    caption: str,
    *,
    numbers: bool = False,
    languages: tuple[str | None, str | None] = (None, None),
) -> str:
    """weights [rows, columns]; `numbers`: each cell says its percent. The languages are of rows and columns."""
    rows, columns = ([escape(label) for label in labels] for labels in (rows, columns))
    head = "".join(f'<th scope="col"><span>{column}</span></th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row" dir="auto">{row}</th>{"".join(cells(values, row, columns, numbers))}</tr>\n'
        for row, values in zip(rows, weights.tolist(), strict=True)
    )
    return (
        f'<figure class="map{" numbers" if numbers else ""}"><figcaption>{escape(caption)}</figcaption><table>'
        f"<thead{lang(languages[1])}><tr><td></td>{head}</tr></thead><tbody{lang(languages[0])}>\n{body}</tbody>"
        f"</table></figure>\n"
    )


def cells(values: Sequence[float], row: str, columns: Sequence[str], numbers: bool) -> list[str]:
    return [
        f'<td class="{look(value)}" title="{row} → {column}: {value:.3f}">{percent(value) if numbers else ""}</td>'
        for value, column in zip(values, columns, strict=True)
    ]


def percent(value: float) -> str:
    return f"{100 * value:.0f}" if value >= 0.005 else ""


def look(value: float) -> str:
    return f"k{round(LEVELS * math.sqrt(min(max(value, 0.0), 1.0)))}"


def lang(language: str | None) -> str:
    return f' lang="{escape(language)}"' if language else ""


def legend() -> str:
    """The scale of colours, with its numbers."""
    marks = [(step / 20, f"{step / 20:g}" if step in (0, 1, 2, 4, 6, 8, 10, 15, 20) else "") for step in range(21)]
    strip = "".join(f'<td class="{look(value)}">{label}</td>' for value, label in marks)
    return f'<table class="legend"><tr>{strip}</tr></table>'


def colour_rules() -> str:
    """The style of each level."""
    colours = mpl.colormaps[COLOURS]
    return "".join(
        f".k{level} {{ background: {mpl.colors.to_hex(colours(level / LEVELS))}; "
        f"color: {'#000' if level >= BRIGHT else '#fff'}; }}\n"
        for level in range(LEVELS + 1)
    )
