"""L58: the length of a sinusoidal encoding, position by position, against other ways to write a position down."""

import math
from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import ONE_SEED, Experiment, Numbers, Runs, Tr, Verdict, number, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.model.positions import sinusoidal_encoding

KNOBS = (
    Knob("positions", by_size(100, 10_000, 10_000), 2, 1_000_000),
    Knob("d_model", by_size(16, 512, 512), 2, 2048),
)
EQUAL = 1e-6  # relative to the length
POINTS = 40  # of the picture


def counted(positions: Tensor) -> Tensor:
    """The position itself, as a vector of one number, with the last position as 1: [positions]."""
    return positions / positions[-1]


def in_bits(positions: Tensor) -> Tensor:
    """As a binary number: the length of the vector of its bits, relative to all bits being 1: [positions]."""
    bits = max(1, int(positions[-1].item()).bit_length())
    digits = (positions.long()[:, None] >> torch.arange(bits)) & 1
    return (digits.sum(1).double() / bits).sqrt()


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    d_model = 2 * (at.whole("d_model") // 2)  # sines and cosines come in pairs
    positions = torch.arange(at.whole("positions"), dtype=torch.float64)
    lengths = torch.cat(
        [sinusoidal_encoding(part[None], d_model, torch.float64)[0].norm(dim=1) for part in positions.split(10_000)]
    )
    every = max(1, len(positions) // POINTS)
    numbers: Numbers = {
        "width": d_model,
        "expected": math.sqrt(d_model / 2),
        "shortest": lengths.min().item(),
        "longest": lengths.max().item(),
        "spread": ((lengths.max() - lengths.min()) / lengths.mean()).item(),
        "position": positions[::every].tolist(),
        "sinusoidal": (lengths / math.sqrt(d_model / 2))[::every].tolist(),
        "counted": counted(positions)[::every].tolist(),
        "bits": in_bits(positions)[::every].tolist(),
    }
    return [numbers for _ in seeds]


def judge(runs: Runs) -> Verdict:
    """Given equal importance if all are equally long, to EQUAL: holds; else it does not."""
    return "holds" if number(runs[0], "spread") < EQUAL else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=8.5)
    names = {
        "sinusoidal": tr("sinusoidal", "正弦位置编码"), "counted": tr("the number itself", "位置编号本身"),
        "bits": tr("its bits", "二进制各位"),
    }  # fmt: skip
    for index, (name, label) in enumerate(names.items()):
        width = 3.0 if name == "sinusoidal" else 1.5
        axes.plot(row(runs[0], "position"), row(runs[0], name), "-", color=COLOURS[index], lw=width, label=label)
    axes.set(
        xlabel=tr("position", "位置"),
        ylabel=tr("length of the encoding (relative)", "编码的长度（相对值）"),
        ylim=(0, 1.15),
    )
    axes.legend(loc="lower right")
    return picture


EXPERIMENT = Experiment("L58", measure, judge, draw, KNOBS, ONE_SEED)
