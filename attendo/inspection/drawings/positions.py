"""How a model tells positions apart: its whole table as a heat map, and one row of the paper's worked out by hand."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from attendo.errors import InputError
from attendo.inspection.drawings.slide import (
    BODY,
    HEIGHT,
    INK,
    PALE,
    QUIET,
    SIGNED,
    SMALL,
    SOURCE,
    TARGET,
    WIDTH,
    Slide,
)  # fmt: skip
from attendo.model.config import LayerConfig, ModelConfig
from attendo.model.positions import LearnedPositions, RotaryPositions, position_angles, sinusoidal_encoding
from attendo.report.language import Bilingual, Language, in_language

SHOWN = 64  # positions
EXAMPLE_WIDTH, EXAMPLE_POSITION = 8, 2  # the one the notes work out
TITLES = {
    "sinusoidal": Bilingual("Sinusoidal positions", "正弦位置编码"),
    "sinusoidal-halves": Bilingual("Sinusoidal positions, sines first", "正弦位置编码（先 sin 后 cos）"),
    "learned": Bilingual("Learned positions", "可学习的位置编码"),
    "rotary": Bilingual("Rotary positions: cos(pos · ω)", "旋转位置编码：cos(pos · ω)"),
}


@dataclass(frozen=True)
class WorkedColumn:
    """A number of the example, and how it comes about: `function` of `angle` = pos / 10000^(`power` / d)."""

    function: str  # sin or cos
    power: int
    angle: float
    number: float


@dataclass(frozen=True)
class DrawnPositions:
    kind: str
    numbers: np.ndarray  # [positions, columns]
    example: tuple[WorkedColumn, ...]


def position_table(config: ModelConfig, model: nn.Module | None = None, count: int = SHOWN) -> DrawnPositions:
    """The first positions as this kind of model sees them; a learned table is that of the model."""
    if not isinstance(config, LayerConfig) or config.positions == "none":
        raise InputError("this model has no positions to draw: expected sinusoidal, learned or rotary ones")
    ids = torch.arange(count)[None]
    match config.positions:
        case "sinusoidal":
            table = sinusoidal_encoding(ids, config.d_model)[0]
        case "sinusoidal-halves":
            table = sinusoidal_encoding(ids, config.d_model, by_halves=True)[0]
        case "rotary":
            rotation = RotaryPositions(config.head_dim, config.rotary_base).rotation(ids, torch.float32)
            table = rotation.cos[0, 0]
        case "learned":
            table = learned_table(model)[:count]
    return DrawnPositions(config.positions, table.numpy(), worked_example())


def learned_table(model: nn.Module | None) -> torch.Tensor:
    """Of the source, where source and target have one each."""
    parts = () if model is None else model.modules()
    found = next((part for part in parts if isinstance(part, LearnedPositions)), None)
    if found is None:
        raise InputError("learned positions are what a model has learnt: expected --model, not a preset")
    return found.weight.detach().float().cpu()


def worked_example(position: int = EXAMPLE_POSITION, width: int = EXAMPLE_WIDTH) -> tuple[WorkedColumn, ...]:
    """PE(2, ·) for d_model = 8, as the model's own code gives it."""
    ids = torch.tensor([[position]])
    numbers = sinusoidal_encoding(ids, width, torch.float64)[0, 0].tolist()
    angles = position_angles(ids, width, 10_000.0, torch.float64)[0, 0].tolist()
    return tuple(
        WorkedColumn(("sin", "cos")[column % 2], column - column % 2, angles[column // 2], number)
        for column, number in enumerate(numbers)
    )


def draw_positions(table: DrawnPositions, language: Language) -> Slide:
    tr = in_language(language)
    rows, columns = table.numbers.shape
    slide = Slide(
        TITLES[table.kind].of(language),
        tr(f"left: positions 0 to {rows - 1}, {columns} numbers each; right: the paper's formula, worked out once",
           f"左：位置 0 到 {rows - 1}，每个位置 {columns} 个数；右：按论文的公式算出其中一行"),
    )  # fmt: skip
    draw_table(slide, table, language)
    draw_example(slide, table.example, language)
    return slide


def draw_table(slide: Slide, table: DrawnPositions, language: Language) -> None:
    """Sinusoidal columns alternate, sin, cos, sin, …: side by side they would flicker, so each kind has a map."""
    tr = in_language(language)
    left, bottom, width, height = 1.0, 1.2, 5.7, 4.5
    most = 1.0 if table.kind != "learned" else float(np.quantile(np.abs(table.numbers), 0.995))
    maps: tuple[tuple[str, np.ndarray, int, int], ...] = (("", table.numbers, 0, 1),)
    if table.kind == "sinusoidal":
        even, odd = tr("even columns: sin", "偶数列：sin"), tr("odd columns: cos", "奇数列：cos")
        maps = ((even, table.numbers[:, ::2], 0, 2), (odd, table.numbers[:, 1::2], 1, 2))
    each = (width - 0.25 * (len(maps) - 1)) / len(maps)
    for index, (words, numbers, first, apart) in enumerate(maps):
        x = left + index * (each + 0.25)
        slide.heat(x, bottom, each, height, numbers, colours=SIGNED, low=-most, high=most)
        slide.text(x + each / 2, bottom + height + 0.2, words, SMALL, QUIET)
        columns = numbers.shape[1]
        for column in ticks(columns, 9 // len(maps)):
            at = x + each * (column + 0.5) / columns
            slide.text(at, bottom - 0.22, f"{first + apart * column}", SMALL)
    rows = len(table.numbers)
    for row in ticks(rows, 9):
        slide.text(left - 0.1, bottom + height * (1 - (row + 0.5) / rows), f"{row}", SMALL, ha="right")
    slide.text(left - 0.1, bottom + height + 0.2, tr("position", "位置"), SMALL, QUIET)
    slide.text(left + width, bottom - 0.55, tr("column →", "列 →"), SMALL, QUIET, ha="right")
    slide.heat(left, 0.3, 2.4, 0.18, np.linspace(-1, 1, 60)[None], colours=SIGNED, low=-1, high=1)
    for share, number in ((0.0, -most), (0.5, 0.0), (1.0, most)):
        slide.text(left + 2.4 * share, 0.6, f"{number:.2g}", SMALL)


def ticks(count: int, most: int) -> Sequence[int]:
    """Not more than these, at powers of two."""
    apart = 2 ** max(0, math.ceil(math.log2(count / most)))
    return range(0, count, apart)


def draw_example(slide: Slide, example: Sequence[WorkedColumn], language: Language) -> None:
    tr = in_language(language)
    left, top = 7.25, HEIGHT - 1.45
    pos, width = EXAMPLE_POSITION, EXAMPLE_WIDTH
    formulas = (
        r"$PE(pos,\,2i) = \sin\,(pos\,/\,10000^{2i/d})$",
        r"$PE(pos,\,2i{+}1) = \cos\,(pos\,/\,10000^{2i/d})$",
    )
    for row, formula in enumerate(formulas):
        slide.text(left, top - 0.42 * row, formula, BODY + 1, ha="left", formula=True)
    top -= 1.0
    slide.text(
        left, top, tr(f"an example: d = {width}, pos = {pos}", f"例：d = {width}，pos = {pos}"), BODY, TARGET, ha="left"
    )
    top -= 0.4
    heads = (tr("column", "列"), tr("formula", "公式"), tr("that is", "即"), tr("number", "值"))
    places = (left + 0.3, left + 1.9, left + 3.9, left + 5.1)
    for x, words in zip(places, heads, strict=True):
        slide.text(x, top, words, SMALL, QUIET)
    step = 0.4
    for index, one in enumerate(example):
        y = top - step * (index + 1)
        slide.cell(
            left - 0.1,
            y - step / 2,
            WIDTH - 0.35 - left + 0.1,
            step,
            PALE[SOURCE] if one.function == "sin" else "#ffffff",
        )
        slide.text(places[0], y, f"{index}", BODY)
        slide.text(places[1], y, rf"$\{one.function}\,({pos}\,/\,10000^{{{one.power}/{width}}})$", BODY, formula=True)
        slide.text(places[2], y, f"{one.function}({one.angle:g})", BODY, QUIET)
        slide.text(places[3], y, f"{one.number:.6f}", BODY, INK)
