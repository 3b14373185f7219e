"""Training against inference, for one pair: all positions in one pass with the right words given, or word by word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attendo.errors import InputError
from attendo.inspection.drawings.slide import (
    BODY,
    GOOD,
    MARGIN,
    PALE,
    QUIET,
    SMALL,
    SOURCE,
    TARGET,
    WIDTH,
    Slide,
    shortened,
    text_width,
)  # fmt: skip
from attendo.inspection.readable import token_labels
from attendo.model.transformer import Transformer
from attendo.report.language import Language, in_language
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

MOST_TOKENS = 9


@dataclass(frozen=True)
class ForcedPosition:
    """Training: what the decoder is given at a position, what it should answer, and what it gives to that."""

    given: str
    wanted: str
    probability: float
    loss: float  # -ln of it


@dataclass(frozen=True)
class FedBack:
    """Inference: all that was written so far, the likeliest next token, and its probability."""

    so_far: tuple[str, ...]
    written: str
    probability: float


@dataclass(frozen=True)
class TwoWays:
    source: tuple[str, ...]
    training: tuple[ForcedPosition, ...]
    inference: tuple[FedBack, ...]


@torch.inference_mode()
def two_ways(model: Any, tokenizer: Tokenizer, source: Sequence[int], target: Sequence[int]) -> TwoWays:
    """source: tag, pieces, </s>; target: pieces, </s>, the translation that training gives."""
    if not isinstance(model, Transformer):
        raise InputError("this drawing shows an encoder and a decoder: expected a transformer model")
    if len(target) > MOST_TOKENS:
        raise InputError(f"the translation has {len(target)} tokens: the drawing has room for {MOST_TOKENS}")
    sources = torch.tensor([list(source)])
    target_in = [SPECIAL.bos, *target[:-1]]
    probabilities = model(sources, torch.tensor([target_in]))[0].log_softmax(-1)  # [target, vocab]
    answers = [float(row[token]) for row, token in zip(probabilities, target, strict=True)]
    steps = list(greedy_steps(model, sources))
    names = token_labels([*source, *target_in, *target, *(token for token, _ in steps)], tokenizer)
    written = [names[SPECIAL.bos], *(names[token] for token, _ in steps)]
    return TwoWays(
        tuple(names[token] for token in source),
        tuple(
            ForcedPosition(names[given], names[wanted], float(torch.tensor(log).exp()), -log)
            for given, wanted, log in zip(target_in, target, answers, strict=True)
        ),
        tuple(
            FedBack(tuple(written[: index + 1]), names[token], probability)
            for index, (token, probability) in enumerate(steps)
        ),
    )


def greedy_steps(model: Transformer, source: Tensor) -> list[tuple[int, float]]:
    """The likeliest token at each step with its probability, to </s> or as many as there is room for."""
    state = model.start_decoding(source)
    token = torch.tensor([[SPECIAL.bos]])
    steps: list[tuple[int, float]] = []
    while len(steps) < MOST_TOKENS and (not steps or steps[-1][0] != SPECIAL.eos):
        probability, best = model.next_token_logits(token, state).softmax(-1).max(-1)
        steps.append((int(best), float(probability)))
        token = best[:, None]
    return steps


def draw_training_and_inference(shown: TwoWays, language: Language) -> Slide:
    tr = in_language(language)
    slide = Slide(tr("Training against inference", "训练与推理"))
    draw_encoder(slide, shown.source, language)
    middle = 5.65
    slide.line((middle, 0.9), (middle, 5.6), "#c9ced4", 1.0)
    top, bottom = 4.55, 1.0
    rows = max(len(shown.training), len(shown.inference))
    step = min(0.56, (top - bottom) / rows)
    slide.text(
        MARGIN, 5.4, tr("training: all positions in one pass", "训练：所有位置一次算完"), BODY + 2, TARGET, ha="left"
    )
    slide.text(
        MARGIN,
        5.05,
        tr("the right words are given (teacher forcing)", "输入正确的译文（teacher forcing）"),
        SMALL,
        QUIET,
        ha="left",
    )
    draw_training(slide, shown.training, top, step, language)
    x = middle + 0.35
    count = len(shown.inference)
    slide.text(
        x,
        5.4,
        tr(f"inference: {count} passes, one after the other", f"推理：依次 {count} 步"),
        BODY + 2,
        GOOD,
        ha="left",
    )
    slide.text(
        x,
        5.05,
        tr("each word written is read again (greedy search)", "写出的词再作为输入（贪心搜索）"),
        SMALL,
        QUIET,
        ha="left",
    )
    heads = (tr("written so far", "已写出的"), tr("next", "下一个"))
    draw_inference(slide, shown.inference, x, top, step, heads)
    total = sum(one.loss for one in shown.training) / len(shown.training)
    note = tr(f"mean loss {total:.3f}: the mean of −ln p; p is the probability the model gives to the next token",
              f"平均损失 {total:.3f}，即 −ln p 的平均；p 是模型给下一个词元的概率")  # fmt: skip
    slide.text(MARGIN, 0.42, note, SMALL, QUIET, ha="left")
    return slide


def draw_encoder(slide: Slide, source: Sequence[str], language: Language) -> None:
    tr = in_language(language)
    y, x = 6.28, MARGIN
    room = WIDTH - 6.6
    widths = [text_width(label) + 0.2 for label in source]
    shrink = min(1.0, room / sum(widths))
    for label, width in zip(source, widths, strict=True):
        slide.cell(x, y - 0.19, width * shrink, 0.38, PALE[SOURCE])
        slide.text(x + width * shrink / 2, y, shortened(label, width * shrink - 0.05), SMALL)
        x += width * shrink
    slide.arrow((x, y), (x + 0.4, y))
    slide.box((x + 1.15, y), (1.5, 0.42), tr("encoder", "编码器"), SOURCE)
    slide.arrow((x + 1.9, y), (x + 2.3, y))
    slide.text(x + 2.4, y, tr("memory: computed once in both", "编码器输出：两者都只算一次"), SMALL, SOURCE, ha="left")


def draw_training(
    slide: Slide, positions: Sequence[ForcedPosition], top: float, step: float, language: Language
) -> None:
    tr = in_language(language)
    given, wanted, p, loss = MARGIN + 0.65, MARGIN + 3.15, MARGIN + 4.15, MARGIN + 4.8
    decoder = MARGIN + 1.9
    for x, words in ((given, tr("given", "输入")), (wanted, tr("wanted", "目标")), (p, "p"), (loss, "−ln p")):
        slide.text(x, top + 0.17, words, SMALL, QUIET)
    height = step * len(positions)
    words = tr("decoder\nonce,\ncausal\nmask", "解码器\n只算一次\n因果掩码")
    slide.box((decoder, top - height / 2), (0.95, height - 0.08), words, TARGET, SMALL + 1)
    for index, one in enumerate(positions):
        y = top - step * (index + 0.5)
        for x, label, colour in ((given, one.given, TARGET), (wanted, one.wanted, GOOD)):
            slide.cell(x - 0.6, y - step * 0.4, 1.2, step * 0.8, PALE[colour])
            slide.text(x, y, shortened(label, 1.15, SMALL + 1), SMALL + 1)
        slide.arrow((given + 0.6, y), (decoder - 0.475, y), width=1.2)
        slide.arrow((decoder + 0.475, y), (wanted - 0.6, y), width=1.2)
        slide.text(p, y, f"{one.probability:.2f}", SMALL + 1)
        slide.text(loss, y, f"{one.loss:.2f}", SMALL + 1, QUIET)


def draw_inference(
    slide: Slide, steps: Sequence[FedBack], left: float, top: float, step: float, heads: tuple[str, str]
) -> None:
    """A row a step: what was written so far, and what comes next."""
    right = WIDTH - MARGIN
    written, p = right - 1.25, right - 0.3
    for x, words, align in ((left, heads[0], "left"), (written, heads[1], "center"), (p, "p", "center")):
        slide.text(x, top + 0.17, words, SMALL, QUIET, ha=align)
    room = written - 1.15 - left
    for index, one in enumerate(steps):
        y = top - step * (index + 0.5)
        x = left
        for place, label in enumerate(fitting(one.so_far, room)):
            width = text_width(label) + 0.16
            # The first is <s>, or the ellipsis that stands for it; all others the model has written.
            slide.cell(x, y - step * 0.4, width, step * 0.8, PALE[GOOD if place else TARGET])
            slide.text(x + width / 2, y, label, SMALL)
            x += width
        slide.arrow((x, y), (written - 0.6, y), width=1.2)
        slide.cell(written - 0.6, y - step * 0.4, 1.2, step * 0.8, PALE[GOOD], GOOD)
        slide.text(written, y, shortened(one.written, 1.15, SMALL + 1), SMALL + 1)
        slide.text(p, y, f"{one.probability:.2f}", SMALL + 1)


def fitting(labels: Sequence[str], room: float) -> list[str]:
    """The last of them that fit; an ellipsis stands for the others."""
    shown = list(labels)
    while len(shown) > 2 and sum(text_width(label) + 0.16 for label in shown) > room:
        shown = ["…", *shown[2:]]
    return shown
