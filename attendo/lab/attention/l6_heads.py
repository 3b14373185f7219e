"""L6: one head against two, four and eight with the same number of weights, where one look is needed and where four."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Size, Tr, Verdict, by_size, over_seeds, row, rows_to_fill
from attendo.lab.tools.chart import band, bars, figure
from attendo.lab.tools.measuring import count_weights, curve, curve_steps, difference, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.toy_training import EncoderAlone, accuracy, toy_config
from attendo.lab.tools.tuning import budgets_of, train_tuned

SEEDS = by_size(2, 6, 12)
D_MODEL, LENGTH = 32, 8
HEADS = (1, 2, 4, 8)  # d_k = 32, 16, 8, 4: the number of weights is the same for all
# How many symbols there are, and the offsets of the positions whose symbols make up the answer. Four bits in both.
TASKS = {"one": (16, (3,)), "four": (2, (-2, -1, 1, 2))}
BLIND = math.log(16)  # the loss of a guess without a look
STEPS = by_size(3, 300, 1500)
POINTS = 20  # of a curve
BETTER = 0.1  # in the loss: the right answer is given a probability higher by a tenth


class Reader(EncoderAlone):
    """Of one layer: every position says something about the symbols at other positions."""

    def __init__(self, num_heads: int, d_ff: int, seed: int) -> None:
        super().__init__(toy_config(16, D_MODEL, d_ff, num_heads, tied_output=False))


def symbols_at(symbols: int, offsets: Sequence[int], pairs: int, generator: torch.Generator) -> Batch:
    """y_i is x at i + offset for all offsets (in a circle), read as the digits of one number.

    Of two symbols, with offsets 1 and 2:  0 1 1 0  ->  11 10 00 01, that is 3 2 0 1
    """
    x = torch.randint(0, symbols, (pairs, LENGTH), generator=generator)
    y = torch.zeros_like(x)
    for offset in offsets:
        y = y * symbols + x.roll(-offset, dims=1)
    return Batch(FIRST_SYMBOL + x, FIRST_SYMBOL + x, FIRST_SYMBOL + y, y.numel())


def measure(seeds: Sequence[int], size: Size) -> list[Numbers]:
    runs = rows_to_fill(seeds, step=curve_steps(STEPS[size], POINTS), blind=BLIND)
    for task, (symbols, offsets) in TASKS.items():
        sequences = partial(symbols_at, symbols, offsets)
        for heads in HEADS:
            name, build = f"{task}_{heads}", partial(Reader, heads, 2 * D_MODEL)
            models, losses, rate = train_tuned(build, sequences, seeds, budgets_of("L6", name, size, STEPS[size], 16))
            for run, seed, model, loss in zip(runs, seeds, models, losses.T, strict=True):
                points = curve(loss, POINTS)
                run |= {name: points[-1], f"{name}_loss": points, f"rate_{name}": rate}
                never_seen = sequences(200, unseen_generator(seed))
                run |= {f"{name}_right": accuracy(model, never_seen), f"weights_{heads}": count_weights(model)}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Is the loss of one head higher than that of eight, the number in the notes, by more than BETTER, seed by seed?

    On both tasks: holds. On neither: does not hold. On one of them: only if. Where an interval straddles BETTER:
    undecided.
    """
    gains = [difference(over_seeds(runs, f"{task}_1"), over_seeds(runs, f"{task}_8")) for task in TASKS]
    if any(gain.low <= BETTER <= gain.high for gain in gains):
        return "undecided"
    better = [gain.low > BETTER for gain in gains]
    if all(better):
        return "holds"
    return "holds only if" if any(better) else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=2, rows=2, height=3.0)
    titles = {"one": tr("one look is enough", "只需看一处"), "four": tr("four looks are needed", "要同时看四处")}
    for column, (task, title) in enumerate(titles.items()):
        for index, heads in enumerate(HEADS):
            curves = [row(run, f"{task}_{heads}_loss") for run in runs]
            band(axes[column], row(runs[0], "step"), curves, f"$h={heads}$", index)
        axes[column].axhline(BLIND, color="grey", ls=":", lw=1)
        axes[column].set(title=title, xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
        bars(axes[2 + column], [f"$h={h}$" for h in HEADS], [over_seeds(runs, f"{task}_{h}_right") for h in HEADS])
        axes[2 + column].set(ylabel=tr("accuracy", "准确率"), ylim=(0, 1.05))
    axes[0].legend()
    return picture


EXPERIMENT = Experiment("L6", "A§1, D", measure, judge, draw, SEEDS, tunes=True)
