"""L26: post-norm and pre-norm, with warmup and without, at several learning rates."""

from collections.abc import Sequence
from functools import partial

from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, MARKERS, band, figure, legend_below, tick_at
from attendo.lab.tools.measuring import CHANCE, at_the_end, curve, curve_steps, fisher, stopped_improving
from attendo.lab.tools.stacks import BLIND, TRAINED, Stack, sequences
from attendo.lab.tools.toy_training import Budget, training_device
from attendo.lab.tools.tuning import train_anew

SEEDS = by_size(2, 8, 16)
KNOBS = (
    Knob("steps", by_size(4, 300, 2_000), 2, 100_000),
    Knob("rates", by_size((1e-3, 1e-2), (1e-3, 1e-2), (3e-4, 1e-3, 2e-3, 3e-3, 5e-3, 1e-2, 2e-2)), 1e-6, 1.0),
    Knob("layers", by_size(1, 6, 6), 1, 48),
)
WARMUP = {"warm": 0.3, "cold": 0.0}  # the share of the steps in which the learning rate rises
CELLS = [(order, start) for order in ("post", "pre") for start in WARMUP]
PAIRS, POINTS = 16, 24  # of a step; of a curve


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """Each of the four at each rate, from the same weights and with the same batches."""
    rates = sorted(at.reals("rates"))
    losses = {cell: train_cell(*cell, seeds, at, at.whole("steps")) for cell in CELLS}
    failed = {cell: [share_failed(at_rate) for at_rate in losses[cell]] for cell in CELLS}
    worse = [cold - warm for cold, warm in zip(failed["post", "cold"], failed["post", "warm"], strict=True)]
    worst = max(range(len(rates)), key=lambda index: (worse[index], rates[index]))  # where warmup matters most
    runs = rows_to_fill(
        seeds, rate=rates, blind=BLIND, step=curve_steps(at.whole("steps"), POINTS), worst_rate=rates[worst]
    )
    for cell in CELLS:
        name = "_".join(cell)
        half = train_cell(*cell, seeds, at, at.whole("steps") // 2) if at.size == "full" else None
        for index, run in enumerate(runs):
            last = [at_the_end(at_rate[:, index]) for at_rate in losses[cell]]
            run |= {name: last, f"{name}_low": last[0], f"{name}_worst": last[worst]}
            run |= {f"{name}_failed": failed[cell], f"{name}_worst_failed": failed[cell][worst]}
            run[f"{name}_low_failed"] = failed[cell][0]
            run[f"{name}_curve"] = curve(losses[cell][worst][:, index], POINTS)
            if half:
                run[f"{name}_half"] = [at_the_end(at_rate[:, index]) for at_rate in half]
    return list(runs)


def train_cell(order: str, start: str, seeds: Sequence[int], at: Settings, steps: int) -> list[Tensor]:
    """The losses [steps, seeds] at each rate, from the lowest to the highest."""
    device = training_device(at.size)
    budgets = [Budget(steps, PAIRS, rate, WARMUP[start], device) for rate in sorted(at.reals("rates"))]
    build = partial(Stack, at.whole("layers"), order)
    return [losses.nan_to_num(nan=2 * BLIND) for _, losses in train_anew(build, sequences, seeds, budgets)]


def share_failed(losses: Tensor) -> float:
    return sum(at_the_end(own) >= TRAINED for own in losses.T) / losses.shape[1]


def judge(runs: Runs) -> Verdict:
    """A seed fails when its loss in post-norm stays above TRAINED. At each rate the failures without warmup are held
    against those with it. As many or fewer: sound. More, and by chance only with a probability below CHANCE (Fisher's
    exact test), by models that have stopped improving: broken. More, but not so clearly: unclear, as it must be
    somewhere between a rate that is sound and one that is broken.

    Broken at some rates and sound at others: only if the rate is high. Broken at every rate: holds. Sound at every
    rate: does not hold. All else: undecided.
    """
    found = set()
    for index in range(len(row(runs[0], "rate"))):
        cold, warm = (failures(runs, f"post_{start}", index) for start in ("cold", "warm"))
        if warm == len(runs):
            continue  # a rate that is too high, or too low, for either
        broken = cold > warm and fisher(cold, warm, len(runs)) < CHANCE and stays_failed(runs, index)
        found.add("broken" if broken else "sound" if cold <= warm else "unclear")
    if {"broken", "sound"} <= found:
        return "holds only if"
    return "undecided" if found not in ({"broken"}, {"sound"}) else "holds" if "broken" in found else "does not hold"


def failures(runs: Runs, name: str, index: int) -> int:
    """How many seeds fail, at one of the rates."""
    return sum(row(run, name)[index] >= TRAINED for run in runs)


def stays_failed(runs: Runs, index: int) -> bool:
    """Whether half the steps without warmup ended where all of them end; only a full run tells."""
    if "post_cold_half" not in runs[0]:
        return True
    return stopped_improving(*([row(run, name)[index] for run in runs] for name in ("post_cold_half", "post_cold")))


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (by_rate, by_step) = figure(columns=2)
    names = {"post": tr("post-norm", "后归一化"), "pre": tr("pre-norm", "前归一化")}
    starts = {"warm": tr("warmup", "有预热"), "cold": tr("no warmup", "无预热")}
    rates = row(runs[0], "rate")
    for index, (order, start) in enumerate(CELLS):
        label = tr(f"{names[order]}, {starts[start]}", f"{names[order]}，{starts[start]}")
        by_rate.plot(
            rates, row(runs[0], f"{order}_{start}_failed"), f"{MARKERS[index]}-", color=COLOURS[index], ms=8, alpha=0.8
        )
        curves = [row(run, f"{order}_{start}_curve") for run in runs]
        band(by_step, row(runs[0], "step"), curves, label, index)
    by_rate.set(xscale="log", ylim=(-0.05, 1.05), xlabel=tr("peak learning rate", "学习率峰值"))
    by_rate.set_ylabel(tr("share of seeds that fail", "失败的随机种子所占比例"))
    tick_at(by_rate, rates)
    by_rate.tick_params(axis="x", rotation=45)
    by_step.axhline(BLIND, color="grey", ls=":", lw=1)
    peak = f"{number(runs[0], 'worst_rate'):g}"
    by_step.set(xlabel=tr(f"step, at a peak of {peak}", f"训练步数（峰值 {peak}）"), ylabel=tr("loss", "损失"))
    legend_below(picture, by_step)
    return picture


EXPERIMENT = Experiment("L26", measure, judge, draw, KNOBS, SEEDS, evidence="trained")
