"""L10: feed-forward parts one to eight times as wide as the model: what they learn, and what they cost."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, grouped_points, legend_below, plain_log, tick_at
from attendo.lab.tools.measuring import (
    count_weights,
    fails_more,
    is_more,
    log_ratio,
    seconds,
    settled,
    unseen_generator,
)
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL, random_table
from attendo.lab.tools.toy_training import EncoderAlone, accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.config import TransformerConfig
from attendo.model.encoder import EncoderLayer
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 5, 16)
KNOBS = (
    Knob("steps", by_size(4, 3_000, 3_000), 2, 100_000),
    Knob("widths", by_size((1, 8), (1, 8), (1, 2, 4, 8)), 1, 32),  # d_ff / d_model
    Knob("symbols", by_size(8, 32, 32), 2, 64),
)
D_MODEL, LENGTH = 16, 8
TASKS = ("moving", "small_table", "large_table")
FEW = 8  # symbols to move, or in the small table
ENOUGH = {"moving": 1_000, "small_table": 1_000, "large_table": 100_000}  # steps: the first two are learnt long before
PAPER = partial(TransformerConfig, vocab_size=37_000, dropout=0.0)  # the base model: d_model = 512, 6 + 6 layers
COSTS = ("operations", "state", "kept", "microseconds")
TOKENS = 64  # on which they are counted, in two sentences
DEARER = 1.5  # "markedly": half as much again, from the narrowest to the widest
SOONER = 1.25  # times as many steps


def sequences(task: str, symbols: int, pairs: int, generator: torch.Generator) -> Batch:
    """moving: y_i = x_{i+3}, in a circle. Tables: y_i = T(x_i, x_{i+3}), where T is a table without rhyme or reason."""
    x = torch.randint(symbols, (pairs, LENGTH), generator=generator)
    far = x.roll(-3, dims=1)
    y = far if task == "moving" else random_table(symbols)[x, far]
    return Batch(FIRST_SYMBOL + x, FIRST_SYMBOL + x, FIRST_SYMBOL + y, y.numel())


def build(symbols: int, width: int, seed: int) -> EncoderAlone:
    return EncoderAlone(toy_config(symbols, D_MODEL, width * D_MODEL, 2, tied_output=False))


def cost(width: int, repeats: int) -> list[dict[str, float]]:
    """A training step of the paper's model: bytes of the whole, then what one encoder layer takes for each token."""
    with torch.device("meta"):  # there a tensor has a shape and no memory
        weights = count_weights(Transformer(PAPER(d_ff=width * 512)))
    layer, x = EncoderLayer(PAPER(d_ff=width * 512)), torch.ones(2, TOKENS // 2, 512, requires_grad=True)
    kept: dict[int, int] = {}  # address -> bytes of what the forward pass keeps for the backward pass

    def keep(tensor: Tensor) -> Tensor:
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    counter = FlopCounterMode(display=False)
    with sdpa_kernel(SDPBackend.MATH), counter, saved_tensors_hooks(keep, lambda tensor: tensor):
        layer(x).sum().backward()
    own = {weight.data_ptr() for weight in layer.parameters()}  # these are there in any case
    counted = {
        "weights": weights, "state": 16 * weights,  # four bytes each for weight, gradient and Adam's two moments
        "operations": counter.get_total_flops() / TOKENS, "kept": sum(kept[it] for it in kept.keys() - own) / TOKENS,
    }  # fmt: skip
    taken = [seconds(lambda: layer(x).sum().backward(), 1) for _ in range(repeats)]  # this alone is left to chance
    return [{**counted, "microseconds": 1e6 * time / TOKENS} for time in taken]


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """Small models of all seeds learn the tasks; the cost is that of the paper's model."""
    runs = rows_to_fill(seeds)
    widths = at.wholes("widths")
    for task in TASKS:
        symbols = at.whole("symbols") if task == "large_table" else FEW
        batches, steps = partial(sequences, task, symbols), min(at.whole("steps"), ENOUGH[task])
        for width in widths:
            name, make = f"{task}_{width}", partial(build, symbols, width)
            side = train_side("L10", name, at, seeds, make, batches, pairs=32, steps=steps)
            side.add_to(runs, name, 0.1 * math.log(symbols))
            for run, seed, model in zip(runs, seeds, side.models, strict=True):
                run[f"{name}_right"] = accuracy(model, batches(200, unseen_generator(seed)))
                run[f"{name}_weights"] = count_weights(model)
    for width in widths:
        for run, counted in zip(runs, cost(width, len(seeds)), strict=True):
            run |= {f"{name}_{width}": value for name, value in counted.items()}
    for run in runs:
        for name in COSTS:
            run[f"{name}_grows"] = number(run, f"{name}_{max(widths)}") / number(run, f"{name}_{min(widths)}")
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Dearer, from the narrowest to the widest: operations, state and what is kept grow by DEARER or more; the time,
    which is not counted but measured, has no vote. Better: with the narrowest more seeds have not learnt at the end
    (Fisher's exact test). Sooner: the narrowest takes more than SOONER times the steps, seed by seed and in the mean,
    and not by chance. It counts, since the note says "better" ("更好的模型表现"), not what it is able to do.

    Dearer, and better on all tasks: holds. Better or sooner on some: only if. On none, or not dearer: does not hold.
    Undecided where the narrowest, being behind, had not stopped improving, or where nothing is better and the steps
    allow both.
    """
    if any(number(runs[0], f"{name}_grows") < DEARER for name in COSTS[:3]):
        return "does not hold"
    widths = row(runs[0], "widths")
    narrowest, widest = (f"{width:.0f}" for width in (min(widths), max(widths)))
    better, sooner = [], []
    for task in TASKS:
        better.append(fails_more(*(over_seeds(runs, f"{task}_{width}_failed") for width in (narrowest, widest))))
        if better[-1] and not settled(runs, f"{task}_{narrowest}"):
            return "undecided"
        steps = log_ratio(*(over_seeds(runs, f"{task}_{width}_learnt") for width in (narrowest, widest)))
        sooner.append(is_more(*steps, SOONER, nothing=1.0))
    if all(better):
        return "holds"
    if any(better) or any(sooner):
        return "holds only if"
    return "undecided" if None in sooner else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (soon, good, dear) = figure(columns=3, width=5.0)
    tasks = (tr("moving", "搬运"), tr("small\ntable", "小表"), tr("large\ntable", "大表"))
    widths = [f"{width:.0f}" for width in sorted(row(runs[0], "widths"))]
    labels = [f"$d_{{ff}} = {width}\\,d_{{model}}$" for width in widths]
    for panel, ending in ((soon, "_learnt"), (good, "")):
        values = [[over_seeds(runs, f"{task}_{width}{ending}") for width in widths] for task in TASKS]
        grouped_points(panel, tasks, labels, values)
    soon.set(title=tr("steps until learnt", "学会所需步数"))
    plain_log(soon)
    good.set(title=tr("loss at the end", "最终损失"))
    legend_below(picture, good)
    costs = (
        tr("operations", "运算次数"), tr("weights, gradients, Adam", "参数、梯度与 Adam 状态"),
        tr("kept for backward", "为反向传播保留的数据"), tr("time", "用时"),
    )  # fmt: skip
    for index, (name, label) in enumerate(zip(COSTS, costs, strict=True), start=2):
        curves = [[number(run, f"{name}_{it}") / number(run, f"{name}_{widths[0]}") for it in widths] for run in runs]
        band(dear, [float(width) for width in widths], curves, label, index)
    dear.set(title=tr("cost, relative", "代价的倍数"), xlabel="$d_{ff} / d_{model}$", xscale="log", ylim=(0, None))
    tick_at(dear, [float(width) for width in widths])
    dear.legend(loc="upper left")
    return picture


EXPERIMENT = Experiment("L10", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
