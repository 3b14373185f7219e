"""Figure 1 of the paper with the shapes of a real model on its arrows: pre- or post-norm, its layers, heads and sizes.

The shapes are those that the model's own modules give: it runs once on torch's meta device, where tensors have shapes
and no memory, so the largest preset is drawn as fast as the smallest.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from attendo.errors import InputError
from attendo.inspection.drawings.slide import (
    BODY,
    GOOD,
    HEIGHT,
    INK,
    MARGIN,
    QUIET,
    SMALL,
    SOURCE,
    TARGET,
    Slide,
    shape_text,
)  # fmt: skip
from attendo.model.config import DecoderOnlyConfig, LayerConfig, ModelConfig, TransformerConfig
from attendo.model.decoder_only import DecoderOnly
from attendo.model.transformer import Transformer
from attendo.model_folder.weights import on_meta
from attendo.report.language import Bilingual, Language, Tr, in_language

Shape = tuple[int, ...]
Config = TransformerConfig | DecoderOnlyConfig

SUBLAYERS = {
    "self_attention": Bilingual("Multi-head self-attention", "多头自注意力"),
    "masked_attention": Bilingual("Masked self-attention", "带掩码的自注意力"),
    "cross_attention": Bilingual("Cross-attention", "交叉注意力"),
    "feed_forward": Bilingual("Feed-forward", "前馈层"),
}
POSITIONS = {
    "sinusoidal": Bilingual("sinusoidal positions", "正弦位置编码"),
    "sinusoidal-halves": Bilingual("sinusoidal positions", "正弦位置编码"),
    "learned": Bilingual("learned positions", "可学习的位置编码"),
    "rotary": Bilingual(
        "rotary positions:\nQ and K are turned\nin each attention", "旋转位置编码：\n在每个注意力中\n旋转 Q 和 K"
    ),
    "none": Bilingual("no positions", "没有位置编码"),
}

# Inches.
BOX, LINE, HALF, PLUS = 3.75, 0.34, 0.27, 0.26
BOTTOM, TOP, WIDEST_GAP = 0.18, HEIGHT - 0.18, 0.4
FIRST, OUT, THROUGH = 1.6, 0.45, 1.25  # gaps: into the frame, to its upper edge, and from there to the next box
LOOP = 0.24  # how far the residual connection stands off its box


@dataclass(frozen=True)
class Sublayer:
    """An attention or a feed-forward part within Add & Norm, and what comes out of both."""

    name: str  # of SUBLAYERS
    shape: Shape


@dataclass(frozen=True)
class Tower:
    """A stack of layers with what stands below and above it, and the shape on every arrow."""

    side: str  # source or target
    layers: int
    ids: Shape
    embedded: Shape
    positioned: Shape | None  # nothing is added by rotary positions, or by none
    sublayers: tuple[Sublayer, ...]
    output: Shape  # of the stack, after its last norm if it has one
    logits: Shape | None

    def shapes(self) -> Iterator[Shape]:
        """On the arrows, from below."""
        yield from (self.ids, self.embedded)
        if self.positioned is not None:
            yield self.positioned
        yield from (sublayer.shape for sublayer in self.sublayers)
        yield self.output
        if self.logits is not None:
            yield self.logits


@dataclass(frozen=True)
class Architecture:
    config: Config
    towers: tuple[Tower, ...]  # an encoder and a decoder, or a decoder alone


def architecture(config: ModelConfig, batch: int = 2, source: int = 7, target: int = 6) -> Architecture:
    """The shapes of a model that reads so many sentences of so many tokens."""
    if not isinstance(config, TransformerConfig | DecoderOnlyConfig):
        raise InputError("this drawing shows a transformer or a decoder-only model: this one is neither")
    model = on_meta(config).eval()
    given: dict[str, list[Shape]] = defaultdict(list)

    def keep(name: str, output: Tensor) -> None:
        given[name].append(tuple(output.shape))

    for name, module in model.named_modules():
        module.register_forward_hook(lambda _, __, output, name=name: keep(name, output))
    with torch.inference_mode(), torch.device("meta"):
        target_in = torch.ones(batch, target, dtype=torch.long)
        if isinstance(model, Transformer):
            model(torch.ones(batch, source, dtype=torch.long), target_in)
        elif isinstance(model, DecoderOnly):
            model.language_model(target_in)

    def tower(side: str, stack: str, layers: int, parts: dict[str, str], positions: str) -> Tower:
        added = config.positions in ("sinusoidal", "sinusoidal-halves", "learned")
        return Tower(
            side=side,
            layers=layers,
            ids=(batch, source if side == "source" else target),
            embedded=given["embedding"][0 if side == "source" else -1],
            positioned=given[positions][-1] if added else None,
            sublayers=tuple(
                Sublayer(words, given[f"{stack}layers.0.around_{part}"][0]) for part, words in parts.items()
            ),
            output=given[f"{stack}norm"][0],
            logits=given["output"][0] if side == "target" else None,
        )

    masked = {"self_attention": "masked_attention"}
    forward = {"feed_forward": "feed_forward"}
    if isinstance(config, DecoderOnlyConfig):
        return Architecture(config, (tower("target", "", config.num_layers, masked | forward, "positions"),))
    plain, across = {"self_attention": "self_attention"}, {"cross_attention": "cross_attention"}
    encoder = tower("source", "encoder.", config.encoder_layers, plain | forward, "source_positions")
    decoder = tower("target", "decoder.", config.decoder_layers, masked | across | forward, "target_positions")
    return Architecture(config, (encoder, decoder))


def draw_architecture(shown: Architecture, name: str, language: Language) -> Slide:
    config, drawn = shown.config, shown.towers
    tr = in_language(language)
    order = tr(f"{config.norm_order}-norm", "前归一化" if config.norm_order == "pre" else "后归一化")
    lengths = tr(" and ", "，").join(
        tr(
            f"{tower.ids[1]} {tower.side} tokens",
            f"{'源句' if tower.side == 'source' else '译文'} {tower.ids[1]} 个词元",
        )
        for tower in drawn
    )
    if len(drawn) == 1:
        lengths = tr(f"{drawn[0].ids[1]} tokens", f"{drawn[0].ids[1]} 个词元")
    slide = Slide(tr(f"The Transformer: {name}, {order}", f"Transformer：{name}，{order}"))
    batch = tr(f"a batch of {drawn[0].ids[0]},", f"一批 {drawn[0].ids[0]} 句，")
    slide.text(
        MARGIN, HEIGHT - 1.05,
        tr(f"On the arrows: [batch, tokens, width]\n{batch} {lengths}",
           f"箭头旁：[批次, 词元数, 维度]\n{batch}{lengths}") + unusual_attention(config, tr),
        BODY, QUIET, ha="left",
    )  # fmt: skip
    gap = widest_gap(drawn[-1], config)
    if len(drawn) == 1:
        DrawnTower(slide, drawn[0], config, 8.2, gap, language).draw()
        return slide
    encoder = DrawnTower(slide, drawn[0], config, 3.55, gap, language)
    encoder.draw()
    decoder = DrawnTower(slide, drawn[1], config, 9.55, gap, language)
    decoder.draw()
    middle, level = (encoder.x + decoder.x) / 2, encoder.end + 0.22
    cross = decoder.middles["cross_attention"]
    entry = decoder.x - BOX / 2
    slide.arrow((encoder.x, encoder.end - 0.01), (encoder.x, level), (middle, level), (middle, cross), (entry, cross),
                colour=SOURCE)  # fmt: skip
    memory = tr("memory ", "编码器输出 ") + shape_text(drawn[0].output)
    slide.text(encoder.x + 0.12, level + 0.19, memory, SMALL, SOURCE, ha="left")
    slide.text((middle + entry) / 2, cross + 0.17, "K, V", SMALL, SOURCE)
    return slide


def unusual_attention(config: LayerConfig, tr: Tr) -> str:
    """Where it is not the paper's, in lines of their own."""
    words = ""
    if config.kv_heads != config.num_heads:
        words += tr(f"\nheads of keys and values: {config.kv_heads}", f"\n键和值：{config.kv_heads} 个头")
    if config.compatibility == "additive":
        words += tr("\nadditive attention: w·tanh(q + k)", "\n加性注意力：w·tanh(q + k)")
    return words


