"""L38: softmax of (3, 1, -3)."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure

from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import bars, figure

# Scores further apart than 30 would give a probability that a number of 64 bits cannot tell from 1.
KNOBS = (Knob("scores", by_size((3.0, 1.0, -3.0), (3.0, 1.0, -3.0), (3.0, 1.0, -3.0)), -15, 15),)
ROUNDING = 1e-12


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    y = torch.softmax(torch.tensor(at.reals("scores"), dtype=torch.float64), dim=0).tolist()
    return [{**{f"y{i}": one for i, one in enumerate(y, 1)}, "sum": sum(y)} for _ in seeds]


def probabilities(runs: Runs) -> list[float]:
    return [number(runs[0], f"y{i}") for i in range(1, len(row(runs[0], "scores")) + 1)]


def judge(runs: Runs) -> Verdict:
    """Every value lies between 0 and 1, they sum to 1 up to rounding, and the largest is that of the largest score."""
    scores, y = row(runs[0], "scores"), probabilities(runs)
    sums_to_1 = abs(sum(y) - 1) <= ROUNDING
    largest = y[scores.index(max(scores))] == max(y)
    return "holds" if all(0 < one < 1 for one in y) and sums_to_1 and largest else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=7.0)
    y = probabilities(runs)
    bars(axes, [f"$z_{{{i}}}={z:g}$" for i, z in enumerate(row(runs[0], "scores"), 1)], [[one] for one in y])
    for index, one in enumerate(y):
        axes.text(index, one + 0.01, f"{one:.4f}", ha="center", va="bottom", fontsize=15)
    axes.set(ylabel=tr("probability $y_i$", "概率 $y_i$"), ylim=(0, 1.08))
    return picture


EXPERIMENT = Experiment("L38", measure, judge, draw, KNOBS, ONE_SEED)
