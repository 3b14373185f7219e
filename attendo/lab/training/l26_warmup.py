"""L26: post-norm and pre-norm, with warmup and without, at several learning rates."""

from collections.abc import Sequence
from functools import partial

from matplotlib.figure import Figure

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, row, rows_to_fill
from attendo.lab.knobs import Settings, by_size
from attendo.lab.layers.l16_residual import BLIND, Stack, sequences
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.measuring import CHANCE, at_the_end, fisher
from attendo.lab.tools.toy_training import Budget
from attendo.lab.tools.tuning import train_anew

SEEDS = by_size(2, 6, 8)
DEPTH = 6  # layers, as in the paper
RATES = by_size((1e-3, 1e-2), (1e-3, 1e-2), (1e-4, 3e-4, 1e-3, 2e-3, 3e-3, 5e-3, 1e-2, 2e-2))
STEPS = by_size(2, 60, 1000)
WARMUP = {"warm": 0.3, "cold": 0.0}  # the share of the steps in which the learning rate rises
CELLS = [(order, start) for order in ("post", "pre") for start in WARMUP]


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """Each of the four at each rate, from the same weights and with the same batches."""
    rates, steps = RATES[at.size], STEPS[at.size]
    runs = rows_to_fill(seeds, rate=rates, blind=BLIND)
    depth = DEPTH if at.size != "small" else 1
    for order, start in CELLS:
        budgets = [Budget(steps, 32, rate, WARMUP[start]) for rate in rates]
        trained = [losses for _, losses in train_anew(partial(Stack, depth, order), sequences, seeds, budgets)]
        ends = trained[-1][-max(1, steps // 10) :].mean(0)  # of all seeds, at the highest rate
        for index, run in enumerate(runs):
            last = [at_the_end(losses[:, index]) for losses in trained]
            run |= {f"{order}_{start}": last, f"{order}_{start}_low": last[0], f"{order}_{start}_high": last[-1]}
            run[f"{order}_{start}_failed"] = float((ends >= BLIND).float().mean())
            run[f"{order}_{start}_curve"] = trained[-1][:, index].tolist()  # at the highest rate
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """A seed fails when its loss in post-norm stays above that of a blind guess. At each rate the failures without
    warmup are held against those with it. As many or fewer: sound. More, and by chance only with a probability below
    CHANCE (Fisher's exact test): broken.

    Sound at every rate: does not hold. Broken at every rate: holds. Some of each: only if the rate is high.
    """
    found = set()
    for cold, warm in zip(failures(runs, "cold"), failures(runs, "warm"), strict=True):
        if warm == len(runs):
            continue  # too high a rate for either
        broken = cold > warm and fisher(cold, warm, len(runs)) < CHANCE
        found.add("broken" if broken else "sound" if cold <= warm else "unclear")
    if not found or "unclear" in found:
        return "undecided"
    return "holds only if" if len(found) == 2 else "holds" if "broken" in found else "does not hold"


def failures(runs: Runs, start: str) -> list[int]:
    """How many seeds fail, at each rate."""
    return [
        sum(loss >= BLIND for loss in losses)
        for losses in zip(*(row(run, f"post_{start}") for run in runs), strict=True)
    ]


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (by_rate, by_step) = figure(columns=2)
    names = {"post": tr("post-norm", "后归一化"), "pre": tr("pre-norm", "前归一化")}
    starts = {"warm": tr("warmup", "有预热"), "cold": tr("no warmup", "无预热")}
    for index, (order, start) in enumerate(CELLS):
        label = tr(f"{names[order]}, {starts[start]}", f"{names[order]}，{starts[start]}")
        band(by_rate, row(runs[0], "rate"), [row(run, f"{order}_{start}") for run in runs], label, index)
        curves = [row(run, f"{order}_{start}_curve") for run in runs]
        steps = [float(step) for step in range(1, len(curves[0]) + 1)]
        band(by_step, steps, curves, label, index, markevery=10)
    for axes in (by_rate, by_step):
        axes.axhline(BLIND, color="grey", ls=":", lw=1)
    by_rate.set(xscale="log", xlabel=tr("peak learning rate", "学习率峰值"), ylabel=tr("loss at the end", "最终损失"))
    by_step.set(xlabel=tr("step, at the highest rate", "训练步数（最高学习率）"), ylabel=tr("loss", "损失"))
    by_rate.legend(fontsize=8)
    return picture


EXPERIMENT = Experiment("L26", measure, judge, draw, (), SEEDS)
