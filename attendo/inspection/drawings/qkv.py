"""The flow of Q, K and V through the heads of one self-attention, with every shape; of a model also the numbers.

What is drawn is what the attention's own projections were given and gave, kept by hooks while the model reads.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attendo.errors import InputError
from attendo.inspection.drawings.slide import (
    BODY,
    GOOD,
    MARGIN,
    PALE,
    QUIET,
    SIGNED,
    SMALL,
    SOURCE,
    TARGET,
    WEIGHTS,
    Slide,
    shape_text,
)  # fmt: skip
from attendo.model.attention import masked_softmax
from attendo.model.compatibility import AdditiveMultiHeadAttention, additive_scores
from attendo.model.transformer import Transformer
from attendo.report.language import Language, in_language

Shape = tuple[int, ...]
MOST_TOKENS = 8
CARD = 0.85  # inches: the width of a head's matrix
CARDS = 4  # heads that are drawn behind each other, at most


@dataclass(frozen=True)
class AttentionFlow:
    """One self-attention of the encoder, of one sentence; the heads' own matrices are those of one head."""

    num_heads: int
    layer: int  # from 1, as head is
    head: int
    shapes: dict[str, Shape]  # X, Q, K, V, heads, scores, weights, looked, concat, output
    numbers: dict[str, np.ndarray] = field(default_factory=dict)  # the same names; none without a real model
    labels: tuple[str, ...] = ()
    additive: bool = False  # the scores are w·tanh(q + k)


@torch.inference_mode()
def attention_flow(
    model: Any, source: Tensor, labels: Sequence[str] = (), layer: int = 1, head: int = 1
) -> AttentionFlow:
    """source ids [1, tokens]; of a model on the meta device the shapes alone."""
    if not isinstance(model, Transformer):
        raise InputError("this drawing shows a self-attention of the encoder: expected a transformer model")
    if source.shape[1] > MOST_TOKENS:
        raise InputError(f"the text has {source.shape[1]} tokens: the drawing has room for {MOST_TOKENS}")
    attention: Any = model.encoder.layers[layer - 1].self_attention
    kept: dict[str, Tensor] = {}
    hooks = [
        attention.query.register_forward_hook(lambda _, given, output: kept.update(X=given[0], Q=output)),
        attention.key.register_forward_hook(lambda _, __, output: kept.update(K=output)),
        attention.value.register_forward_hook(lambda _, __, output: kept.update(V=output)),
        attention.output.register_forward_hook(lambda _, given, output: kept.update(concat=given[0], output=output)),
    ]
    try:
        model.encode(source)
    finally:
        for hook in hooks:
            hook.remove()
    heads = {name: attention.split_heads(kept[name]) for name in ("Q", "K", "V")}  # [1, heads, tokens, head_dim]
    _, rotation = model.embed(source, model.source_positions)
    if rotation is not None:  # rotary positions turn what meets in the scores, and leave V
        heads |= {"Q": rotation(heads["Q"]), "K": rotation(heads["K"])}
    additive = isinstance(attention, AdditiveMultiHeadAttention)
    if additive:
        scores = additive_scores(heads["Q"], heads["K"], attention.score)
    else:
        scores = heads["Q"] @ heads["K"].transpose(-2, -1) / math.sqrt(heads["Q"].shape[-1])
    weights = masked_softmax(scores, None)
    of_heads = {"scores": scores, "weights": weights, "looked": weights @ heads["V"]}
    shapes = {name: tuple(tensor.shape[1:]) for name, tensor in (kept | of_heads).items()} | {
        "heads": tuple(heads["Q"].shape[1:])
    }
    numbers = {}
    if not source.is_meta:
        numbers = {name: tensor[0].float().cpu().numpy() for name, tensor in kept.items()}
        numbers |= {name: tensor[0, head - 1].float().cpu().numpy() for name, tensor in of_heads.items()}
        numbers |= {f"{name} head": tensor[0, head - 1].float().cpu().numpy() for name, tensor in heads.items()}
    return AttentionFlow(attention.num_heads, layer, head, shapes, numbers, tuple(labels), additive)


def draw_qkv(flow: AttentionFlow, language: Language) -> Slide:
    tr = in_language(language)
    tokens, d_model = flow.shapes["X"]
    what = tr(
        f"{tokens} tokens, d_model {d_model}, {flow.num_heads} heads",
        f"{tokens} 个词元，d_model {d_model}，{flow.num_heads} 个头",
    )
    if flow.numbers:
        what += tr(f"; encoder layer {flow.layer}, in front head {flow.head}; red is above 0, blue below",
                   f"；编码器第 {flow.layer} 层，最前面是第 {flow.head} 个头；红色为正，蓝色为负")  # fmt: skip
    slide = Slide(tr("Q, K and V through the heads", "Q、K、V 如何流过各个头"), what)
    DrawnFlow(slide, flow, language).draw()
    compared = r"w_i \cdot tanh(q + k)" if flow.additive else r"Q_i\,K_i^T\,/\,\sqrt{d_k}"
    formula = rf"$head_i = softmax({compared})\,V_i\qquad MultiHead = Concat(head_1, \ldots, head_h)\,W_O$"
    slide.text(MARGIN, 0.42, formula, BODY, QUIET, ha="left", formula=True)
    return slide


