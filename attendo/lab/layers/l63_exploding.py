"""L63: the gradient from the last layer back to the first, by the size of the weights, with residuals and without."""

from collections.abc import Sequence
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, tick_at
from attendo.lab.tools.measuring import interval
from attendo.model.config import LayerConfig
from attendo.model.encoder import Encoder

SEEDS = by_size(2, 8, 8)
KNOBS = (
    Knob("depth", by_size(4, 6, 6), 2, 48),
    # Weights as they are initialised, times this: below 1 the gradient shrinks from layer to layer, above it grows.
    Knob("scales", by_size((0.5, 2.0), (0.5, 0.7, 1.0, 1.4, 2.0), (0.5, 0.7, 1.0, 1.4, 2.0)), 0.01, 20),
)
D_MODEL, LENGTH = 32, 8
KINDS = ("plain", "residual", "post", "pre")
VANISHED, EXPLODED = -3.0, 3.0  # powers of ten of the gradient at the last layer
BEYOND = 300.0  # what a number cannot hold any more counts as this power
EVERY_LAYER = LayerConfig(vocab_size=4, d_model=D_MODEL, d_ff=4 * D_MODEL, num_heads=4, dropout=0.0)


def pass_through(layer: Any, kind: str, x: Tensor) -> Tensor:
    """plain: sublayers alone. residual: x + Sublayer(x). post and pre: with LayerNorm, in either order."""
    attention, feed_forward = layer.self_attention, layer.feed_forward
    first, second = layer.around_self_attention.norm, layer.around_feed_forward.norm
    match kind:
        case "plain":
            return feed_forward(attention(x, x))
        case "residual":
            x = x + attention(x, x)
            return x + feed_forward(x)
        case "post":
            x = first(x + attention(x, x))
            return second(x + feed_forward(x))
        case _:
            normed = first(x)
            x = x + attention(normed, normed)
            return x + feed_forward(second(x))


def gradient_ratio(kind: str, depth: int, scale: float, seed: int) -> float:
    """The norm of the gradient that arrives at the input over that of the one sent back from the output, as log10."""
    torch.manual_seed(seed)
    encoder = Encoder(EVERY_LAYER, depth).double()
    for name, weight in encoder.named_parameters():
        if weight.dim() > 1:
            torch.nn.init.xavier_uniform_(weight).data.mul_(scale)
        elif "norm" not in name:
            torch.nn.init.zeros_(weight)
    x = torch.randn(4, LENGTH, D_MODEL, dtype=torch.float64).requires_grad_()
    y = x
    for layer in encoder.layers:
        y = pass_through(layer, kind, y)
    sent = torch.randn_like(y)
    (arrived,) = torch.autograd.grad(y, x, sent)
    ratio = torch.log10(arrived.norm() / sent.norm())
    return float(ratio.nan_to_num(BEYOND, BEYOND, -BEYOND).clamp(-BEYOND, BEYOND))


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds)
    for run, seed in zip(runs, seeds, strict=True):
        for kind in KINDS:
            each = [gradient_ratio(kind, at.whole("depth"), scale, seed) for scale in at.reals("scales")]
            run |= {f"{kind}_ratio": each, f"{kind}_small": each[0], f"{kind}_large": each[-1]}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """At the first of the scales a plain stack's gradient must vanish, at the last it must explode: otherwise there is
    nothing to solve, and it is undecided. Solved: with residual connections, and nothing else, it does not (95 %
    intervals). Both solved: holds. One: only if. Neither: does not hold."""
    plain_small, plain_large = (interval(over_seeds(runs, f"plain_{size}")) for size in ("small", "large"))
    if plain_small.high >= VANISHED or plain_large.low <= EXPLODED:
        return "undecided"
    small, large = (interval(over_seeds(runs, f"residual_{size}")) for size in ("small", "large"))
    if small.low <= VANISHED <= small.high or large.low <= EXPLODED <= large.high:
        return "undecided"
    solved = [small.low > VANISHED, large.high < EXPLODED]
    if all(solved):
        return "holds"
    return "holds only if" if any(solved) else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=9.5, height=5.0)
    labels = {
        "plain": tr("neither", "只有子层"), "residual": tr("residual alone", "只加残差"),
        "post": tr("residual and norm (post)", "残差加后归一化"),
        "pre": tr("residual and norm (pre)", "残差加前归一化"),
    }  # fmt: skip
    scales = row(runs[0], "scales")
    for index, kind in enumerate(KINDS):
        band(axes, scales, [row(run, f"{kind}_ratio") for run in runs], labels[kind], index)
    for limit in (VANISHED, EXPLODED):
        axes.axhline(limit, color="grey", ls=":")
    axes.set(xscale="log", xlabel=tr("scale of the weights", "权重的倍数"))
    axes.set(ylabel=tr("gradient, first / last layer, log$_{10}$", "第一层与最后一层梯度之比，log$_{10}$"))
    tick_at(axes, scales)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return picture


EXPERIMENT = Experiment("L63", measure, judge, draw, KNOBS, SEEDS)
