"""L20: PE(pos)·PE(pos + k) against k: the same on both sides, but does it fall?"""

from collections.abc import Sequence
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.positions.l19_rotation import even, rotation_matrix
from attendo.lab.tools.chart import COLOURS, figure
from attendo.model.positions import sinusoidal_encoding

WIDTHS = (8, 32, 128, 512, 1024)
# Until which distance the rule looks: few sentences are longer than 100.
KNOBS = (Knob("widths", by_size(WIDTHS, WIDTHS, WIDTHS), 2, 4096), Knob("until", by_size(100, 100, 100), 2, 500))
PAPER = 512
FAR = 500  # positions, each way
SAME = 1e-9  # of a product that has been divided by its largest value, d/2
NEARLY = -0.9  # a rank correlation beyond this: falls, on the whole


def products(d: int, pos: int = 1000) -> Tensor:
    """PE(pos)·PE(pos + k) / (d/2) = mean of cos ω_i k, for k = -FAR … FAR. 1 at k = 0."""
    near = sinusoidal_encoding(torch.arange(pos - FAR, pos + FAR + 1)[None], d, torch.float64)[0]
    return near @ near[FAR] / (d / 2)


def falls_until(product: Tensor) -> int:
    """The last k up to which every step away lowers the product."""
    rises = (product.diff() >= 0).nonzero()
    return int(rises[0]) if len(rises) else len(product) - 1


def rank_correlation(product: Tensor) -> float:
    """Spearman's, between the distance 1, 2, … and the product, which begins at 0: -1 if it only ever falls."""
    ranks = product[1:].argsort().argsort().double()
    return torch.corrcoef(torch.stack((ranks, torch.arange(len(ranks)).double())))[0, 1].item()


def the_papers(widths: Sequence[float]) -> float:
    """512, or the width that is nearest to it."""
    return min(widths, key=lambda d: abs(d - PAPER))


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    numbers: dict[str, float | list[float]] = {"asymmetry": 0.0}
    until = at.whole("until")
    for d in map(even, at.wholes("widths")):
        both = products(d)
        ahead, behind = both[FAR:], both[: FAR + 1].flip(0)
        numbers["asymmetry"] = max(numbers["asymmetry"], (ahead - behind).abs().max().item())
        numbers[f"falls_until_{d}"] = float(falls_until(ahead))
        numbers[f"rank_{d}"] = rank_correlation(ahead[: until + 1])
        numbers[f"rising_{d}"] = (ahead[: until + 1].diff() > 0).double().mean().item()  # share of steps away
        lowest = ahead[: until + 1].cummin(0).values
        numbers[f"climb_{d}"] = (ahead[: until + 1] - lowest).max().item()  # further away, yet that much closer
        numbers[f"product_{d}"] = both.tolist()
    # A matrix between the two, as W_Q and W_K are, may turn one of them; then the two sides differ.
    here, *sides = sinusoidal_encoding(torch.tensor([[1000, 1001, 999]]), PAPER, torch.float64)[0]
    turned = rotation_matrix(1, PAPER) @ here / (PAPER / 2)
    numbers["turned_ahead"], numbers["turned_behind"] = (float(turned @ side) for side in sides)
    return [numbers for _ in seeds]


def judge(runs: Runs) -> Verdict:
    """Falls, if every step away, up to 100 positions, lowers the product, at every width. Only if, if it does not, but
    at the paper's width the order of distances is nearly kept (rank correlation of -0.9 or stronger)."""
    run, widths = runs[0], row(runs[0], "widths")
    if number(run, "asymmetry") > SAME or number(run, f"rank_{the_papers(widths):.0f}") > NEARLY:
        return "does not hold"
    always = all(number(run, f"falls_until_{d:.0f}") >= number(run, "until") for d in widths)
    return "holds" if always else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    """Curves of the narrowest, the paper's and the widest; how far each falls, of all."""
    picture, (left, right) = figure(2, width=6.6)
    widths, until = sorted(set(row(runs[0], "widths"))), int(number(runs[0], "until"))
    shown = sorted({widths[0], the_papers(widths), widths[-1]})
    for index, d in enumerate(shown):
        product = row(runs[0], f"product_{d:.0f}")[FAR - until : FAR + until + 1]
        how: dict[str, Any] = ({"lw": 1.2}, {"lw": 4}, {"lw": 2, "ls": "--"})[index]  # two of them nearly coincide
        left.plot(range(-until, until + 1), product, color=COLOURS[(5, 0, 4)[index]], label=f"$d={d:g}$", **how)
    left.set(xlabel=tr("distance $k$", "距离 $k$"), ylim=(-0.6, 1.05))
    left.set_title(tr("$PE(pos) \\cdot PE(pos+k)$, as a share of $d/2$", "内积 $PE(pos) \\cdot PE(pos+k)$ ÷ $(d/2)$"))
    left.legend(loc="lower right", ncols=len(shown), columnspacing=1, handlelength=1.2)
    falls = [number(runs[0], f"falls_until_{d:.0f}") for d in widths]
    right.bar(range(len(widths)), falls, color=COLOURS[0], alpha=0.75, width=0.62)
    for index, k in enumerate(falls):
        right.text(index, k, f"{k:.0f}", ha="center", va="bottom", fontsize=15)
    right.set_xticks(range(len(widths)), [f"$d={d:g}$" for d in widths])
    right.grid(visible=False, axis="x")
    right.set_title(tr("up to which $k$ every step lowers it", "内积逐步下降，到哪个 $k$ 为止"))
    return picture


EXPERIMENT = Experiment("L20", measure, judge, draw, KNOBS, ONE_SEED)
