"""L26: post-norm and pre-norm, with warmup and without, at several learning rates."""

from collections.abc import Mapping, Sequence
from functools import partial

from matplotlib.figure import Figure

from attendo.lab.chart import band, figure
from attendo.lab.claim import SEEDS, Experiment, Numbers, Runs, Say, Size, Verdict, row
from attendo.lab.layers.residual import BLIND, Stack, sequences
from attendo.lab.statistics import interval
from attendo.lab.toy_training import Budget
from attendo.lab.tuning import train_anew

DEPTH = 6  # layers, as in the paper
RATES: Mapping[Size, Sequence[float]] = {
    "small": (1e-3, 1e-2), "quick": (1e-3, 3e-3, 1e-2), "full": (1e-4, 3e-4, 1e-3, 2e-3, 3e-3, 5e-3, 1e-2, 2e-2),
}  # fmt: skip
STEPS: Mapping[Size, int] = {"small": 2, "quick": 60, "full": 1000}
WARMUP = {"warm": 0.3, "cold": 0.0}  # the share of the steps in which the learning rate rises
CELLS = [(order, start) for order in ("post", "pre") for start in WARMUP]


def measure(seeds: Sequence[int], size: Size) -> list[Numbers]:
    """Each of the four at each rate, from the same weights and with the same batches."""
    rates, steps = RATES[size], STEPS[size]
    runs: list[dict[str, float | Sequence[float]]] = [{"rate": rates, "blind": BLIND} for _ in seeds]
    depth = DEPTH if size != "small" else 1
    for order, start in CELLS:
        budgets = [Budget(steps, 32, rate, WARMUP[start]) for rate in rates]
        trained = [train_anew(partial(Stack, depth, order), sequences, seeds, budget)[1] for budget in budgets]
        for place, run in enumerate(runs):
            last = [float(losses[-max(1, steps // 10) :, place].mean()) for losses in trained]
            run |= {f"{order}_{start}": last, f"{order}_{start}_low": last[0], f"{order}_{start}_high": last[-1]}
            run[f"{order}_{start}_curve"] = trained[-1][:, place].tolist()  # at the highest rate
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Post-norm learns when its loss is below that of a blind guess. Broken: it learns with warmup, not without.

    Broken at no rate: does not hold. At every rate at which warmup learns: holds. At some: only if the rate is high.
    """
    found = {}
    for start in WARMUP:
        found[start] = [interval(losses) for losses in zip(*(row(run, f"post_{start}") for run in runs), strict=True)]
    if any(loss.low <= BLIND <= loss.high for losses in found.values() for loss in losses):
        return "undecided"
    fits = [cold.high < BLIND for warm, cold in zip(found["warm"], found["cold"], strict=True) if warm.high < BLIND]
    if not fits:
        return "undecided"
    if all(fits):
        return "does not hold"
    return "holds only if" if any(fits) else "holds"


def draw(runs: Runs, say: Say) -> Figure:
    drawn, (by_rate, by_step) = figure(columns=2)
    names = {"post": say("post-norm", "后归一化"), "pre": say("pre-norm", "前归一化")}
    starts = {"warm": say("warmup", "有预热"), "cold": say("no warmup", "无预热")}
    for place, (order, start) in enumerate(CELLS):
        label = say(f"{names[order]}, {starts[start]}", f"{names[order]}，{starts[start]}")
        band(by_rate, row(runs[0], "rate"), [row(run, f"{order}_{start}") for run in runs], label, place)
        curves = [row(run, f"{order}_{start}_curve") for run in runs]
        steps = [float(step) for step in range(1, len(curves[0]) + 1)]
        band(by_step, steps, curves, label, place, markevery=10)
    for axes in (by_rate, by_step):
        axes.axhline(BLIND, color="grey", ls=":", lw=1)
    by_rate.set(xscale="log", xlabel=say("peak learning rate", "学习率峰值"), ylabel=say("loss at the end", "最终损失"))
    by_step.set(xlabel=say("step, at the highest rate", "训练步数（最高学习率）"), ylabel=say("loss", "损失"))
    by_rate.legend(fontsize=8)
    return drawn


EXPERIMENT = Experiment("L26", "C", measure, judge, draw, SEEDS)
