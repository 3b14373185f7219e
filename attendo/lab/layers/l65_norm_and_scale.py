"""L65: what the scale, the shift and the noise of one sentence change behind LayerNorm, BatchNorm and no norm."""

from collections.abc import Callable, Sequence
from typing import get_args

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, MARKERS, figure, tick_at
from attendo.lab.tools.measuring import interval
from attendo.model.config import LayerConfig, NormOrder
from attendo.model.encoder import Encoder
from attendo.model.norms import LayerNorm
from attendo.model.parts import Parts

SEEDS = by_size(2, 8, 8)
KNOBS = (
    Knob("factors", by_size((0.1, 10.0), (0.1, 0.5, 2.0, 10.0), (0.1, 0.5, 2.0, 10.0)), 1e-3, 1e3),
    Knob("noise", by_size(0.1, 0.1, 0.1), 1e-3, 10),
)
SENTENCES, LENGTH, D_MODEL = 8, 10, 64
NORMS = ("layer", "batch", "none")
ROUNDING, SEEN = 1e-12, 1e-3
LAYERS = 2


def no_norm(config: LayerConfig) -> nn.Module:
    return nn.Identity()


def apply_norm(name: str, x: Tensor) -> Tensor:
    """x [sentences, length, d_model] through the equation of the norm: ε is there to avoid 0 / 0, and is 0 here."""
    if name == "layer":
        return LayerNorm(D_MODEL, eps=0.0).double()(x)
    if name == "batch":  # the mean and variance of each column, over all tokens of the batch
        var, mean = torch.var_mean(x, dim=(0, 1), correction=0)
        return (x - mean) / var.sqrt()
    return x


def change(before: Tensor, after: Tensor) -> float:
    """Of one sentence, relative to its size."""
    return float((after - before).norm() / before.norm())


def changed_first(x: Tensor, how: Callable[[Tensor], Tensor]) -> Tensor:
    """The first sentence of the batch is another one."""
    return torch.cat((how(x[:1]), x[1:]))


def stack(norm: Callable[[LayerConfig], nn.Module] | None, order: NormOrder, seed: int) -> Encoder:
    torch.manual_seed(seed)
    config = LayerConfig(vocab_size=4, d_model=D_MODEL, d_ff=128, num_heads=4, dropout=0.0, norm_order=order)
    return Encoder(config, LAYERS, Parts(norm=norm) if norm else Parts()).double()


@torch.no_grad()
def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds)
    for run, seed in zip(runs, seeds, strict=True):
        generator = torch.Generator().manual_seed(seed)
        x, noise = torch.randn(2, SENTENCES, LENGTH, D_MODEL, dtype=torch.float64, generator=generator)
        noisy = changed_first(x, lambda one, noise=noise: one + at.real("noise") * noise[:1])  # type: ignore[misc]
        for name in NORMS:
            before = apply_norm(name, x)[:1]
            scaled = [
                change(before, apply_norm(name, changed_first(x, lambda one, c=c: c * one))[:1])  # type: ignore[misc]
                for c in at.reals("factors")
            ]
            whole = [change(before, apply_norm(name, c * x)[:1]) for c in at.reals("factors")]
            shifted = change(before, apply_norm(name, changed_first(x, lambda one: one + 3))[:1])
            run |= {f"{name}_scale": scaled, f"{name}_scale_most": max(scaled), f"{name}_whole_most": max(whole)}
            run |= {f"{name}_shift": shifted, f"{name}_noise": change(before, apply_norm(name, noisy)[:1])}
        stacks = {order: stack(None, order, seed) for order in get_args(NormOrder)}
        for name, encoder in (*stacks.items(), ("bare", stack(no_norm, "post", seed))):
            found = [change(encoder(x[:1]), encoder(c * x[:1])) for c in at.reals("factors")]
            run |= {f"stack_{name}": found, f"stack_{name}_most": max(found)}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """LayerNorm: neither scale nor shift of a sentence changes anything (ROUNDING), in every seed, or it does not hold.
    Noise, too, comes out less than half as large: holds. If not: only if the change is one of scale or shift.
    Undecided where the interval straddles that half, or where these changes are none for the other norms either."""
    untouched = max(*over_seeds(runs, "layer_scale_most"), *over_seeds(runs, "layer_shift"))
    others = [over_seeds(runs, f"{name}_{what}") for name in ("batch", "none") for what in ("scale_most", "shift")]
    if untouched > ROUNDING:
        return "does not hold"
    damped = interval([value / number(runs[0], "noise") for value in over_seeds(runs, "layer_noise")])
    if damped.low <= 0.5 <= damped.high or min(min(values) for values in others) < SEEN:
        return "undecided"
    return "holds" if damped.high < 0.5 else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2, width=5.8)
    factors = row(runs[0], "factors")
    names = {"layer": "LayerNorm", "batch": "BatchNorm", "none": tr("no norm", "无归一化")}
    for index, (name, label) in enumerate(names.items()):
        means = [interval(values).mean for values in zip(*(row(run, f"{name}_scale") for run in runs), strict=True)]
        # What is 0 to the last digit stands at the foot of the picture.
        left.plot(
            factors, [max(mean, 1e-16) for mean in means], f"{MARKERS[index]}-", color=COLOURS[index], label=label
        )
    left.set(xscale="log", yscale="log", ylim=(1e-17, 100), xlabel=tr("factor of one sentence", "一个句子乘以的倍数"))
    left.set(ylabel=tr("relative change behind the norm", "归一化之后的相对变化"))
    tick_at(left, factors)
    left.legend(loc="center")
    for index, (name, label) in enumerate(names.items()):
        values = [over_seeds(runs, f"{name}_{what}") for what in ("scale_most", "shift", "noise")]
        places = [place + 0.27 * (index - 1) for place in range(3)]
        right.bar(places, [interval(one).mean for one in values], width=0.25, color=COLOURS[index], label=label)
    kinds = (tr("scale", "缩放"), tr("shift", "平移"), tr("noise", "噪声"))
    right.set_xticks(range(3), kinds)
    right.set(ylabel=tr("relative change", "相对变化"), yscale="symlog", ylim=(0, 100))
    right.set_yscale("symlog", linthresh=0.1)
    return picture


EXPERIMENT = Experiment("L65", measure, judge, draw, KNOBS, SEEDS)
