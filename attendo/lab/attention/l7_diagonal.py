"""L7: how much of its attention a position gives to itself, in trained translators with 1, 2, 4 and 8 heads."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.data.batches import Batches
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row
from attendo.lab.knobs import Settings, Size, by_size
from attendo.lab.tools.chart import COLOURS, band, figure, tick_at
from attendo.lab.tools.measuring import count_weights, difference, interval
from attendo.lab.tools.real_sides import train_sides, translator
from attendo.lab.tools.real_training import RealBudget, RealData, bleu_of, real_data, transformer
from attendo.model.record import AttentionRecord
from attendo.runs.validation import one_epoch
from attendo.special_tokens import SPECIAL

HEADS: Mapping[Size, Sequence[int]] = {"small": (1, 8), "full": (1, 2, 4, 8)}
# All sides are one model but for the number of heads: the number of weights is the same.
BUDGETS: Mapping[Size, RealBudget] = {
    "small": RealBudget(epochs=1, tokens=300),
    "full": RealBudget(epochs=12),
}
RATE = 2e-3  # that of recipes/multi30k-speedrun.toml
SEEDS = by_size(2, 3, 6)  # in the decoder they differ much: three decided nothing
STACKS = ("encoder", "decoder")
TOO_MUCH = 2.0  # times the weight each position would get if all it may see got the same


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    data = real_data(at.size)
    sides = {f"{h}": translator(transformer(data, at.size, num_heads=h)) for h in HEADS[at.size]}
    runs: list[Numbers] = []
    for models in train_sides(sides, data, BUDGETS[at.size], [RATE], seeds):
        numbers: dict[str, float | list[float]] = {"heads": list(HEADS[at.size])}
        for h, one in models.items():
            numbers[f"bleu_{h}"], numbers[f"parameters_{h}"] = bleu_of(one.model, data), count_weights(one.model)
            for stack, (of_each_head, uniform) in on_itself(one.model, data).items():
                numbers[f"{stack}_heads_{h}"], numbers[f"{stack}_{h}"] = of_each_head, fmean(of_each_head)
                numbers[f"{stack}_uniform"] = uniform
        runs.append(numbers)
    return runs


@torch.no_grad()
def on_itself(model: nn.Module, data: RealData) -> dict[str, tuple[list[float], float]]:
    """For encoder and decoder: the mean weight on the diagonal of each head, layer by layer, over all real positions of
    the validation set; and what it would be if all that a position may see got the same weight."""
    device = next(model.parameters()).device
    sums, uniform, positions = (dict.fromkeys(STACKS, torch.zeros(1)) for _ in range(3))
    for batch in one_epoch(Batches([data.validation], 8_192, seed=0, packed=False)):
        record = AttentionRecord()
        model(batch.source.to(device), batch.target_in.to(device), record)
        # An encoder's position sees the whole sentence, the decoder's nothing behind itself.
        real = {"encoder": batch.source != SPECIAL.pad, "decoder": batch.target_in != SPECIAL.pad}
        seen = {"encoder": real["encoder"].sum(1, keepdim=True), "decoder": real["decoder"].cumsum(1)}
        for stack, layers in zip(STACKS, (record.encoder_self, record.decoder_self), strict=True):
            sums[stack] = sums[stack] + torch.cat([diagonal(layer.cpu(), real[stack]) for layer in layers])
            uniform[stack] = uniform[stack] + (real[stack] / seen[stack]).sum()
            positions[stack] = positions[stack] + real[stack].sum()
    return {
        stack: ((sums[stack] / positions[stack]).tolist(), float(uniform[stack] / positions[stack])) for stack in STACKS
    }


def diagonal(weights: Tensor, real: Tensor) -> Tensor:
    """weights [batch, heads, queries, keys], real [batch, queries] -> the sum of w_ii over real i: [heads]"""
    return (weights.diagonal(dim1=-2, dim2=-1) * real[:, None]).double().sum((0, 2))


def judge(runs: Runs) -> Verdict:
    """In a stack the claim is true if one head has more than TOO_MUCH times the uniform weight on the diagonal, and
    8 heads less than one, both by the 95 % interval; false if an interval says the contrary of either. The claim holds
    if it is true in encoder and decoder, holds only if in one of them, does not hold if it is false in both."""
    found = {true_in(stack, runs) for stack in STACKS}
    if None in found:
        return "undecided"
    return "holds only if" if len(found) == 2 else "holds" if True in found else "does not hold"


def true_in(stack: str, runs: Runs) -> bool | None:
    one, eight, uniform = (over_seeds(runs, f"{stack}_{name}") for name in ("1", "8", "uniform"))
    share = interval([weight / even for weight, even in zip(one, uniform, strict=True)])
    fall = difference(one, eight)
    if share.high < TOO_MUCH or fall.high < 0:
        return False
    return True if share.low > TOO_MUCH and fall.low > 0 else None


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(2, width=4.7)
    heads = row(runs[0], "heads")
    titles = (tr("encoder", "编码器"), tr("decoder", "解码器"))
    for index, (here, stack, title) in enumerate(zip(axes, STACKS, titles, strict=True)):
        for run in runs:
            for h in heads:
                each = row(run, f"{stack}_heads_{h:.0f}")
                here.plot([h] * len(each), each, ".", color=COLOURS[6], alpha=0.25, ms=5, mew=0)
        means = [[number(run, f"{stack}_{h:.0f}") for h in heads] for run in runs]
        band(here, heads, means, tr("mean of all heads", "所有头的均值"), index)
        even = interval(over_seeds(runs, f"{stack}_uniform")).mean
        here.axhline(even, color=COLOURS[4], ls="--", label=tr("if all got the same", "均匀注意力"))
        here.set(xscale="log", xlabel=tr("heads", "头数"), xlim=(0.9, 9), ylim=(0, None), title=title)
        tick_at(here, heads)
        here.legend()
    axes[0].set(ylabel=tr("weight of a position on itself", "位置对自身的权重"))
    return picture


EXPERIMENT = Experiment("L7", measure, judge, draw, (), SEEDS, evidence="real")
