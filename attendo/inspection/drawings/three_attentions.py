"""Who looks at whom in the three uses of attention (3.2.3), for one sentence pair, with a model's own weights."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attendo.errors import InputError
from attendo.inspection.drawings.slide import BODY, GOOD, MARGIN, QUIET, SMALL, SOURCE, TARGET, WIDTH, Slide, shortened
from attendo.inspection.heat_maps import USES, explain_signs
from attendo.inspection.inspect import Inspection
from attendo.model import masks
from attendo.report.language import Bilingual, Language, in_language

MOST_TOKENS = 14
FAINTEST = 0.02  # a weight below it has no line
THICKEST = 7.0  # points, of a weight of 1
LABEL = 1.25  # inches of a word beside the lines
NOTES = {
    "encoder-self": Bilingual("all of the source, in both directions", "源句中前后都能看"),
    "decoder-self": Bilingual("what was written so far, nothing later", "只能看已经写出的，不能看后面的"),
    "cross": Bilingual("Q from the target, K and V from the source", "Q 来自译文，K、V 来自源句"),
}


@dataclass(frozen=True)
class LookingAt:
    """One use of attention: each row's weights over the columns it may look at."""

    use: str  # of USES
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: np.ndarray  # [rows, columns]: the last layer, the mean of its heads
    allowed: np.ndarray  # [rows, columns], True = may attend


def three_attentions(found: Inspection) -> tuple[LookingAt, ...]:
    if [one.name for one in found.maps] != ["encoder-self", "decoder-self", "cross"]:
        raise InputError(
            "this drawing shows the three attentions of an encoder and a decoder: expected a transformer model"
        )
    shown = []
    for one in found.maps:
        longest = max(len(one.rows), len(one.columns))
        if longest > MOST_TOKENS:
            raise InputError(f"the sentence has {longest} tokens: the drawing has room for {MOST_TOKENS}")
        rows, columns = len(one.rows), len(one.columns)
        allowed = masks.causal(rows, columns)[0, 0].numpy() if one.causal else np.ones((rows, columns), dtype=bool)
        shown.append(LookingAt(one.name, one.rows, one.columns, one.weights[-1].mean(0).numpy(), allowed))
    return tuple(shown)


def draw_three_attentions(shown: Sequence[LookingAt], language: Language) -> Slide:
    tr = in_language(language)
    slide = Slide(
        tr("Three attentions: who looks at whom", "三种注意力：谁在看谁"),
        tr("on the left who looks, on the right who is looked at; the thicker the line, the larger the weight",
           "左边在看，右边被看；线越粗，权重越大"),
    )  # fmt: skip
    width = (WIDTH - 2 * MARGIN) / 3
    for index, one in enumerate(shown):
        draw_use(slide, one, MARGIN + index * width, width - 0.3, language)
    labels = [label for one in shown for label in (*one.rows, *one.columns)]
    note = tr("last layer, the mean of its heads; in cross-attention the left side is the token being written",
              "最后一层，各头的平均；交叉注意力的左边是正在写的词元")  # fmt: skip
    slide.text(MARGIN, 0.64, note, SMALL, QUIET, ha="left")
    slide.text(MARGIN, 0.38, explain_signs(labels, language), SMALL, QUIET, ha="left")
    return slide


def draw_use(slide: Slide, one: LookingAt, left: float, width: float, language: Language) -> None:
    looking, looked_at = (
        (SOURCE, SOURCE) if one.use == "encoder-self" else (TARGET, TARGET if one.use == "decoder-self" else SOURCE)
    )
    middle = left + width / 2
    slide.text(middle, 6.1, USES[one.use][0].of(language), BODY + 2)
    slide.text(middle, 5.72, NOTES[one.use].of(language), SMALL, QUIET)
    top, bottom = 5.3, 0.95
    step = min(0.62, (top - bottom) / max(len(one.rows), len(one.columns)))
    rows, columns = (top - step * (np.arange(len(side)) + 0.5) for side in (one.rows, one.columns))
    begin, end = left + LABEL, left + width - LABEL
    colour = GOOD if one.use == "cross" else looking
    for row, column in zip(*np.nonzero(one.allowed), strict=True):
        weight = float(one.weights[row, column])
        if weight >= FAINTEST:
            slide.line(
                (begin, rows[row]), (end, columns[column]), colour, THICKEST * weight + 0.3, 0.25 + 0.65 * weight
            )
    for side, places, x, align, ink in (
        (one.rows, rows, begin - 0.1, "right", looking), (one.columns, columns, end + 0.1, "left", looked_at)
    ):  # fmt: skip
        for label, y in zip(side, places, strict=True):
            slide.text(x, y, shortened(label, LABEL - 0.1, BODY), BODY, ink, ha=align)
