"""L62: the training loss by depth, with residual connections and without: does it fall, and then rise again?"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure, grouped_points, legend_below
from attendo.lab.tools.measuring import difference, settled
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.toy_training import EncoderAlone, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.record import AttentionRecord

SEEDS = by_size(2, 12, 16)  # at two layers some learn and others do not: of 8, one draw in twelve decides nothing
KNOBS = (
    Knob("steps", by_size(4, 6_000, 6_000), 2, 100_000),  # with 3,000 every other draw of 8 seeds decides nothing
    Knob("depths", by_size((1, 2, 3), (1, 2, 4), (1, 2, 4, 8)), 1, 64),
    Knob("hops", by_size(3, 3, 3), 1, 8),
)
PLACES, D_MODEL = 8, 32
KINDS = ("plain", "residual")
ENOUGH = {"plain": 100_000, "residual": 2_000}  # steps: with residual connections it is learnt long before
BLIND = math.log(PLACES)
LEARNT = 0.1 * BLIND
CHANGED = 0.05  # in the loss


class DeepReader(EncoderAlone):
    """With residual connections (pre-norm, which trains deep stacks) or plain: every sublayer's output, normed, is all
    that the next one sees."""

    def __init__(self, depth: int, kind: str, seed: int) -> None:
        config = toy_config(PLACES, D_MODEL, 2 * D_MODEL, 2, tied_output=False, encoder_layers=depth, norm_order="pre")
        super().__init__(config)
        self.residual = kind == "residual"

    def encode(self, source: Tensor, record: AttentionRecord | None = None, segments: Tensor | None = None) -> Tensor:
        if self.residual:
            return super().encode(source, record, segments)
        x, _ = self.embed(source, self.source_positions)
        layers: Any = self.encoder.layers
        for layer in layers:
            normed = layer.around_self_attention.norm(x)
            x = layer.self_attention(normed, normed)
            x = layer.feed_forward(layer.around_feed_forward.norm(x))
        return self.encoder.norm(x)


def pointers(hops: int, pairs: int, generator: torch.Generator) -> Batch:
    """Every place points to a place; where does one arrive, from each, after so many hops?

    3 hops, places counted from 0:  1 2 0 0  ->  0 1 2 2
    """
    x = torch.stack([torch.randperm(PLACES, generator=generator) for _ in range(pairs)])
    y = x
    for _ in range(hops - 1):
        y = x.gather(1, y)
    return Batch(FIRST_SYMBOL + x, FIRST_SYMBOL + x, FIRST_SYMBOL + y, y.numel())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, blind=BLIND)
    drawn = partial(pointers, at.whole("hops"))
    for kind in KINDS:
        steps = min(at.whole("steps"), ENOUGH[kind])
        for depth in at.wholes("depths"):
            name = f"{kind}_{depth}"
            side = train_side("L62", name, at, seeds, partial(DeepReader, depth, kind), drawn, pairs=32, steps=steps)
            side.add_to(runs, name, LEARNT)
        for run in runs:
            each = [run[f"{kind}_{depth}"] for depth in at.wholes("depths")]
            run |= {f"{kind}_loss": each, f"{kind}_shallow": each[0], f"{kind}_deep": each[-1]}  # type: ignore[dict-item]
            run[f"{kind}_best"] = min(each)  # type: ignore[type-var]
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Without residual connections. It rises: some depth has a loss lower than the least depth's by CHANGED (95 %
    interval). It falls: the greatest depth has a loss higher than that best depth's by CHANGED.

    Both: holds. It falls without having risen: only if one takes the first half away. It never falls: does not hold.
    Undecided where an interval straddles CHANGED, or where the greatest depth, being behind, was still improving.
    """
    depths = [f"{depth:.0f}" for depth in row(runs[0], "depths")]
    losses = {depth: over_seeds(runs, f"plain_{depth}") for depth in depths}
    best = min(depths, key=lambda depth: sum(losses[depth]))
    gained, lost = difference(losses[depths[0]], losses[best]), difference(losses[depths[-1]], losses[best])
    if any(one.low <= CHANGED <= one.high for one in (gained, lost)):
        return "undecided"
    if lost.high < CHANGED:
        return "does not hold"
    if not settled(runs, f"plain_{depths[-1]}"):
        return "undecided"
    return "holds" if gained.low > CHANGED else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    """A point for each seed: at some depths a few learn all, and others little."""
    picture, (axes,) = figure(width=9.0, height=5.0)
    names = {"plain": tr("no residual connections", "无残差连接"), "residual": tr("residual connections", "有残差连接")}
    depths = [f"{depth:.0f}" for depth in row(runs[0], "depths")]
    each = [[over_seeds(runs, f"{kind}_{depth}") for kind in names] for depth in depths]
    grouped_points(axes, depths, list(names.values()), each)
    axes.axhline(BLIND, color="grey", ls=":", label=tr("random guess", "随机猜测"))
    axes.set(xlabel=tr("layers", "层数"), ylabel=tr("training loss at the end", "最终的训练损失"), ylim=(-0.1, None))
    legend_below(picture, axes)
    return picture


EXPERIMENT = Experiment("L62", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