class DrawnFlow:
    """Three lanes from left to right; Q and K meet in the scores, the weights meet V."""

    lanes = (("Q", 5.2), ("K", 3.45), ("V", 1.7))

    def __init__(self, slide: Slide, flow: AttentionFlow, language: Language) -> None:
        self.slide, self.flow, self.tr = slide, flow, in_language(language)
        self.height = min(0.19 * flow.shapes["X"][0], 1.2)
        self.square = max(self.height, 0.95)
        self.depth = 0.09 * (min(flow.num_heads, CARDS) - 1)  # of the cards behind the first

    def draw(self) -> None:
        slide, shapes, tr = self.slide, self.flow.shapes, self.tr
        d_model = shapes["X"][1]
        left = MARGIN + (0.75 if self.flow.labels else 0.2)
        self.matrix("X", "X", left, 3.45, 1.15, SOURCE)
        for row, label in enumerate(self.flow.labels):
            y = 3.45 + self.height / 2 - (row + 0.5) * self.height / len(self.flow.labels)
            slide.text(left - 0.08, y, label, SMALL, ha="right")
        x = left + 1.15
        for name, y in self.lanes:
            slide.arrow((x, 3.45), (x + 0.25, 3.45), (x + 0.25, y), (x + 1.15, y))
            slide.text(x + 0.68, y + 0.2, rf"$W_{name}$", BODY, formula=True)
            slide.text(x + 0.7, y - 0.22, f"{d_model}×{d_model}", SMALL, QUIET)
            self.matrix(name, name, x + 1.15, y, 1.55, TARGET, divided=True)
            slide.arrow((x + 2.7, y), (x + 3.3, y))
            self.cards(name, x + 3.3, y)
        x += 3.3 + CARD + self.depth  # the right edge of the cards
        middle = (self.lanes[0][1] + self.lanes[1][1]) / 2
        for (_, y), end in zip(self.lanes[:2], (0.2, -0.2), strict=True):
            slide.arrow((x, y), (x + 0.25, y), (x + 0.25, middle + end), (x + 0.6, middle + end))
        equation = "w·tanh(q + k)" if self.flow.additive else f"Q Kᵀ / √{shapes['heads'][2]}"
        self.matrix("scores", equation, x + 0.6, middle, self.square, GOOD, square=True)
        after = x + 0.6 + self.square
        slide.arrow((after, middle), (after + 0.95, middle))
        slide.text(after + 0.46, middle + 0.2, "softmax", SMALL)
        self.matrix(
            "weights", tr("weights", "权重"), after + 0.95, middle, self.square, GOOD, square=True, colours=WEIGHTS
        )
        low = self.lanes[2][1]
        at = after + 0.95 + self.square / 2
        slide.arrow((at, middle - self.square / 2 - 0.36), (at, low + self.height / 2 + self.depth + 0.02))
        slide.arrow((x, low), (at - CARD / 2, low))
        slide.text((x + at - CARD / 2) / 2, low + 0.2, tr("weights · V, in each head", "各头内：权重 · V"), SMALL)
        self.cards("looked", at - CARD / 2, low)
        self.finish(at + CARD / 2 + self.depth, low, middle, d_model)

    def finish(self, x: float, low: float, middle: float, d_model: int) -> None:
        slide, tr = self.slide, self.tr
        width = 1.55
        slide.arrow((x, low), (x + 0.35, low))
        self.matrix("concat", tr("concatenated", "拼接"), x + 0.35, low, width, TARGET, divided=True)
        at = x + 0.35 + width / 2
        slide.arrow((at, low + self.height / 2 + 0.36), (at, middle - self.height / 2 - 0.4))
        half = (low + middle) / 2
        slide.text(at + 0.15, half + 0.12, r"$W_O$", BODY, formula=True, ha="left")
        slide.text(at + 0.15, half - 0.14, f"{d_model}×{d_model}", SMALL, QUIET, ha="left")
        self.matrix("output", tr("output", "输出"), x + 0.35, middle, width, SOURCE)

    def matrix(
        self, name: str, words: str, left: float, middle: float, width: float, colour: str, *,
        divided: bool = False, square: bool = False, colours: str = SIGNED,
    ) -> None:  # fmt: skip
        """Its name above, its shape below; `divided`: where one head ends and the next begins."""
        height = self.square if square else self.height
        bottom = middle - height / 2
        self.fill(self.flow.numbers.get(name), left, bottom, width, height, colour, colours)
        if divided:
            for index in range(1, self.flow.num_heads):
                x = left + width * index / self.flow.num_heads
                self.slide.line((x, bottom), (x, bottom + height), colour, 1.0)
        self.slide.text(left + width / 2, bottom + height + 0.18, words, BODY)
        self.slide.text(left + width / 2, bottom - 0.2, shape_text(self.flow.shapes[name]), SMALL, QUIET)

    def cards(self, name: str, left: float, middle: float) -> None:
        """The heads behind each other, the first in front."""
        count = min(self.flow.num_heads, CARDS)
        width, bottom = CARD, middle - self.height / 2
        for index in range(count - 1, 0, -1):
            self.slide.cell(left + 0.09 * index, bottom + 0.09 * index, width, self.height, PALE[TARGET], TARGET)
        front = self.flow.numbers.get("looked" if name == "looked" else f"{name} head")
        self.slide.cell(left, bottom, width, self.height, PALE[TARGET], TARGET)
        self.fill(front, left, bottom, width, self.height, TARGET, SIGNED)
        shape = shape_text(self.flow.shapes["looked" if name == "looked" else "heads"])
        self.slide.text(left + width / 2, bottom - 0.2, shape, SMALL, QUIET)

    def fill(
        self,
        numbers: np.ndarray | None,
        left: float,
        bottom: float,
        width: float,
        height: float,
        colour: str,
        colours: str,
    ) -> None:
        if numbers is None:
            self.slide.cell(left, bottom, width, height, PALE[colour], colour)
            return
        most = 1.0 if colours == WEIGHTS else float(np.quantile(np.abs(numbers), 0.98)) or 1.0
        low = 0.0 if colours == WEIGHTS else -most
        self.slide.heat(left, bottom, width, height, numbers, colours=colours, low=low, high=most, frame=colour)
