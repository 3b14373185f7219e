"""Tensors in the columns of a terminal: a name, a shape and the first numbers of a row; or a row for each number."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from attendo.errors import InputError
from attendo.explain.explain import Explanation
from attendo.files.tables import short_repr
from attendo.glass.trace import Array
from attendo.inspection.readable import token_labels
from attendo.report.columns import num_columns, padded

NAME_WIDTH, SHAPE_WIDTH, CELL_WIDTH = 16, 14, 9
NUMBERS_OF_A_ROW = 6  # are shown, the others are counted
WIDTH = 100  # columns; wider tables are cut into several
LINE_OF_NUMBERS = 8


def heading(number: int, words: str, equation: str = "") -> Iterator[str]:
    yield ""
    yield f"{number}  {words}{'    ' + equation if equation else ''}"


def tensor_line(name: str, tensor: Array, row: Array) -> str:
    """Q [4, 6, 64]   0.1234 …: of the tensor the numbers of one row."""
    shape = f"[{', '.join(map(str, tensor.shape))}]"
    numbers = "".join(right(number_text(float(one))) for one in row[:NUMBERS_OF_A_ROW])
    more = " …" if len(row) > NUMBERS_OF_A_ROW else ""
    return f"   {padded(name, NAME_WIDTH)}{padded(shape, SHAPE_WIDTH)}{numbers}{more}"


def table(labels: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Columns under their labels, in as many tables as the width asks for."""
    widths = [max(CELL_WIDTH, num_columns(label) + 2) for label in labels]
    begin = 0
    while begin < len(labels):
        end, width = begin, NAME_WIDTH + 3
        while end < len(labels) and (end == begin or width + widths[end] <= WIDTH):
            width += widths[end]
            end += 1
        head = "".join(right(label, size) for label, size in zip(labels[begin:end], widths[begin:end], strict=True))
        yield f"   {' ' * NAME_WIDTH}{head}"
        for name, cells in rows:
            line = "".join(right(cell, size) for cell, size in zip(cells[begin:end], widths[begin:end], strict=True))
            yield f"   {padded(name, NAME_WIDTH)}{line}".rstrip()
        begin = end


def tensor_lines(found: Explanation, names: Sequence[str]) -> Iterator[str]:
    """Every number of each tensor; of `list` the names and shapes of all."""
    trace = found.shown.trace
    for name in names:
        if name == "list":
            yield from (f"{one} [{', '.join(map(str, shape))}]" for one, shape in trace.shapes().items())
            continue
        if name not in trace:
            raise InputError(f"--tensor is {short_repr(name)}: expected one of the {len(trace)} names of --tensor list")
        tensor = trace[name]
        # Rows are source pieces in the encoder, and for keys and values of cross-attention; elsewhere the target's.
        of_source = name.startswith(("source", "encoder", "memory")) or name.endswith(("attention.K", "attention.V"))
        of_source &= "decoder" not in name or "cross_attention" in name
        yield from whole_tensor(name, tensor, found.source_labels if of_source else found.target_in_labels)


def whole_tensor(name: str, tensor: Array, row_labels: Sequence[str]) -> Iterator[str]:
    """Every number, each row of the last dimension under its index."""
    yield f"{name} [{', '.join(map(str, tensor.shape))}]"
    flat = tensor.reshape(-1, tensor.shape[-1]) if tensor.ndim else tensor.reshape(1, 1)
    for index, row in enumerate(flat):
        where = index_text(index, tensor.shape[:-1], row_labels)
        yield f"  {where}" if where else "  "
        for begin in range(0, len(row), LINE_OF_NUMBERS):
            numbers = "".join(right(exact_text(one), 12) for one in row[begin : begin + LINE_OF_NUMBERS])
            yield f"  {begin:>5}{numbers}"


def index_text(index: int, shape: tuple[int, ...], row_labels: Sequence[str]) -> str:
    """[2, 1] 我: where in the dimensions before the last a row stands, and what stands there."""
    places = []
    for size in reversed(shape):
        index, place = divmod(index, size)
        places.append(place)
    if not places:
        return ""
    label = f" {row_labels[places[0]]}" if len(row_labels) == shape[-1] else ""
    return f"[{', '.join(map(str, reversed(places)))}]{label}"


def number_text(value: float) -> str:
    """0.1235; -12.35; 1.2e+05; -∞: about four digits."""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value)
    if size >= 10_000 or 0 < size < 0.00005:
        return f"{value:.1e}"
    return f"{value:.{4 if size < 10 else 3 if size < 100 else 2}f}"


def exact_text(value: np.generic) -> str:
    """17, where it is an id or a mask, which are whole; 0.1235 where it was computed."""
    return number_text(float(value)) if isinstance(value, np.floating) else str(int(value))


def right(text: str, width: int = CELL_WIDTH) -> str:
    return " " * max(width - num_columns(text), 1) + text


def token_names(ids: Sequence[int], found: Explanation) -> list[str]:
    """Each by itself."""
    labels = token_labels(ids, found.tokenizer)
    return [labels[one] for one in ids]
