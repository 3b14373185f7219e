"""L12: attention is linear in V; is it linear in its input?"""

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, number, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure
from attendo.model.attention import dot_product_attention
from attendo.model.multi_head import MultiHeadAttention

SEEDS = by_size(2, 8, 8)
KNOBS = (
    Knob("positions", by_size(10, 10, 10), 1, 512),
    Knob("scale", by_size(1.0, 1.0, 1.0), 0.001, 100),  # of the inputs, whose components have variance 1 before
)
HEADS, D_K = 4, 16
SHARES = [i / 20 for i in range(21)]  # of the second input in the mixture
ROUNDING = 1e-12  # below this a relative error in double precision is rounding
REAL = 0.01  # above this a departure from linearity is no rounding but a curve


def relative_error(mapped: Tensor, expected: Tensor) -> float:
    """How far from what a linear map would give, as a share of that."""
    return ((mapped - expected).norm() / expected.norm()).item()


def measure_seed(seed: int, at: Settings) -> Numbers:
    torch.manual_seed(seed)
    n, scale = at.whole("positions"), at.real("scale")
    q, k, v, w = (scale * torch.randn(4, 1, HEADS, n, D_K, dtype=torch.float64)).unbind()
    layer = MultiHeadAttention(HEADS * D_K, HEADS, bias=False).double()
    x, y = (scale * torch.randn(2, 1, n, HEADS * D_K, dtype=torch.float64)).unbind()

    def of_values(values: Tensor) -> Tensor:
        """Attention as a function of V alone: Q and K, and so the weights, stay."""
        return dot_product_attention(q, k, values)[0]

    def of_input(x: Tensor) -> Tensor:
        """Self-attention as a function of X, from which Q, K and V all come."""
        return layer(x, x)

    with torch.no_grad():
        mixed_values = [(1 - t) * v + t * w for t in SHARES]
        mixed_inputs = [(1 - t) * x + t * y for t in SHARES]
        lines_v = [(1 - t) * of_values(v) + t * of_values(w) for t in SHARES]
        lines_x = [(1 - t) * of_input(x) + t * of_input(y) for t in SHARES]
        return {
            "additive_in_v": relative_error(of_values(v + w), of_values(v) + of_values(w)),
            "homogeneous_in_v": relative_error(of_values(-3 * v), -3 * of_values(v)),
            "additive_in_x": relative_error(of_input(x + y), of_input(x) + of_input(y)),
            "homogeneous_in_x": relative_error(of_input(-3 * x), -3 * of_input(x)),
            "mixtures_of_v": [
                relative_error(of_values(m), line) for m, line in zip(mixed_values, lines_v, strict=True)
            ],
            "mixtures_of_x": [relative_error(of_input(m), line) for m, line in zip(mixed_inputs, lines_x, strict=True)],
        }


def judge(runs: Runs) -> Verdict:
    """The notes conclude: attention only averages V, so it is linear. f(x + y) = f(x) + f(y) and f(-3x) = -3 f(x).

    If a layer is linear in its input X, to rounding, in every seed, the conclusion is true and the claim holds. If it
    is clearly not, the conclusion is false, and with it the claim, be the reason true or not. Between: undecided.
    """
    worst = [max(number(run, "additive_in_x"), number(run, "homogeneous_in_x")) for run in runs]
    if max(worst) <= ROUNDING:
        return "holds"
    return "does not hold" if min(worst) > REAL else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=8.0)
    x = [row(run, "mixtures_of_x") for run in runs]
    v = [row(run, "mixtures_of_v") for run in runs]
    band(axes, SHARES, x, tr("a mixture of two inputs X", "混合两个输入 X"), 4)
    band(axes, SHARES, v, tr("a mixture of two V, weights fixed", "混合两个 V，权重不变"), 0)
    axes.axhline(0, color=COLOURS[6], lw=0.6)
    axes.set(
        xlabel=tr("share $t$ of the second", "第二个所占的比例 $t$"),
        ylabel=tr("distance from a straight line", "与直线的相对距离"),
    )
    axes.legend(loc="center")
    return picture


EXPERIMENT = Experiment("L12", for_each_seed(measure_seed), judge, draw, KNOBS, SEEDS)
