"""L1: what softmax makes of [a, a, 2a] as a grows."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure

from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number, row
from attendo.lab.knobs import Settings
from attendo.lab.tools.chart import COLOURS, figure

CLAIMED = {1: 0.5761168847658291, 10: 0.9999092083843412, 100: 1.0}  # y₃ in the notes, to the last digit they give
CLOSE = 5e-16  # a few roundings of a number near 1, the last digit that is printed


def third(a: float) -> float:
    """y₃ of softmax([a, a, 2a]), in double precision."""
    return torch.softmax(torch.tensor([a, a, 2 * a], dtype=torch.float64), dim=0)[2].item()


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    grid = torch.linspace(-10, 20, 301, dtype=torch.float64).tolist()
    numbers: Numbers = {
        "y3_at_1": third(1.0), "y3_at_10": third(10.0), "y3_at_100": third(100.0),
        "a": grid, "y3": [third(a) for a in grid],
    }  # fmt: skip
    return [numbers for _ in seeds]


def judge(runs: Runs) -> Verdict:
    """All three numbers as claimed, or the claim is wrong: nothing here is left to chance."""
    right = all(abs(number(runs[0], f"y3_at_{a}") - y) <= CLOSE for a, y in CLAIMED.items())
    return "holds" if right else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure()
    axes.plot(row(runs[0], "a"), row(runs[0], "y3"), color=COLOURS[0], lw=2)
    for a in (1, 10):
        y3 = number(runs[0], f"y3_at_{a}")
        axes.plot(a, y3, "o", color=COLOURS[1])
        axes.annotate(f"$a={a}$", (a, y3), (6, -14), textcoords="offset points")
    axes.set(xlabel="$a$", ylabel=tr("third share $y_3$", "第三份 $y_3$"))
    return picture


EXPERIMENT = Experiment("L1", measure, judge, draw, (), ONE_SEED)
