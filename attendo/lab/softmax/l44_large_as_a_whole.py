"""L44: inputs of softmax that are large as a whole, against inputs that are far apart."""

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.measuring import interval

SEEDS = by_size(2, 16, 16)
# Up to so much that even two inputs which happen to be nearly the same are far apart once they are multiplied.
SIZES = (1.0, 10.0, 100.0, 1e3, 1e4, 1e5)
KNOBS = (
    Knob("sizes", by_size((1.0, 1e5), SIZES, SIZES), 0.001, 1e9),
    Knob("inputs", by_size(8, 8, 8), 2, 1000),
)
NEAR_1 = 0.99
SAME = 1e-6
EXAMPLE = (1000.0, 1000.1, 1000.2)


def largest(x: Tensor) -> float:
    """The largest of the probabilities."""
    return torch.softmax(x, dim=0).max().item()


def as_written(x: Tensor) -> Tensor:
    """e^x / Σ e^x with nothing taken away beforehand, in float32."""
    e = x.float().exp()
    return e / e.sum()


@for_each_seed
def measure(seed: int, at: Settings) -> Numbers:
    """Normal numbers, made large in two ways: so much is added to all, or all are multiplied by it."""
    x = torch.randn(at.whole("inputs"), dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    sizes = sorted(at.reals("sizes"))
    example = torch.softmax(torch.tensor(EXAMPLE, dtype=torch.float64), dim=0).tolist()
    added, times = ([largest(made) for made in many] for many in ([x + c for c in sizes], [c * x for c in sizes]))
    return {
        "tried": sizes,
        "most": sizes[-1],
        "plain": largest(x),
        "added": added,
        "times": times,
        "added_most": added[-1],
        "times_most": times[-1],
        "change": max(abs(each - largest(x)) for each in added),
        "example_1": example[0],
        "example_2": example[1],
        "example_3": example[2],
        "overflows": float(not as_written(torch.tensor(EXAMPLE)).isfinite().all()),
    }


def judge(runs: Runs) -> Verdict:
    """At the largest size: does the largest probability come to NEAR_1 when so much is added to every input, and when
    every input is multiplied by it?

    When it is added: holds. Only when multiplied, while adding changes nothing (less than SAME): only if the
    differences grow with the inputs. In neither case: does not hold.
    """
    added, times = (interval(over_seeds(runs, name)) for name in ("added_most", "times_most"))
    if added.low > NEAR_1:
        return "holds"
    nothing_changes = max(over_seeds(runs, "change")) < SAME
    if times.low > NEAR_1 and nothing_changes:
        return "holds only if"
    return "does not hold" if times.high < NEAR_1 and added.high < NEAR_1 else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=8.0)
    labels = {
        "added": tr("added to every input", "每个输入都加上它"),
        "times": tr("every input times it", "每个输入都乘以它"),
    }
    for index, (name, label) in enumerate(labels.items()):
        band(axes, row(runs[0], "tried"), [row(run, name) for run in runs], label, index, lw=2.5)
    axes.set(
        xscale="log", ylim=(0, 1.05), xlabel=tr("size", "数值大小"), ylabel=tr("largest probability", "最大的概率")
    )
    axes.legend(loc="center right")
    return picture


EXPERIMENT = Experiment("L44", measure, judge, draw, KNOBS, SEEDS)
