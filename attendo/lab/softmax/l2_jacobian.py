"""L2: the Jacobian of softmax is diag(y) - yᵀy."""

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.autograd.functional import jacobian

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure

SEEDS = by_size(2, 8, 8)
KNOBS = (
    Knob("length", by_size(6, 6, 6), 2, 64),
    # From nearly equal probabilities to nearly all for one.
    Knob("scales", by_size((0.1, 1.0, 3.0, 10.0), (0.1, 1.0, 3.0, 10.0), (0.1, 1.0, 3.0, 10.0)), 0.01, 100),
)
DIRECTIONS = by_size(5, 40, 1000)
WRITTEN_OUT = 10  # a matrix of up to that many rows has its numbers in the picture
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


def automatic(x: Tensor) -> Tensor:
    """By PyTorch's automatic differentiation."""
    return jacobian(lambda x: torch.softmax(x, dim=0), x)


def farthest(a: Tensor, b: Tensor) -> float:
    return (a - b).abs().max().item()


def measure_seed(seed: int, at: Settings) -> Numbers:
    generator = torch.Generator().manual_seed(seed)
    directions = torch.randn(DIRECTIONS[at.size], at.whole("length"), generator=generator, dtype=torch.float64)
    inputs = [scale * direction for direction in directions for scale in at.reals("scales")]
    by_autograd = [automatic(x) for x in inputs]
    by_step = [max(farthest(formula(x), finite_differences(x, h)) for x in inputs) for h in STEPS]
    pairs = list(zip(inputs, by_autograd, strict=True))
    return {
        "from_autograd": max(farthest(formula(x), exact) for x, exact in pairs),
        "from_differences": min(by_step),
        "from_differences_by_step": by_step,
        "of_the_printed_cases": max(farthest(printed_cases(x), exact) for x, exact in pairs),
        "largest_column_sum": max(exact.sum(0).abs().max().item() for exact in by_autograd),
        "matrix": automatic(directions[0]).flatten().tolist(),
    }


def judge(runs: Runs) -> Verdict:
    """The same as autograd to rounding, and as finite differences to 1e-6, in every seed; else the formula is wrong."""
    right = max(over_seeds(runs, "from_autograd")) <= EXACT and max(over_seeds(runs, "from_differences")) <= CLOSE
    return "holds" if right else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2, height=4.8)
    matrix, n = row(runs[0], "matrix"), int(number(runs[0], "length"))
    shown = [matrix[i : i + n] for i in range(0, n * n, n)]
    most = max(map(abs, matrix))
    image = left.imshow(shown, cmap="PuOr", vmin=-most, vmax=most)
    if n <= WRITTEN_OUT:
        for i in range(n):
            for j in range(n):
                colour = "white" if abs(shown[i][j]) > most / 2 else "black"
                left.text(j, i, f"{shown[i][j]:.2f}", ha="center", va="center", fontsize=10, color=colour)
        left.set_xticks(range(n), [str(i) for i in range(1, n + 1)])
        left.set_yticks(range(n), [str(i) for i in range(1, n + 1)])
    left.set(xlabel="$x_j$", ylabel="$y_i$", title=r"$\partial y_i / \partial x_j$")
    left.grid(visible=False)
    picture.colorbar(image, ax=left, shrink=0.85)
    for index, run in enumerate(runs):  # each seed by itself: on this scale an interval could reach below 0
        label = tr("the formula, a line a seed", "公式（每个随机种子一条线）") if index == 0 else None
        right.plot(STEPS, row(run, "from_differences_by_step"), "o-", color=COLOURS[0], ms=4, alpha=0.6, label=label)
    misprint = max(over_seeds(runs, "of_the_printed_cases"))
    right.axhline(misprint, color=COLOURS[4], ls="--", lw=2, label=tr("the misprinted line", "讲义中印错的一行"))
    right.set(xscale="log", yscale="log", xlabel=tr("step $h$", "差商的步长 $h$"), ylim=(1e-12, 30))
    right.set_ylabel(tr("largest error", "最大误差"))
    right.legend(loc=(0.03, 0.6))
    return picture


EXPERIMENT = Experiment("L2", for_each_seed(measure_seed), judge, draw, KNOBS, SEEDS)
