"""L7: how much of its attention a position gives to itself, in trained translators with one head and with several."""

from collections.abc import Sequence
from statistics import fmean

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.data.batches import Batches
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure, tick_at
from attendo.lab.tools.measuring import count_weights, log_ratio
from attendo.lab.tools.real_sides import TrainedModel, measure_sides
from attendo.lab.tools.real_training import DATA_FILES, RealBudget, RealData, bleu_of, real_data
from attendo.lab.tools.real_translators import transformer_side
from attendo.model.build import Model
from attendo.model.record import AttentionRecord
from attendo.runs.validation import one_epoch
from attendo.special_tokens import SPECIAL

# All sides are one model but for the number of heads: the number of weights is the same.
KNOBS = (
    Knob("heads", by_size((1, 8), (1, 2, 4, 8), (1, 2, 4, 8)), 1, 16),
    Knob("epochs", by_size(1, 12, 12), 1, 200),
)
SEEDS = by_size(2, 3, 8)
STACKS = ("encoder", "decoder")
TOO_MUCH = 2.0  # times the weight each position would get if all it may see got the same


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    data = real_data(at.size)
    sides = {f"{heads}": transformer_side(data, at.size, num_heads=heads) for heads in at.wholes("heads")}
    budget = RealBudget(at.whole("epochs"), tokens=300 if at.size == "small" else 8_192)
    runs: list[Numbers] = []
    for found in measure_sides(sides, data, budget, seeds, look_inside):
        named = {f"{name}_{h}": value for h, numbers in found.items() for name, value in numbers.items()}
        runs.append({**named, "steps": number(named, f"steps_{at.wholes('heads')[0]}")})
    return runs


def look_inside(trained: TrainedModel[Model], data: RealData) -> Numbers:
    model = trained.model
    numbers: dict[str, float | Sequence[float]] = {
        "bleu": bleu_of(model, data), "parameters": count_weights(model), "steps": float(len(trained.losses)),
        "rate": trained.rate,
    }  # fmt: skip
    for stack, (of_each_head, uniform) in on_itself(model, data).items():
        numbers |= {f"{stack}_heads": of_each_head, stack: fmean(of_each_head), f"{stack}_uniform": uniform}
        numbers[f"{stack}_times"] = fmean(of_each_head) / uniform
    return numbers


@torch.no_grad()
def on_itself(model: nn.Module, data: RealData) -> dict[str, tuple[list[float], float]]:
    """For encoder and decoder: the mean weight on the diagonal of each head, layer by layer, over all real positions of
    the validation set; and what it would be if all that a position may see got the same weight.

    Without the decoder's first position: it sees nothing but itself, so that its weight is 1 whatever the model is.
    """
    device = next(model.parameters()).device
    sums, uniform, positions = (dict.fromkeys(STACKS, torch.zeros(1)) for _ in range(3))
    for batch in one_epoch(Batches([data.validation], 8_192, seed=0, packed=False)):
        record = AttentionRecord()
        model(batch.source.to(device), batch.target_in.to(device), record)
        real = {"encoder": batch.source != SPECIAL.pad, "decoder": batch.target_in != SPECIAL.pad}
        # An encoder's position sees the whole sentence, the decoder's nothing behind itself.
        seen = {"encoder": real["encoder"].sum(1, keepdim=True), "decoder": real["decoder"].cumsum(1)}
        real["decoder"] = real["decoder"] & (seen["decoder"] > 1)
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
    """In a stack the claim is true if the fewest heads have more than TOO_MUCH times the uniform weight on the
    diagonal, and the most heads less than they, both by the 95 % interval of the ratio; it is false if an interval says
    the contrary of either. True in encoder and decoder: holds. True in one and false in the other: holds only if. False
    somewhere and true nowhere: does not hold, for the notes speak of the model as a whole. Else undecided."""
    found = {true_in(stack, runs) for stack in STACKS}
    if False in found:
        return "holds only if" if True in found else "does not hold"
    return "undecided" if None in found else "holds"


def true_in(stack: str, runs: Runs) -> bool | None:
    fewest, most = (f"{heads:.0f}" for heads in ends(runs))
    few, many, even = (over_seeds(runs, f"{stack}_{end}") for end in (fewest, most, f"uniform_{fewest}"))
    _, times_low, times_high = log_ratio(few, even)
    _, fall_low, fall_high = log_ratio(few, many)
    if times_high < TOO_MUCH or fall_high < 1:
        return False
    return True if times_low > TOO_MUCH and fall_low > 1 else None


def ends(runs: Runs) -> tuple[float, float]:
    heads = row(runs[0], "heads")
    return min(heads), max(heads)


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(2, width=4.7)
    heads = sorted(row(runs[0], "heads"))
    titles = (tr("encoder", "编码器"), tr("decoder, without its first position", "解码器（不含第一个位置）"))
    for index, (here, stack, title) in enumerate(zip(axes, STACKS, titles, strict=True)):
        weights = [[number(run, f"{stack}_{h:.0f}") for h in heads] for run in runs]
        for of_seed in weights:
            here.plot(heads, of_seed, "o", color=COLOURS[index], alpha=0.4, ms=6)
        means = [fmean(at) for at in zip(*weights, strict=True)]
        here.plot(heads, means, "-", color=COLOURS[index], lw=2.5, label=tr("mean of all heads", "所有头的均值"))
        even = fmean(over_seeds(runs, f"{stack}_uniform_{heads[0]:.0f}"))
        too_much = tr('"too much": twice uniform', "“过度”：均匀注意力的两倍")
        here.axhline(TOO_MUCH * even, color=COLOURS[4], ls="--", label=too_much)
        here.axhline(even, color=COLOURS[6], ls=":", label=tr("uniform attention", "均匀注意力"))
        here.set(xscale="log", xlabel=tr("heads", "头数"), title=title)
        tick_at(here, heads)
    top = 1.35 * max(number(run, f"{stack}_{h:.0f}") for run in runs for stack in STACKS for h in heads)
    for here in axes:
        here.set(ylim=(0, top))
        here.legend(loc="upper right")
    axes[0].set(ylabel=tr("weight of a position on itself", "一个位置给自身的权重"))
    return picture


EXPERIMENT = Experiment("L7", measure, judge, draw, KNOBS, SEEDS, evidence="real", data=DATA_FILES)
