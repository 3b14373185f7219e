"""Padding mask, causal mask and both together, for a little batch of real sentences with their pieces at the axes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from attendo.errors import InputError
from attendo.inspection.drawings.slide import BODY, GOOD, MARGIN, PALE, QUIET, SMALL, TARGET, WIDTH, Slide, shortened
from attendo.inspection.heat_maps import across_ticks, is_wide
from attendo.inspection.readable import SPACE, token_labels
from attendo.model import masks
from attendo.report.language import Language, in_language
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import for_model, repair
from attendo.text.tokenizer import Tokenizer

MOST_TOKENS, MOST_SENTENCES = 12, 3
HIDDEN = "#d5d9de"


@dataclass(frozen=True)
class MaskBatch:
    """A batch as the decoder reads it, and the masks of its sentence with the most padding."""

    labels: tuple[tuple[str, ...], ...]  # of each sentence, <pad> where it has ended
    lengths: tuple[int, ...]  # of each sentence, without <pad>
    shown: int  # whose masks these are
    padding: np.ndarray  # [queries, keys], True = may attend
    causal: np.ndarray
    both: np.ndarray


def mask_batch(texts: Sequence[str], tokenizer: Tokenizer) -> MaskBatch:
    """Each text begins with <s>, and the shorter ones are filled with <pad>."""
    if not 1 <= len(texts) <= MOST_SENTENCES:
        raise InputError(f"{len(texts)} texts: the drawing has room for a batch of 1 to {MOST_SENTENCES}")
    rows = [[SPECIAL.bos, *tokenizer.encode(for_model(repair(text)[0]))] for text in texts]
    if min(map(len, rows)) == 1:
        raise InputError("there is no text to look at")
    longest = max(map(len, rows))
    if longest > MOST_TOKENS:
        raise InputError(f"a text has {longest} tokens with <s>: the drawing has room for {MOST_TOKENS}")
    batch = torch.tensor([row + [SPECIAL.pad] * (longest - len(row)) for row in rows])
    padding = masks.real(batch, SPECIAL.pad).expand(-1, 1, longest, longest)
    causal = masks.causal(longest, longest).expand(len(rows), 1, -1, -1)
    both = padding & causal
    shown = min(range(len(rows)), key=lambda index: len(rows[index]))
    names = token_labels(batch.flatten().tolist(), tokenizer)
    labels = tuple(tuple(names[token] for token in row) for row in batch.tolist())
    numbers = (mask[shown, 0].numpy() for mask in (padding, causal, both))
    return MaskBatch(labels, tuple(map(len, rows)), shown, *numbers)


def draw_masks(batch: MaskBatch, language: Language) -> Slide:
    tr = in_language(language)
    slide = Slide(
        tr("Who may look at whom: padding mask and causal mask", "谁能看谁：填充掩码与因果掩码"),
        tr("a batch as the decoder reads it; the sentences are filled up to one length with <pad>",
           "解码器读入的一个批次，短句用 <pad> 补到同样长"),
    )  # fmt: skip
    labels = batch.labels[batch.shown]
    draw_batch(slide, batch, 6.3)
    top = 6.3 - 0.42 * len(batch.labels) - 0.35 - column_room(labels)
    size = min(3.0, top - 1.2)
    lefts = (1.6, 5.6, 9.6)
    titles = (
        tr("padding mask", "填充掩码"),
        tr("causal mask", "因果掩码"),
        tr("both: what each may look at", "两者相与：每个词元能看的"),
    )
    for left, title, mask in zip(lefts, titles, (batch.padding, batch.causal, batch.both), strict=True):
        draw_mask(slide, mask, labels, (left, top), size, rows=left == lefts[0])
        slide.text(left + size / 2, top - size - 0.3, title)
    for left, sign in ((lefts[0] + lefts[1] + size) / 2, "&"), ((lefts[1] + lefts[2] + size) / 2, "="):
        slide.text(left, top - size / 2, sign, 30)
    draw_note(slide, language, has_space=any(SPACE in label for row in batch.labels for label in row))
    return slide


def draw_batch(slide: Slide, batch: MaskBatch, top: float) -> None:
    width = min((WIDTH - 2 * MARGIN - 0.4) / len(batch.labels[0]), 1.15)
    for row, labels in enumerate(batch.labels):
        y = top - 0.42 * (row + 1)
        for column, label in enumerate(labels):
            fill = PALE[TARGET] if column < batch.lengths[row] else HIDDEN
            slide.cell(MARGIN + 0.4 + column * width, y, width, 0.38, fill)
            slide.text(MARGIN + 0.4 + (column + 0.5) * width, y + 0.19, shortened(label, width - 0.08), SMALL)
        if row == batch.shown:
            slide.text(MARGIN + 0.2, y + 0.19, "▸", BODY, TARGET)


def draw_mask(
    slide: Slide, mask: np.ndarray, labels: Sequence[str], corner: tuple[float, float], size: float, *, rows: bool
) -> None:
    """By its upper left corner; a row looks, a column is looked at."""
    left, top = corner
    cell = size / len(labels)
    for row in range(len(labels)):
        for column in range(len(labels)):
            x, y = left + column * cell, top - (row + 1) * cell
            allowed = bool(mask[row, column])
            slide.cell(x, y, cell, cell, PALE[GOOD] if allowed else HIDDEN, "#ffffff")
            slide.text(x + cell / 2, y + cell / 2, "1" if allowed else "0", SMALL, GOOD if allowed else QUIET)
    for index, label in enumerate(labels):
        middle = (index + 0.5) * cell
        if rows:
            slide.text(left - 0.1, top - middle, label, SMALL, ha="right")
        upright = is_wide(label) or len(label) == 1
        words = slide.text(
            left + middle, top + 0.08, across_ticks(label, False) if upright else label, SMALL, va="bottom"
        )
        if not upright:
            words.set_rotation(90)


def draw_note(slide: Slide, language: Language, *, has_space: bool) -> None:
    tr = in_language(language)
    space = tr(f" {SPACE} is a space.", f"{SPACE} 是空格。") if has_space else ""
    words = tr(
        f"A row looks, a column is looked at: 1 may, 0 may not.{space} Where padding stands after the sentence,\n"
        "the causal mask already hides it from every real token. Encoder and cross-attention have the padding mask "
        "alone.",
        f"行是在看的词元，列是被看的词元：1 能看，0 不能看。{space}填充都在句末时，因果掩码已经使真实词元看不到它。\n"
        "编码器和交叉注意力只用填充掩码。",
    )
    slide.text(MARGIN, 0.42, words, SMALL, QUIET, ha="left", va="center")


def column_room(labels: Sequence[str]) -> float:
    """What the labels above the columns need: a Han character a line, Latin letters along the line."""
    return max(0.21 * len(label) if is_wide(label) else 0.105 * len(label) + 0.05 for label in labels) + 0.1
