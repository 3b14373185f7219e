"""Which source words each target word was made from, as a small picture: shades in a terminal, lines in an SVG.

No torch and no matplotlib are needed. Weights are rows of numbers: rows look (target), columns are looked at (source).
"""

from collections.abc import Iterator, Sequence
from html import escape

from attendo.report.columns import num_columns

Weights = Sequence[Sequence[float]]

SHADES = ((0.75, "█"), (0.50, "▓"), (0.25, "▒"), (0.10, "░"))  # from this weight on
FAINTEST = 0.05  # below it a line would only be noise

# Sizes in the SVG's own units, about pixels.
FONT, GAP, EDGE, BETWEEN = 18, 22, 20, 130


def link_lines(weights: Weights, rows: Sequence[str], columns: Sequence[str]) -> Iterator[str]:
    """For a terminal: a line a target word, each weight as a shade under its source word."""
    margin = max(map(num_columns, rows))
    yield " " * margin + "  " + " ".join(columns)
    for row, values in zip(rows, weights, strict=True):
        shades = " ".join(shade(value) * num_columns(column) for value, column in zip(values, columns, strict=True))
        yield f"{row}{' ' * (margin - num_columns(row))}  {shades}".rstrip()
    yield ""
    yield " " * margin + "  " + "   ".join(f"{sign} from {least:.0%}" for least, sign in reversed(SHADES))


def shade(weight: float) -> str:
    return next((sign for least, sign in SHADES if weight >= least), " ")


def link_picture(weights: Weights, rows: Sequence[str], columns: Sequence[str]) -> str:
    """An SVG: the source above, the target below, and a line between two words the darker the larger the weight."""
    width = max(map(line_width, (rows, columns))) + 2 * EDGE
    above, below = places(columns, width), places(rows, width)
    height = 2 * (FONT + EDGE) + BETWEEN
    source, target = EDGE + FONT, EDGE + FONT + BETWEEN + FONT  # baselines
    lines = "".join(
        f'<line x1="{middle(above[column])}" y1="{source + 7}" x2="{middle(below[row])}" y2="{target - FONT - 2}" '
        f'stroke-opacity="{value:.2f}">'
        f"<title>{escape(rows[row])} ← {escape(columns[column])}: {value:.0%}</title></line>\n"
        for row, values in enumerate(weights)
        for column, value in enumerate(values)
        if value >= FAINTEST
    )
    words = "".join(
        f'<text x="{middle(place)}" y="{baseline}">{escape(word)}</text>\n'
        for baseline, side, spans in ((source, columns, above), (target, rows, below))
        for word, place in zip(side, spans, strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
        f'<g stroke="#31688e" stroke-width="3">\n{lines}</g>\n'
        f'<g font-family="sans-serif" font-size="{FONT}" text-anchor="middle">\n{words}</g>\n</svg>\n'
    )


def places(words: Sequence[str], width: int) -> list[tuple[float, float]]:
    """Where each word begins and ends, one after the other, in the middle of the width."""
    spans = []
    begin = (width - line_width(words)) / 2
    for word in words:
        end = begin + word_width(word)
        spans.append((begin, end))
        begin = end + GAP
    return spans


def line_width(words: Sequence[str]) -> int:
    return sum(map(word_width, words)) + GAP * (len(words) - 1)


def word_width(word: str) -> int:
    """About; a Chinese character is two columns wide."""
    return round(FONT * 0.55 * num_columns(word))


def middle(span: tuple[float, float]) -> float:
    return sum(span) / 2
