"""L36: what one output sees of the input: attention, a convolution, an RNN, an LSTM; and whether the weights depend."""

import math

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.errors import UsageError
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, bars, figure
from attendo.lab.tools.measuring import interval
from attendo.model.config import Cell
from attendo.model.initialization import initialize_gates_
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.recurrence import CELLS

SEEDS = by_size(2, 8, 8)
KNOBS = (Knob("length", by_size(21, 41, 101), 5, 301), Knob("kernel", by_size(5, 5, 5), 1, 101))
RECURRENT: tuple[Cell, ...] = ("rnn", "lstm")
D, HEADS = 16, 4
SEES = 1e-9  # of the largest influence; less is rounding
DEPENDS = 0.01  # of the whole Jacobian: one part in a hundred


class SelfAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(D, HEADS)

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, x)


class Convolution(nn.Module):
    """So many neighbours, itself in the middle; several layers with ReLU between."""

    def __init__(self, kernel: int, layers: int = 1) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv1d(D, D, kernel, padding=kernel // 2) for _ in range(layers))

    def forward(self, x: Tensor) -> Tensor:
        x = x.transpose(1, 2)  # [batch, D, length], as convolutions want it
        for number, layer in enumerate(self.layers):
            x = layer(x.relu() if number else x)
        return x.transpose(1, 2)


class Recurrence(nn.Module):
    """Started as recurrent models are: orthogonal recurrent weights, and in an LSTM an open forget gate."""

    def __init__(self, cell: Cell) -> None:
        super().__init__()
        self.layer = CELLS[cell](D, D)
        initialize_gates_(self.layer)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer.run(x)


def jacobian(layer: nn.Module, x: Tensor) -> Tensor:
    """∂y_t / ∂x_s of the position t in the middle, for all s: [D, length, D]."""
    middle = x.shape[0] // 2
    return torch.autograd.functional.jacobian(lambda x: layer(x[None])[0, middle], x)


def influence(derivative: Tensor) -> Tensor:
    """‖∂y_t / ∂x_s‖ for each s, as a share of the largest: [length]."""
    size = derivative.pow(2).sum((0, 2)).sqrt()
    return size / size.max()


def measure_one(seed: int, at: Settings) -> Numbers:
    torch.manual_seed(seed)
    length, kernel = at.whole("length"), at.whole("kernel")
    if not kernel % 2 or kernel > length:
        raise UsageError(f"kernel={kernel} cannot be: expected an odd number, no larger than length={length}")
    first, second = torch.randn(2, length, D, dtype=torch.float64)
    numbers: dict[str, float | list[float]] = {}
    layers: dict[str, nn.Module] = {"attention": SelfAttention(), "convolution": Convolution(kernel)}
    layers |= {cell: Recurrence(cell) for cell in RECURRENT}
    for name, layer in layers.items():
        here, there = (jacobian(layer.double(), x) for x in (first, second))
        seen = influence(here)
        numbers[f"seen_{name}"] = float((seen > SEES).sum())
        numbers[f"depends_{name}"] = ((here - there).norm() / here.norm()).item()
        numbers[f"influence_{name}"] = seen.tolist()
    middle = length // 2
    numbers["before"] = middle
    for cell in RECURRENT:
        seen = torch.tensor(numbers[f"influence_{cell}"])
        numbers[f"{cell}_future"] = float((seen[middle + 1 :] > SEES).sum())
        numbers[f"{cell}_10_back"] = (seen[max(0, middle - 10)] / seen[middle]).item()
        numbers[f"{cell}_first"] = (seen[0] / seen[middle]).item()
    attention = torch.tensor(numbers["influence_attention"])
    numbers["attention_far_to_near"] = (attention[:5].mean() / attention[middle - 5 : middle].mean()).item()
    for depth in (2, 4):
        stack = Convolution(kernel, depth).double()
        numbers[f"seen_{depth}_layers"] = float((influence(jacobian(stack, first)) > SEES).sum())
    return numbers


def judge(runs: Runs) -> Verdict:
    """Attention: every position counts, and another input changes its Jacobian by more than 1 %. Convolution: exactly
    the positions of its kernel, and the same Jacobian for every input. Chance enters the change by the input alone."""
    attention_sees = all(run["seen_attention"] == run["length"] for run in runs)
    convolution_sees = all(run["seen_convolution"] == run["kernel"] for run in runs)
    if not attention_sees or not convolution_sees or max(over_seeds(runs, "depends_convolution")) > SEES:
        return "does not hold"
    change = interval(over_seeds(runs, "depends_attention"))
    if change.low > DEPENDS:
        return "holds"
    return "does not hold" if change.high < DEPENDS else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2)
    names = {"attention": tr("attention", "注意力"), "convolution": tr("convolution", "卷积")}
    names |= {"rnn": "RNN", "lstm": "LSTM"}
    at = [index - len(row(runs[0], "influence_lstm")) // 2 for index in range(len(row(runs[0], "influence_lstm")))]
    for index, (name, label) in enumerate(names.items()):  # in logarithms, so that the spread is of factors
        band(
            left, at, [[math.log10(max(x, 1e-12)) for x in row(run, f"influence_{name}")] for run in runs], label, index
        )
    left.set(xlabel=tr("place of the input, from the output's", "输入相对于输出的位置"), ylim=(-6, 0.3))
    left.set_yticks(range(-6, 1), [f"$10^{{{power}}}$" for power in range(-6, 1)])
    left.set_title(tr("influence on the middle (1 = largest)", "对正中间输出的影响（最大为 1）"))
    left.legend(loc="lower right")
    bars(right, list(names.values()), [over_seeds(runs, f"depends_{name}") for name in names])
    right.set_title(tr("change of the derivatives with another input", "换一个输入时导数的相对变化"))
    return picture


EXPERIMENT = Experiment("L36", for_each_seed(measure_one), judge, draw, KNOBS, SEEDS)
