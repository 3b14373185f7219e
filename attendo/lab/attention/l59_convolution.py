"""L59: heads that look at fixed offsets, against a convolution: an exact construction, and what it says of a head."""

import math

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional as F

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, for_each_seed, number, over_seeds, row
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure
from attendo.model.attention import dot_product_attention

SEEDS = by_size(2, 8, 16)
KNOBS = (Knob("taps", by_size(3, 5, 5), 2, 15), Knob("channels", by_size(4, 8, 8), 1, 64))
LENGTH = 16  # positions, in a circle; more than there may be taps
SHARPNESS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)  # β: how strongly a head prefers its offset
ROUNDING = 1e-12
REAL = 0.01


def offsets_of(taps: int) -> list[int]:
    """The places that a convolution of so many taps sees: 5 -> -2 -1 0 1 2"""
    return [tap - (taps - 1) // 2 for tap in range(taps)]


def convolution(x: Tensor, kernel: Tensor) -> Tensor:
    """PyTorch's, in a circle: x [length, channels], kernel [out, channels, taps] -> [length, out]."""
    left, right = (kernel.shape[2] - 1) // 2, kernel.shape[2] // 2
    padded = F.pad(x.T[None], (left, right), mode="circular")
    return F.conv1d(padded, kernel)[0].T


def head_of_a_tap(x: Tensor, offset: int, own: Tensor, sharpness: float) -> Tensor:
    """One head of ordinary attention, whose input is the content and, beside it, the position as 0 … 0 1 0 … 0.

    W_Q takes the position and moves it by the offset, W_K takes it as it is, both read no content: the score is β where
    j = i + offset and 0 elsewhere. W_V W_O takes the content and multiplies it by the kernel's slice of this tap.
    """
    length, channels = x.shape
    place = torch.eye(length, dtype=x.dtype)
    given = torch.cat((x, place), dim=-1)  # [length, channels + length]
    scale = sharpness * math.sqrt(length)  # attention divides by √d_k, here √length
    w_q = torch.cat((torch.zeros(channels, length, dtype=x.dtype), scale * place.roll(offset, dims=1)))
    w_k = torch.cat((torch.zeros(channels, length, dtype=x.dtype), place))
    w_v = torch.cat((own.T, torch.zeros(length, len(own), dtype=x.dtype)))
    q, k, v = ((given @ matrix)[None, None] for matrix in (w_q, w_k, w_v))
    return dot_product_attention(q, k, v)[0][0, 0]


def as_heads(x: Tensor, kernel: Tensor, sharpness: float, heads: int | None = None) -> Tensor:
    """A head for each tap, or for the first few of them; what they give is added up, as W_O does."""
    offsets = offsets_of(kernel.shape[2])[:heads]
    return torch.stack(
        [head_of_a_tap(x, offset, kernel[:, :, tap], sharpness) for tap, offset in enumerate(offsets)]
    ).sum(0)


def relative(one: Tensor, other: Tensor) -> float:
    return float((one - other).norm() / other.norm())


def best_of_few(x: Tensor, kernel: Tensor, heads: int) -> float:
    """The least error that this many fixed offsets allow, whatever their slices: the best fit by least squares."""
    right = convolution(x, kernel)
    errors = []
    for first in range(kernel.shape[2] - heads + 1):  # offsets side by side
        seen = torch.cat([x.roll(-offset, dims=0) for offset in offsets_of(kernel.shape[2])[first : first + heads]], 1)
        errors.append(relative(seen @ torch.linalg.lstsq(seen, right).solution, right))
    return min(errors)


def columns_read(taps: int, channels: int, generator: torch.Generator) -> tuple[float, float]:
    """How many columns of the input one head depends on, and one channel of a depthwise convolution."""
    x = torch.randn(LENGTH, channels, dtype=torch.float64, generator=generator, requires_grad=True)
    kernel = torch.randn(channels, channels, taps, dtype=torch.float64, generator=generator)
    head = head_of_a_tap(x, 1, kernel[:, :, 0], 50.0)[:, 0]
    depthwise = F.conv1d(x.T[None], kernel[:, :1], groups=channels)[0, 0]
    read = [torch.autograd.grad(output.sum(), x)[0].abs().sum(0) for output in (head, depthwise)]
    return float((read[0] > 0).sum()), float((read[1] > 0).sum())


def moves_with_content(channels: int, generator: torch.Generator) -> tuple[float, float]:
    """Two inputs: how much of its weight an ordinary head gives elsewhere (0: all looks stay, 1: none does), and a head
    that reads positions alone, whose looks stay."""
    w_q, w_k = torch.randn(2, channels, channels, dtype=torch.float64, generator=generator) / math.sqrt(channels)
    inputs = torch.randn(2, LENGTH, channels, dtype=torch.float64, generator=generator)
    first, second = (dot_product_attention(x @ w_q, x @ w_k, x)[1] for x in inputs[:, None, None])
    place = torch.eye(LENGTH, dtype=torch.float64)[None, None]
    fixed = [dot_product_attention(place.roll(1, dims=3), place, x)[1] for x in inputs[:, None, None]]
    distances = [
        float((one - other).abs().sum(-1).mean() / 2) for one, other in ((first, second), (fixed[0], fixed[1]))
    ]
    return distances[0], distances[1]


def measure_seed(seed: int, at: Settings) -> Numbers:
    generator = torch.Generator().manual_seed(seed)
    taps, channels = at.whole("taps"), at.whole("channels")
    # As many positions as there are unknowns would let least squares fit anything: this input is longer.
    x = torch.randn(LENGTH, channels, dtype=torch.float64, generator=generator)
    long = torch.randn(4 * taps * channels + LENGTH, channels, dtype=torch.float64, generator=generator)
    kernel = torch.randn(channels, channels, taps, dtype=torch.float64, generator=generator)
    right = convolution(x, kernel)
    by_sharpness = [relative(as_heads(x, kernel, sharpness), right) for sharpness in SHARPNESS]
    by_heads = [best_of_few(long, kernel, heads) for heads in range(1, taps + 1)]
    head_columns, depthwise_columns = columns_read(taps, channels, generator)
    moves, fixed_moves = moves_with_content(channels, generator)
    return {
        "sharpness": list(SHARPNESS), "error_by_sharpness": by_sharpness, "error": by_sharpness[-1],
        "heads": [float(heads) for heads in range(1, taps + 1)], "error_by_heads": by_heads, "one_less": by_heads[-2],
        "head_columns": head_columns, "depthwise_columns": depthwise_columns,
        "moves": moves, "fixed_moves": fixed_moves,
    }  # fmt: skip


def judge(runs: Runs) -> Verdict:
    """K heads at fixed offsets are not the convolution of K taps, to rounding: does not hold. They are: holds if the
    weights of ordinary heads do not change with the content either, and a head reads as few columns as a channel of a
    depthwise convolution; only if the offsets are fixed, where they do or where it reads more."""
    if max(over_seeds(runs, "error")) > ROUNDING:
        return "does not hold"
    alike = max(over_seeds(runs, "head_columns")) == max(over_seeds(runs, "depthwise_columns"))
    moves = min(over_seeds(runs, "moves"))
    if alike and moves <= ROUNDING:
        return "holds"
    return "holds only if" if moves > REAL or not alike else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2)
    taps = number(runs[0], "taps")
    band(left, row(runs[0], "heads"), [row(run, "error_by_heads") for run in runs], "", 0)
    left.set(
        xlabel=tr("heads at fixed offsets", "固定偏移的头数"),
        ylabel=tr("error against the convolution", "与卷积的相对误差"),
        title=tr(f"convolution of {taps:.0f} taps", f"宽度为 {taps:.0f} 的卷积"),
        ylim=(-0.05, 1.05),
    )
    left.set_xticks(row(runs[0], "heads"))
    values = torch.tensor([row(run, "error_by_sharpness") for run in runs]).log().mean(0).exp().tolist()
    right.plot(row(runs[0], "sharpness"), values, "o-", color=COLOURS[4], ms=8, lw=2)
    right.set(
        yscale="log", xlabel=tr("sharpness $\\beta$ of the scores", "分数 $\\beta$"),
        title=tr(f"{taps:.0f} heads", f"{taps:.0f} 个头"),
    )  # fmt: skip
    return picture


EXPERIMENT = Experiment("L59", for_each_seed(measure_seed), judge, draw, KNOBS, SEEDS)
