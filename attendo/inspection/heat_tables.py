"""Matrices of attention weights as tables of a page, cells coloured by weight: rows look, columns are looked at."""

from collections.abc import Sequence
from html import escape

import matplotlib as mpl
from torch import Tensor

from attendo.inspection.heat_maps import COLOURS
from attendo.report.language import Bilingual, Language

LEVELS = 32  # of colour
DARK = 18  # from this level on, white letters are the readable ones
MARKS = (0, 1, 2, 4, 6, 8, 10, 15, 20)  # twentieths that the legend names
# No weight has this colour, nor stripes: what a mask forbids is no small weight.
MASKED = "repeating-linear-gradient(45deg, #c4c4c4 0 .12rem, #e9e9e9 .12rem .3rem)"


def heat_table(
    weights: Tensor,
    rows: Sequence[str],
    columns: Sequence[str],
    caption: str,
    *,
    numbers: bool = False,
    causal: bool = False,
    languages: tuple[str | None, str | None] = (None, None),
) -> str:
    """weights [rows, columns]; `numbers`: each cell shows its percent; `causal`: no row may look at a later column.

    The languages are of rows and columns.
    """
    rows, columns = ([escape(label) for label in labels] for labels in (rows, columns))
    head = "".join(f'<th scope="col"><span>{column}</span></th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row" dir="auto">{row}</th>'
        f"{''.join(table_cells(values, row, columns, numbers, index + 1 if causal else len(columns)))}</tr>\n"
        for index, (row, values) in enumerate(zip(rows, weights.tolist(), strict=True))
    )
    return (
        f'<figure class="map{" numbers" if numbers else ""}"><figcaption>{escape(caption)}</figcaption><table>'
        f"<thead{lang_attribute(languages[1])}><tr><td></td>{head}</tr></thead><tbody{lang_attribute(languages[0])}>\n{body}</tbody>"
        f"</table></figure>\n"
    )


def table_cells(values: Sequence[float], row: str, columns: Sequence[str], numbers: bool, allowed: int) -> list[str]:
    """`allowed`: so many columns may be looked at, the others are masked."""
    seen = [
        f'<td class="{colour_class(value)}" title="{row} → {column}: {value:.3f}">'
        f"{f'{100 * value:.0f}' if numbers and value >= 0.005 else ''}</td>"
        for value, column in zip(values[:allowed], columns[:allowed], strict=True)
    ]
    masked = [
        f'<td class="masked" title="{row} → {column}, masked: {value:.3f}"></td>'
        for value, column in zip(values[allowed:], columns[allowed:], strict=True)
    ]
    return seen + masked


def colour_class(value: float) -> str:
    return f"k{round(LEVELS * min(max(value, 0.0), 1.0))}"


def lang_attribute(language: str | None) -> str:
    return f' lang="{escape(language)}"' if language else ""


def legend(*, causal: bool = False, language: Language = "en") -> str:
    """The scale of colours, with its numbers."""
    marks = [(step / 20, f"{step / 20:g}" if step in MARKS else "") for step in range(21)]
    strip = "".join(f'<td class="{colour_class(value)}">{label}</td>' for value, label in marks)
    masked = (
        '<td class="masked"></td><td class="words">' + Bilingual("masked", "被掩码遮住").on_page(language) + "</td>"
        if causal
        else ""
    )
    return f'<table class="legend"><tr>{strip}{masked}</tr></table>'


def colour_rules() -> str:
    """The style of each level."""
    colours = mpl.colormaps[COLOURS]
    levels = "".join(
        f".k{level} {{ background: {mpl.colors.to_hex(colours(level / LEVELS))}; "
        f"color: {'#fff' if level >= DARK else '#000'}; }}\n"
        for level in range(LEVELS + 1)
    )
    return f"{levels}.masked {{ background: {MASKED}; }}\n"
