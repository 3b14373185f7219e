"""L16: stacks of 2 to 24 layers with residual connections, in both orders of Add & Norm, and without."""

from collections.abc import Sequence
from functools import partial
from statistics import median

import torch
from matplotlib.figure import Figure
from torch.nn import functional as F

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, MARKERS, band, figure, legend_below, tick_at
from attendo.lab.tools.measuring import curve, curve_steps, settled
from attendo.lab.tools.stacks import BLIND, TRAINED, Stack, sequences
from attendo.lab.tools.tuning import train_side

SEEDS = by_size(2, 4, 8)
KNOBS = (
    Knob("steps", by_size(4, 200, 800), 2, 100_000),
    Knob("depths", by_size((1, 2), (2, 24), (2, 6, 24)), 1, 64),
)
KINDS = ("post", "pre", "none")
PAIRS, POINTS = 16, 24  # of a step; of a curve
MOST, FEW = 0.75, 0.25  # of the seeds


def at_the_start(depth: int, kind: str, seed: int) -> tuple[float, float]:
    """Before any step: the norm of the gradient at layer 1, and how alike the positions of a sentence have become."""
    model, batch = Stack(depth, kind, seed), sequences(32, torch.Generator().manual_seed(seed))
    F.cross_entropy(model(batch.source, batch.target_in).flatten(0, 1), batch.target_out.flatten()).backward()
    gradients = [weight.grad.norm() for weight in model.encoder.layers[0].parameters() if weight.grad is not None]
    memory = F.normalize(model.encode(batch.source).detach(), dim=-1)  # [batch, positions, d_model]
    return float(torch.stack(gradients).norm()), float((memory @ memory.transpose(1, 2)).mean())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    depths = sorted(at.wholes("depths"))
    runs = rows_to_fill(seeds, depth=depths, blind=BLIND, step=curve_steps(at.whole("steps"), POINTS))
    for kind in KINDS:
        for depth in depths:
            name = f"{kind}_{depth}"
            side = train_side("L16", name, at, seeds, partial(Stack, depth, kind), sequences, PAIRS)
            side.add_to(runs, name, TRAINED)
            trained = sum(end < TRAINED for end in side.ends()) / len(runs)
            for run, seed, losses in zip(runs, seeds, side.losses.T, strict=True):
                gradient, alike = at_the_start(depth, kind, seed)
                run |= {f"{name}_trained": trained, f"{name}_gradient": gradient, f"{name}_alike": alike}
                run[f"{name}_curve"] = curve(losses, POINTS)
        for run in runs:  # by names that do not depend on the knob
            for what in ("", "_learnt", "_trained", "_gradient", "_alike"):
                for end, depth in (("shallow", depths[0]), ("deep", depths[-1])):
                    run[f"{kind}_{end}{what}"] = run[f"{kind}_{depth}{what}"]
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """A stack is trained when its loss at the end is below TRAINED, and a kind when MOST seeds are; it is not when at
    most FEW are, and have stopped improving. At the greatest depth: both orders with residual connections, and not
    without: holds. Pre-norm alone: only if. Without as well, or neither order: does not hold.
    """
    deepest = f"{row(runs[0], 'depth')[-1]:.0f}"
    found = {}
    for kind in KINDS:
        share = sum(loss < TRAINED for loss in over_seeds(runs, f"{kind}_deep")) / len(runs)
        unclear = FEW < share < MOST or (share <= FEW and not settled(runs, f"{kind}_{deepest}"))
        found[kind] = None if unclear else share >= MOST
    post, pre, none = (found[kind] for kind in KINDS)
    if none or (pre is False and post is False):
        return "does not hold"
    if None in found.values():
        return "undecided"
    return "holds" if post and pre else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (by_depth, by_step) = figure(columns=2)
    kinds = (tr("post-norm", "后归一化"), tr("pre-norm", "前归一化"), tr("no residual", "无残差"))
    depths = row(runs[0], "depth")
    for index, (kind, label) in enumerate(zip(KINDS, kinds, strict=True)):
        ends = [over_seeds(runs, f"{kind}_{depth:.0f}") for depth in depths]
        colour, marker = COLOURS[index], MARKERS[index]
        by_depth.plot(depths, [median(values) for values in ends], "-", color=colour, lw=2)
        for depth, values in zip(depths, ends, strict=True):
            by_depth.plot([depth * 1.04 ** (index - 1)] * len(values), values, marker, color=colour, ms=5, alpha=0.6)
        curves = [row(run, f"{kind}_{depths[-1]:.0f}_curve") for run in runs]
        band(by_step, row(runs[0], "step"), curves, label, index)
    by_depth.set(xscale="log", xlabel=tr("layers", "层数"), ylabel=tr("loss at the end", "最终损失"), ylim=(0, None))
    tick_at(by_depth, depths)
    by_step.set(xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
    by_step.set_title(tr(f"{depths[-1]:.0f} layers", f"{depths[-1]:.0f} 层"))
    legend_below(picture, by_step)
    for axes in (by_depth, by_step):
        axes.axhline(number(runs[0], "blind"), color="grey", ls=":", lw=1)
    return picture


EXPERIMENT = Experiment("L16", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
