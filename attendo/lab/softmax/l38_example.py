"""L38: softmax of (3, 1, -3)."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure

from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number
from attendo.lab.knobs import Settings
from attendo.lab.tools.chart import bars, figure

SCORES = (3.0, 1.0, -3.0)
CLAIMED = (0.88, 0.12, 0.00)  # "about", so to the two digits given


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    y = torch.softmax(torch.tensor(SCORES, dtype=torch.float64), dim=0).tolist()
    return [{"y1": y[0], "y2": y[1], "y3": y[2], "sum": sum(y)} for _ in seeds]


def judge(runs: Runs) -> Verdict:
    """Each share, rounded to two digits, is the one claimed."""
    found = tuple(round(number(runs[0], name), 2) for name in ("y1", "y2", "y3"))
    return "holds" if found == CLAIMED else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure()
    shares = [number(runs[0], name) for name in ("y1", "y2", "y3")]
    bars(axes, [f"$x_{i}={x:g}$" for i, x in enumerate(SCORES, 1)], [[share] for share in shares])
    for index, share in enumerate(shares):
        axes.text(index, share, f"{share:.4f}", ha="center", va="bottom")
    axes.set(ylabel=tr("share $y_i$", "份额 $y_i$"), ylim=(0, 1))
    return picture


EXPERIMENT = Experiment("L38", measure, judge, draw, (), ONE_SEED)
