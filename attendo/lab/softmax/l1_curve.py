"""L1: what softmax makes of [a, a, 2a] as a grows."""

import math
from collections.abc import Sequence

import torch
from matplotlib.figure import Figure

from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure

KNOBS = (Knob("a", by_size((1.0, 10.0, 100.0), (1.0, 10.0, 100.0), (1.0, 10.0, 100.0)), 0, 350),)
PRINTED = {1: 0.5761168847658291, 10: 0.9999092083843412, 100: 1.0}  # y₃ in the notes, to the last digit they give
CLOSE = 5e-16  # a few roundings of a number near 1, the last digit that is printed


def third(a: float) -> float:
    """y₃ of softmax([a, a, 2a]), in double precision."""
    return torch.softmax(torch.tensor([a, a, 2 * a], dtype=torch.float64), dim=0)[2].item()


def expected(a: float) -> float:
    """What the notes print for this a; where they print nothing, 1 / (1 + 2 e^-a)."""
    return PRINTED.get(int(a) if a == int(a) else -1, 1 / (1 + 2 * math.exp(-a)))


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    grid = torch.linspace(0, 100, 1001, dtype=torch.float64).tolist()  # as far as the notes' own plot
    found = {a: third(a) for a in at.reals("a")}
    numbers: Numbers = {
        **{f"y3_at_{a:g}": y3 for a, y3 in found.items()},
        "farthest": max(abs(y3 - expected(a)) for a, y3 in found.items()),
        "grid": grid, "y3": [third(a) for a in grid],
    }  # fmt: skip
    return [numbers for _ in seeds]


def judge(runs: Runs) -> Verdict:
    """Every number as printed, up to rounding, or the claim is wrong: nothing here is left to chance."""
    found = {a: number(runs[0], f"y3_at_{a:g}") for a in row(runs[0], "a")}
    return "holds" if all(abs(y3 - expected(a)) <= CLOSE for a, y3 in found.items()) else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    """On the notes' axis, 0 to 100, everything happens at the left edge: there a second picture looks closer."""
    picture, (axes,) = figure(width=8.0)
    closer = axes.inset_axes((0.3, 0.13, 0.66, 0.72))
    for shown, until in ((axes, 100.0), (closer, 12.0)):
        there = [(a, y3) for a, y3 in zip(row(runs[0], "grid"), row(runs[0], "y3"), strict=True) if a <= until]
        shown.plot(*zip(*there, strict=True), color=COLOURS[0], lw=2.5)
        shown.set_ylim(0.3, 1.03)
        for a in row(runs[0], "a"):
            if a > until or (shown is axes and a <= 12):
                continue
            y3 = number(runs[0], f"y3_at_{a:g}")
            shown.plot(a, y3, "o", color=COLOURS[4], ms=8, clip_on=False)
            words = tr(f"$a={a:g}$: $y_3={y3:.4f}$", f"$a={a:g}$：$y_3={y3:.4f}$")
            shown.annotate(words, (a, y3), (-4 if a > 9 else 8, -20), textcoords="offset points",
                           ha="right" if a > 9 else "left")  # fmt: skip
    axes.set(xlabel="$a$", ylabel=tr("third component $y_3$", "第 3 个分量 $y_3$"), xlim=(0, 100))
    closer.set_xlim(0, 12)
    words = tr("closer: $a$ from 0 to 12", "放大：$a$ 从 0 到 12")
    closer.text(0.97, 0.06, words, transform=closer.transAxes, ha="right")
    return picture


EXPERIMENT = Experiment("L1", measure, judge, draw, KNOBS, ONE_SEED)
