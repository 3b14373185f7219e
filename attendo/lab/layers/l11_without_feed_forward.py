"""L11: an encoder without its feed-forward parts, where symbols are moved, computed with, or looked up in a table."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean

import torch
from matplotlib.figure import Figure
from torch import nn

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure, grouped_points, legend_below, plain_log
from attendo.lab.tools.layer_stack import AttentionLayer, LayerStack
from attendo.lab.tools.measuring import count_weights, fails_more, is_more, log_ratio, settled, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL, random_table
from attendo.lab.tools.toy_training import accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.encoder import EncoderLayer

SEEDS = by_size(2, 6, 16)
KNOBS = (
    Knob("steps", by_size(4, 1_500, 3_000), 2, 100_000),
    Knob("layers", by_size(2, 2, 2), 1, 12),
    Knob("symbols", by_size(8, 24, 32), 2, 64),
)
LENGTH = 6
D_MODEL = 16  # d_ff is four times as much
SIDES = ("whole", "without", "wider")
TASKS = ("moving", "computing", "table")
FEW = 5  # symbols to move, or to compute with
ENOUGH = {"moving": 500, "computing": 1_500, "table": 100_000}  # steps: the first two are learnt long before
MUCH = 0.1  # of all tokens: "much worse" is one more mistake in every ten tokens
SLOWER = 1.5  # times as many steps: half as many again


def mirrored(task: str, symbols: int, pairs: int, generator: torch.Generator) -> Batch:
    """Position i fetches the symbol at n - i. moving: that is all. computing: the sum of both, modulo the number of
    symbols. table: what stands in a random table at their row and column."""
    x = torch.randint(symbols, (pairs, LENGTH), generator=generator)
    fetched = x.flip(1)
    match task:
        case "moving":
            y = fetched
        case "computing":
            y = (x + fetched) % symbols
        case _:
            y = random_table(symbols)[x, fetched]
    return Batch(FIRST_SYMBOL + x, FIRST_SYMBOL + x, FIRST_SYMBOL + y, y.numel())


def build(symbols: int, layers: int, side: str, seed: int) -> LayerStack:
    """The whole; the same without feed-forward; and that, so much wider that it has about the weights of the whole."""
    layer = EncoderLayer if side == "whole" else AttentionLayer
    return stack(symbols, layers, width_of_as_many(symbols, layers) if side == "wider" else D_MODEL, layer)


def stack(symbols: int, layers: int, d_model: int, layer: Callable[..., nn.Module]) -> LayerStack:
    return LayerStack(toy_config(symbols, d_model, 4 * d_model, 2, tied_output=False, encoder_layers=layers), layer)


def width_of_as_many(symbols: int, layers: int) -> int:
    """The d_model with which attention alone has as many weights as the whole model, as nearly as can be."""
    with torch.device("meta"):  # there a tensor has a shape and no memory
        wanted = count_weights(stack(symbols, layers, D_MODEL, EncoderLayer))
        found = {d: count_weights(stack(symbols, layers, d, AttentionLayer)) for d in range(D_MODEL, 3 * D_MODEL, 2)}
    return min(found, key=lambda d_model: abs(found[d_model] - wanted))


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """Three models a task."""
    runs = rows_to_fill(seeds)
    layers = at.whole("layers")
    for task in TASKS:
        symbols = at.whole("symbols") if task == "table" else FEW
        sequences, steps = partial(mirrored, task, symbols), min(at.whole("steps"), ENOUGH[task])
        for side in SIDES:
            name, make = f"{task}_{side}", partial(build, symbols, layers, side)
            trained = train_side("L11", name, at, seeds, make, sequences, pairs=32, steps=steps)
            trained.add_to(runs, name, 0.1 * math.log(symbols))
            for run, seed, model in zip(runs, seeds, trained.models, strict=True):
                run[f"{name}_right"] = accuracy(model, sequences(200, unseen_generator(seed)))
                run[f"{name}_weights"] = count_weights(model)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Much worse: at the end more seeds have not learnt without feed-forward than with it (Fisher's exact test), and in
    the mean more than MUCH of the tokens are lost. Slower: without it takes more than SLOWER times the steps, seed by
    seed and in the mean, and not by chance. It counts, since the note says that the model can do without ("可以用") and
    does worse ("效果差了很多"), not what it is unable to learn.

    Much worse on all tasks: holds. Much worse or slower on some: only if. On none: does not hold. Undecided where the
    model without, being much worse, had not stopped improving, or where nothing is worse and the steps allow both.
    """
    worse, slower = [], []
    for task in TASKS:
        behind = fails_more(*(over_seeds(runs, f"{task}_{side}_failed") for side in ("without", "whole")))
        whole, without = (fmean(over_seeds(runs, f"{task}_{side}_right")) for side in ("whole", "without"))
        much = behind and whole - without > MUCH
        if much and not settled(runs, f"{task}_without"):
            return "undecided"
        worse.append(much)
        steps = log_ratio(*(over_seeds(runs, f"{task}_{side}_learnt") for side in ("without", "whole")))
        slower.append(is_more(*steps, SLOWER, nothing=1.0))
    if all(worse):
        return "holds"
    if any(worse) or any(slower):
        return "holds only if"
    return "undecided" if None in slower else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2, width=6.6)
    tasks = (tr("moving", "搬运"), tr("computing", "计算"), tr("table", "查表"))
    sides = (
        tr("with feed-forward", "有前馈层"), tr("without", "去掉前馈层"), tr("without, but wider", "去掉，但加宽"),
    )  # fmt: skip
    for panel, ending in ((left, "learnt"), (right, "right")):
        values = [[over_seeds(runs, f"{task}_{side}_{ending}") for side in SIDES] for task in TASKS]
        grouped_points(panel, tasks, sides, values)
    left.set(title=tr("steps until learnt", "学会所需步数"))
    plain_log(left)
    right.set(title=tr("accuracy at the end", "最终准确率"), ylim=(0, 1.05))
    legend_below(picture, left)
    return picture


EXPERIMENT = Experiment("L11", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
