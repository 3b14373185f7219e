"""L51: a fully connected layer as a map: is it linear, and can it do more than scale and shift?"""

import math
from collections.abc import Callable, Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure

SEEDS = by_size(2, 8, 16)
KNOBS = (Knob("width", by_size(16, 512, 512), 2, 4096),)
SHARES = [i / 20 for i in range(21)]  # of the second input in a mixture
INPUTS = 200
ROUNDING = 1e-12  # below this a relative error in double precision is rounding
REAL = 0.01  # above this a departure from a straight line is no rounding but a curve
ANGLE = math.pi / 5  # by which the matrix of the picture turns a square


def from_a_line(f: Callable[[Tensor], Tensor], x: Tensor, y: Tensor) -> list[float]:
    """At each mixture of x and y: how far f is from the same mixture of f(x) and f(y), as a share of that."""
    found = []
    for t in SHARES:
        line = (1 - t) * f(x) + t * f(y)
        off = (f((1 - t) * x + t * y) - line).norm()
        found.append(float(off / line.norm()) if off > 0 else 0.0)  # a ReLU may give nothing but zeros
    return found


def explained_by_columns(x: Tensor, y: Tensor) -> float:
    """Of what y varies, the share that y_j = a_j x_j + b_j explains with the best a and b: scaling and shifting."""
    x, y = x - x.mean(0), y - y.mean(0)
    slope = (x * y).sum(0) / (x * x).sum(0)
    return float(1 - (y - slope * x).square().sum() / y.square().sum())


@torch.no_grad()
def measure_seed(seed: int, at: Settings) -> Numbers:
    torch.manual_seed(seed)
    width = at.whole("width")
    linear = nn.Linear(width, width).double()  # with a bias, as W_O has one here
    x, y = torch.randn(2, width, dtype=torch.float64)
    inputs = torch.randn(INPUTS, width, dtype=torch.float64)
    lines = {"linear": from_a_line(linear, x, y), "relu": from_a_line(lambda x: linear(x).relu(), x, y)}
    zero = linear(torch.zeros(width, dtype=torch.float64))

    def without_bias(x: Tensor) -> Tensor:
        return linear(x) - zero

    additive = (without_bias(x + y) - without_bias(x) - without_bias(y)).norm() / without_bias(x + y).norm()
    return {
        "additive": float(additive),
        "linear_curve": lines["linear"],
        "relu_curve": lines["relu"],
        "linear_most": max(lines["linear"]),
        "relu_most": max(lines["relu"]),
        "explained": explained_by_columns(inputs, linear(inputs)),
    }


def judge(runs: Runs) -> Verdict:
    """The layer is non-linear (holds) if between two inputs it departs from a straight line by more than REAL in every
    seed. If it stays on the line to rounding, it is linear up to its bias: does not hold. Between: undecided."""
    most = over_seeds(runs, "linear_most")
    if max(most) <= ROUNDING:
        return "does not hold"
    return "holds" if min(most) > REAL else "undecided"


def square() -> Tensor:
    """The corners of a square, with a mark at one of them: [points, 2]."""
    return torch.tensor([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2)
    labels = {"relu": tr("with ReLU behind it", "后面加 ReLU"), "linear": tr("Linear alone", "只有 Linear 层")}
    for index, (name, label) in enumerate(labels.items()):
        band(left, SHARES, [row(run, f"{name}_curve") for run in runs], label, 4 * (1 - index))
    left.set(
        xlabel=tr("share $t$ of the second input", "第二个输入所占的比例 $t$"),
        ylabel=tr("distance from a straight line", "与直线的相对距离"),
    )
    left.legend(loc="center")
    turn = torch.tensor([[math.cos(ANGLE), -math.sin(ANGLE)], [math.sin(ANGLE), math.cos(ANGLE)]])
    shear = torch.tensor([[1.0, 0.7], [0.0, 1.0]])
    shapes: Sequence[tuple[str, Tensor]] = [
        (tr("a square", "正方形"), square()),
        (tr("turned", "旋转"), square() @ turn.T),
        (tr("sheared", "错切"), square() @ shear.T),
    ]
    for index, (label, corners) in enumerate(shapes):
        right.plot(*corners.T.tolist(), color=COLOURS[(6, 0, 2)[index]], lw=2.5, label=label)
    right.set(aspect="equal", title=tr("two linear maps", "两个线性变换"), xlim=(-0.8, 2.6), ylim=(-0.4, 1.8))
    right.legend(loc="center right")
    return picture


EXPERIMENT = Experiment("L51", for_each_seed(measure_seed), judge, draw, KNOBS, SEEDS)