def widest_gap(tower: Tower, config: LayerConfig) -> float:
    """The room for each arrow: as much as the higher tower leaves."""
    pre = config.norm_order == "pre"
    fixed = 2 * HALF + LINE + len(tower.sublayers) * stack_height(pre) + 2 * LINE
    gaps = 1 + FIRST + len(tower.sublayers) - 1 + OUT + THROUGH + 1
    if tower.positioned is not None:
        fixed, gaps = fixed + PLUS, gaps + 1
    if pre:
        fixed, gaps = fixed + LINE, gaps + THROUGH
    return min((TOP - BOTTOM - fixed) / gaps, WIDEST_GAP)


def stack_height(pre: bool) -> float:
    return LINE + 2 * HALF if pre else LINE + HALF


class DrawnTower:
    """Drawn from below, a step at a time; `y` is how far it has come."""

    def __init__(
        self,
        slide: Slide,
        tower: Tower,
        config: TransformerConfig | DecoderOnlyConfig,
        x: float,
        gap: float,
        language: Language,
    ) -> None:
        self.slide, self.tower, self.config, self.x, self.gap = slide, tower, config, x, gap
        self.tr, self.language = in_language(language), language
        self.is_source = tower.side == "source"
        self.colour = SOURCE if self.is_source else TARGET
        self.outside = -1 if self.is_source else 1  # where the residual connections run
        self.y = BOTTOM
        self.end = BOTTOM
        self.middles: dict[str, float] = {}  # of each attention's box

    def draw(self) -> None:
        tower, tr = self.tower, self.tr
        names = (
            ("source ids", "源句词元编号") if self.is_source else ("target ids, shifted right", "右移一位的译文编号")
        )
        if isinstance(self.config, DecoderOnlyConfig):
            names = ("token ids", "词元编号")
        self.slide.text(self.x, self.y + HALF / 2, f"{tr(*names)} {shape_text(tower.ids)}", SMALL, self.colour)
        self.y += HALF
        self.rise()
        scale = f" × √{self.config.d_model}" if isinstance(self.config, TransformerConfig) else ""
        sizes = f"{self.config.vocab_size:,} × {self.config.d_model}"
        self.box(LINE, f"{tr('Embedding', '词嵌入层')} {sizes}{scale}", INK)
        self.positions()
        frame = self.y + OUT * self.gap
        for index, sublayer in enumerate(tower.sublayers):
            before = tower.sublayers[index - 1].shape if index else tower.positioned or tower.embedded
            self.sublayer(sublayer, before, self.gap * (1.0 if index else FIRST))
        self.rise(None, OUT * self.gap, head=False)
        self.frame(frame, self.y)
        if self.config.norm_order == "pre":
            self.rise(tower.sublayers[-1].shape, THROUGH * self.gap)
            self.box(LINE, self.norm_words(), GOOD)
        self.end = self.y
        if tower.logits is not None:
            self.rise(tower.output, THROUGH * self.gap)
            tied = tr(", tied to the embedding", "，与词嵌入层共享权重") if self.config.tied_output else ""
            self.box(LINE, tr("Linear", "线性层") + tied, INK)
            self.box(LINE, "Softmax", INK)
            self.rise()
            self.slide.text(
                self.x, self.y + HALF / 2, tr("probabilities ", "概率 ") + shape_text(tower.logits), SMALL, self.colour
            )

    def rise(self, shape: Shape | None = None, by: float | None = None, *, head: bool = True) -> None:
        """An arrow upwards; its shape stands on the side where no residual connection runs."""
        by = self.gap if by is None else by
        self.slide.arrow((self.x, self.y), (self.x, self.y + by), head=head)
        if shape is not None:
            at = self.x - 0.12 * self.outside
            into_frame = by == FIRST * self.gap  # its lower edge runs through the middle of this arrow
            self.slide.text(
                at,
                self.y + by * (0.68 if into_frame else 0.5),
                shape_text(shape),
                SMALL,
                QUIET,
                ha="left" if self.outside < 0 else "right",
            )
        self.y += by

    def box(self, height: float, words: str, colour: str) -> None:
        self.slide.box((self.x, self.y + height / 2), (BOX, height), words, colour, SMALL + 1)
        self.y += height

    def positions(self) -> None:
        words = POSITIONS[self.config.positions].of(self.language)
        side = self.x + self.outside * (BOX / 2 + 0.1)
        if self.tower.positioned is None:
            self.slide.text(side, self.y - 0.3, words, SMALL, QUIET, ha="right" if self.outside < 0 else "left")
            return
        self.rise(self.tower.embedded)
        middle = self.y + PLUS / 2
        self.slide.box((self.x, middle), (PLUS, PLUS), "+", INK, BODY)
        edge = self.x + self.outside * PLUS / 2
        self.slide.arrow((self.x + self.outside * 0.75, middle), (edge, middle))
        self.slide.text(
            self.x + self.outside * 0.82, middle, words, SMALL, QUIET, ha="right" if self.outside < 0 else "left"
        )
        self.y += PLUS

    def sublayer(self, sublayer: Sublayer, before: Shape, gap: float) -> None:
        """Post-norm: the part, then Add & Norm on top of it. Pre-norm: norm, part, add."""
        tr, pre = self.tr, self.config.norm_order == "pre"
        branch = self.y + gap * 0.66
        self.rise(before, gap)
        if pre:
            self.box(HALF, self.norm_words(), GOOD)
        self.middles[sublayer.name] = self.y + LINE / 2
        self.box(LINE, f"{SUBLAYERS[sublayer.name].of(self.language)}  {self.sizes(sublayer.name)}", self.colour)
        into = self.y + HALF / 2
        self.box(HALF, tr("Add", "残差相加") if pre else f"{tr('Add', '残差相加')} & {self.norm_words()}", GOOD)
        edge = self.x + self.outside * BOX / 2
        self.slide.arrow(
            (self.x, branch),
            (edge + self.outside * LOOP, branch),
            (edge + self.outside * LOOP, into),
            (edge, into),
            colour=QUIET,
            width=1.3,
        )

    def sizes(self, name: str) -> str:
        config = self.config
        if name == "feed_forward":
            return f"{config.d_model} → {config.d_ff} → {config.d_model}"
        return self.tr(f"{config.num_heads} heads × {config.head_dim}", f"{config.num_heads} 头 × {config.head_dim}")

    def norm_words(self) -> str:
        return self.tr("Norm", "归一化") if self.config.norm == "layer" else "RMSNorm"

    def frame(self, bottom: float, top: float) -> None:
        width = BOX + 2 * LOOP + 0.3
        self.slide.box((self.x, (bottom + top) / 2), (width, top - bottom), "", QUIET, fill="#fafbfc", behind=True)
        edge = self.x + self.outside * (width / 2 + 0.12)
        self.slide.text(
            edge, (bottom + top) / 2, f"{self.tower.layers} ×", 20, ha="right" if self.outside < 0 else "left"
        )
