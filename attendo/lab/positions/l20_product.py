"""L20: PE(pos)·PE(pos + k) against k: the same on both sides, but does it fall?"""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number, row
from attendo.lab.knobs import Settings
from attendo.lab.positions.l19_rotation import rotation_matrix
from attendo.lab.tools.chart import COLOURS, figure
from attendo.model.positions import sinusoidal_encoding

WIDTHS = (8, 32, 128, 512, 1024)
PAPER = 512
FAR = 500  # positions, each way
SENTENCE = 100  # the rule looks this far: few sentences are longer
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
    """Spearman's, between the distance 1 … SENTENCE and the product: -1 if it only ever falls."""
    ranks = product[1 : SENTENCE + 1].argsort().argsort().double()
    return torch.corrcoef(torch.stack((ranks, torch.arange(SENTENCE).double())))[0, 1].item()


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    numbers: dict[str, float | list[float]] = {"asymmetry": 0.0}
    for d in WIDTHS:
        both = products(d)
        ahead, behind = both[FAR:], both[: FAR + 1].flip(0)
        numbers["asymmetry"] = max(numbers["asymmetry"], (ahead - behind).abs().max().item())
        numbers[f"falls_until_{d}"] = float(falls_until(ahead))
        numbers[f"rank_{d}"] = rank_correlation(ahead)
        numbers[f"rising_{d}"] = (ahead[: SENTENCE + 1].diff() > 0).double().mean().item()  # share of steps away
        lowest = ahead[: SENTENCE + 1].cummin(0).values
        numbers[f"climb_{d}"] = (ahead[: SENTENCE + 1] - lowest).max().item()  # further away, yet that much closer
        numbers[f"product_{d}"] = both.tolist()
    # A matrix between the two, as W_Q and W_K are, may turn one of them; then the two sides differ.
    here, *sides = sinusoidal_encoding(torch.tensor([[1000, 1001, 999]]), PAPER, torch.float64)[0]
    turned = rotation_matrix(1, PAPER) @ here / (PAPER / 2)
    numbers["turned_ahead"], numbers["turned_behind"] = (float(turned @ side) for side in sides)
    return [numbers for _ in seeds]


def judge(runs: Runs) -> Verdict:
    """Falls, if every step away up to 100 positions lowers the product, at every width. Only if, if it does not, but at
    the paper's width the order of distances is nearly kept (rank correlation of -0.9 or stronger)."""
    run = runs[0]
    if number(run, "asymmetry") > SAME or number(run, f"rank_{PAPER}") > NEARLY:
        return "does not hold"
    always = all(number(run, f"falls_until_{d}") >= SENTENCE for d in WIDTHS)
    return "holds" if always else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2, width=4.9)
    for index, d in enumerate(WIDTHS[:-1]):
        product = row(runs[0], f"product_{d}")
        left.plot(range(-FAR, FAR + 1), product, color=COLOURS[index], lw=1, label=f"$d={d}$")
        right.plot(range(61), product[FAR : FAR + 61], color=COLOURS[index], lw=1.6, label=f"$d={d}$")
        until = int(number(runs[0], f"falls_until_{d}"))
        right.plot(until, product[FAR + until], "o", color=COLOURS[index], ms=6)
    for axes in (left, right):
        axes.set(xlabel=tr("distance $k$", "距离 $k$"), ylim=(-0.5, 1.02))
    left.set(ylabel=tr("product, as a share of $d/2$", "内积 ÷ $(d/2)$"))
    right.legend(loc="lower right", ncols=4, columnspacing=1, handlelength=1.2)
    return picture


EXPERIMENT = Experiment("L20", measure, judge, draw, (), ONE_SEED)
