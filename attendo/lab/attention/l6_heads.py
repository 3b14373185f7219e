"""L6: one head against several with the same number of weights, where one look is needed and where four."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure, grouped_points, legend_below, plain_log
from attendo.lab.tools.measuring import count_weights, fails_more, is_more, log_ratio, settled, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.toy_training import EncoderAlone, accuracy, toy_config
from attendo.lab.tools.tuning import train_side

SEEDS = by_size(2, 6, 16)
KNOBS = (
    Knob("steps", by_size(4, 3_000, 6_000), 2, 100_000),
    # d_k = 32 / heads: the number of weights is the same for all.
    Knob("heads", by_size((1, 8), (1, 8), (1, 2, 4, 8)), 1, 32),
)
D_MODEL, LENGTH = 32, 8
# How many symbols there are, and the offsets of the positions whose symbols make up the answer. Four bits in both.
TASKS = {"one": (16, (3,)), "four": (2, (-2, -1, 1, 2))}
ENOUGH = {"one": 1_500, "four": 100_000}  # steps: one look is learnt long before, so it gets no more than that
BLIND = math.log(16)  # the loss of a guess without a look
LEARNT = 0.1 * BLIND
SOONER = 1.25  # times as many steps


class Reader(EncoderAlone):
    """Of one layer: every position answers for the symbols at other positions."""

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


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, blind=BLIND)
    for task, (symbols, offsets) in TASKS.items():
        sequences, steps = partial(symbols_at, symbols, offsets), min(at.whole("steps"), ENOUGH[task])
        for heads in at.wholes("heads"):
            name, build = f"{task}_{heads}", partial(Reader, heads, 2 * D_MODEL)
            side = train_side("L6", name, at, seeds, build, sequences, pairs=16, steps=steps)
            side.add_to(runs, name, LEARNT)
            for run, seed, model in zip(runs, seeds, side.models, strict=True):
                run[f"{name}_right"] = accuracy(model, sequences(200, unseen_generator(seed)))
                run[f"weights_{heads}"] = count_weights(model)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Fewest heads against most. Better: more seeds have learnt at the end (Fisher's exact test), and those that have
    not do not improve any more. Sooner: the fewest take more than SOONER times the steps, seed by seed and in the mean,
    and not by chance. It counts, since the note says "better" ("效果更佳"), not what one head is able to learn.

    Better on both tasks: holds. Better or sooner on one: only if. Neither on either: does not hold. Undecided where the
    fewest heads, being behind, have not stopped improving, or where nothing is better and the steps allow both.
    """
    fewest, most = (f"{count:.0f}" for count in (min(row(runs[0], "heads")), max(row(runs[0], "heads"))))
    better, sooner = [], []
    for task in TASKS:
        better.append(fails_more(*(over_seeds(runs, f"{task}_{heads}_failed") for heads in (fewest, most))))
        if better[-1] and not settled(runs, f"{task}_{fewest}"):
            return "undecided"
        steps = log_ratio(*(over_seeds(runs, f"{task}_{heads}_learnt") for heads in (fewest, most)))
        sooner.append(is_more(*steps, SOONER, nothing=1.0))
    if all(better):
        return "holds"
    if any(better) or any(sooner):
        return "holds only if"
    return "undecided" if None in sooner else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2, width=6.6)
    tasks = {"one": tr("one look is enough", "只需看一处"), "four": tr("four looks are needed", "要同时看四处")}
    heads = [f"{count:.0f}" for count in sorted(row(runs[0], "heads"))]
    for panel, ending in ((left, "learnt"), (right, "right")):
        values = [[over_seeds(runs, f"{task}_{count}_{ending}") for count in heads] for task in tasks]
        grouped_points(panel, list(tasks.values()), [f"$h={count}$" for count in heads], values)
    left.set(title=tr("steps until learnt", "学会所需步数"))
    plain_log(left)
    right.set(title=tr("accuracy at the end", "最终准确率"), ylim=(0, 1.05))
    legend_below(picture, left)
    return picture


EXPERIMENT = Experiment("L6", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
