"""L2: the Jacobian of softmax is diag(y) - yᵀy."""

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.autograd.functional import jacobian

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, over_seeds, row
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure

LENGTH = 6  # of x
DIRECTIONS = by_size(5, 40, 1000)
SCALES = (0.1, 1.0, 3.0, 10.0)  # of x: from nearly equal shares to nearly all for one
STEPS = [10.0**-exponent for exponent in range(1, 11)]  # h of the finite differences
EXACT = 1e-12  # formula against autograd, both in double precision: only rounding may differ
CLOSE = 1e-6  # formula against finite differences, which have an error of their own


def formula(x: Tensor) -> Tensor:
    """diag(y) - yᵀy, where y is a row [1, n]."""
    y = torch.softmax(x, dim=0)[None]
    return torch.diag(y[0]) - y.T @ y


def printed_cases(x: Tensor) -> Tensor:
    """The notes' second form, letter by letter: y_i - y_i·y_i where i = j, and 0 - y_i·y_i elsewhere."""
    y = torch.softmax(x, dim=0)
    return torch.diag(y) - (y * y)[:, None].expand(len(y), len(y))


def finite_differences(x: Tensor, h: float) -> Tensor:
    """Column j: (softmax(x + h e_j) - softmax(x - h e_j)) / 2h."""
    moved = h * torch.eye(len(x), dtype=x.dtype)
    return ((torch.softmax(x + moved, dim=1) - torch.softmax(x - moved, dim=1)) / (2 * h)).T


def farthest(a: Tensor, b: Tensor) -> float:
    return (a - b).abs().max().item()


def measure_seed(seed: int, at: Settings) -> Numbers:
    generator = torch.Generator().manual_seed(seed)
    directions = torch.randn(DIRECTIONS[at.size], LENGTH, generator=generator, dtype=torch.float64)
    inputs = [scale * direction for direction in directions for scale in SCALES]
    by_autograd = [jacobian(lambda x: torch.softmax(x, dim=0), x) for x in inputs]
    by_step = [max(farthest(formula(x), finite_differences(x, h)) for x in inputs) for h in STEPS]
    pairs = list(zip(inputs, by_autograd, strict=True))
    return {
        "from_autograd": max(farthest(formula(x), exact) for x, exact in pairs),
        "from_differences": min(by_step),
        "from_differences_by_step": by_step,
        "of_the_printed_cases": max(farthest(printed_cases(x), exact) for x, exact in pairs),
        "largest_column_sum": max(exact.sum(0).abs().max().item() for exact in by_autograd),
        "matrix": by_autograd[1].flatten().tolist(),
    }


def judge(runs: Runs) -> Verdict:
    """The same as autograd to rounding, and as finite differences to 1e-6, in every seed; else the formula is wrong."""
    right = max(over_seeds(runs, "from_autograd")) <= EXACT and max(over_seeds(runs, "from_differences")) <= CLOSE
    return "holds" if right else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2)
    matrix = row(runs[0], "matrix")
    shown = [matrix[i : i + LENGTH] for i in range(0, LENGTH * LENGTH, LENGTH)]
    most = max(map(abs, matrix))
    image = left.imshow(shown, cmap="PuOr", vmin=-most, vmax=most)
    for i in range(LENGTH):
        for j in range(LENGTH):
            colour = "white" if shown[i][j] > most / 2 else "black"
            left.text(j, i, f"{shown[i][j]:.2f}", ha="center", va="center", fontsize=7, color=colour)
    left.set(xlabel="$x_j$", ylabel="$y_i$")
    left.set_xticks(range(LENGTH), [str(i) for i in range(1, LENGTH + 1)])
    left.set_yticks(range(LENGTH), [str(i) for i in range(1, LENGTH + 1)])
    left.grid(visible=False)
    picture.colorbar(image, ax=left, label=r"$\partial y_i / \partial x_j$")
    for index, run in enumerate(runs):  # each seed by itself: on this scale an interval could reach below 0
        label = tr("from finite differences, a line a seed", "与有限差分之差，每个种子一条线") if index == 0 else None
        right.plot(STEPS, row(run, "from_differences_by_step"), "o-", color=COLOURS[0], ms=3, alpha=0.6, label=label)
    misprint = max(over_seeds(runs, "of_the_printed_cases"))
    right.axhline(misprint, color=COLOURS[4], ls="--", label=tr("the misprinted cases", "印错的分情形公式"))
    right.set(xscale="log", yscale="log", xlabel=tr("step $h$", "步长 $h$"), ylabel=tr("largest error", "最大误差"))
    right.legend(loc=(0.03, 0.76))
    return picture


EXPERIMENT = Experiment("L2", for_each_seed(measure_seed), judge, draw)
