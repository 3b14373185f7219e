"""L8: many random starts of a model with one head and of one with eight: how far apart they come out."""

from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.attention.l6_heads import BLIND, D_MODEL, TASKS, Reader, symbols_at
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Settings, Size, by_size
from attendo.lab.tools.chart import COLOURS, figure
from attendo.lab.tools.tuning import budgets_of, train_tuned

STARTS = by_size(3, 18, 32)
STEPS = by_size(3, 300, 1500)
HEADS = (1, 8)
WHEN = ("early", "end")
EARLY = 0.8 * BLIND  # the mean loss at which a fifth is learned: reached by all, whatever the pace
LESS = 0.8  # of the spread of one head: "less dependent" should be less by a fifth at least
RESAMPLES = 4000


def train(task: str, heads: int, seeds: Sequence[int], size: Size) -> tuple[Tensor, float]:
    """Losses [points, starts], means of ten steps, and the learning rate, which is the same for all starts.

    The starts differ; the batches are the same for all of them.
    """
    build, sequences = partial(Reader, heads, 2 * D_MODEL), partial(symbols_at, *TASKS[task])
    budgets = budgets_of("L8", f"{task}_{heads}", size, STEPS[size], 16)
    _, losses, rate = train_tuned(build, sequences, seeds, budgets, data_seeds=[seeds[0]] * len(seeds))
    return losses.unfold(0, min(10, len(losses)), 5).mean(-1), rate


def spread(losses: Tensor) -> Tensor:
    """How far a start is from the middle one, in the mean: one that goes astray counts, but not squared."""
    return (losses - losses.median(-1, keepdim=True).values).abs().mean(-1)


def ratio(one: Sequence[float], eight: Sequence[float]) -> tuple[float, float, float]:
    """The spread with eight heads over that with one, and its 95 % interval, by drawing starts again (bootstrap)."""
    sides = torch.tensor([one, eight], dtype=torch.float64)
    again = torch.randint(len(one), (RESAMPLES, len(one)), generator=torch.Generator().manual_seed(0))
    few, many = spread(sides[:, again]).clamp_min(1e-12)  # [RESAMPLES] each; where all are alike, no division by 0
    low, high = (many / few).quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
    few, many = spread(sides).clamp_min(1e-12)
    return float(many / few), low, high


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, starts=len(seeds), level=EARLY)
    for task in TASKS:
        for heads in HEADS:
            losses, rate = train(task, heads, seeds, at.size)
            below = (losses.mean(1) < EARLY).nonzero().flatten().tolist()
            moments = {"early": losses[below[0] if below else -1], "end": losses[-1]}
            for when, each in moments.items():
                for run, loss in zip(runs, each.tolist(), strict=True):
                    run |= {f"{task}_{heads}_{when}": loss, f"{task}_{heads}_{when}_spread": float(spread(each))}
            for run, curve in zip(runs, losses.T.tolist(), strict=True):
                run |= {f"{task}_{heads}_loss": curve, f"rate_{task}_{heads}": rate}
                run[f"{task}_{heads}_failed"] = float(curve[-1] > EARLY)
        for when in WHEN:
            sides = [over_seeds(runs, f"{task}_{heads}_{when}") for heads in HEADS]
            for name, value in zip(("ratio", "ratio_low", "ratio_high"), ratio(*sides), strict=True):
                for run in runs:
                    run[f"{task}_{when}_{name}"] = value
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """The ratio of the spreads is less where its interval is below LESS, not less where it is above.

    Less at the end on both tasks: holds. If not, but less early on both: only if. Less nowhere: does not hold.
    """
    found = {}
    for when in WHEN:
        pairs = [[over_seeds(runs, f"{task}_{heads}_{when}") for heads in HEADS] for task in TASKS]
        found[when] = [ratio(*sides)[1:] for sides in pairs]
    less = {when: all(high < LESS for _, high in intervals) for when, intervals in found.items()}
    not_less = {when: [low > LESS for low, _ in intervals] for when, intervals in found.items()}
    if less["end"]:
        return "holds"
    if less["early"] and any(not_less["end"]):
        return "holds only if"
    return "does not hold" if all(not_less["early"] + not_less["end"]) else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=3, width=4.2)
    titles = {"one": tr("one look is enough", "只需看一处"), "four": tr("four looks are needed", "要同时看四处")}
    times = {"early": tr("early", "学习初期"), "end": tr("at the end", "训练结束")}
    for panel, (task, title) in zip(axes, titles.items(), strict=False):
        for heads, colour in zip(HEADS, COLOURS, strict=False):
            for index, run in enumerate(runs):
                curve = row(run, f"{task}_{heads}_loss")
                steps = [10.0 + 5 * point for point in range(len(curve))]
                panel.plot(steps, curve, color=colour, lw=0.9, alpha=0.7, label=None if index else f"$h={heads}$")
        panel.axhline(EARLY, color="grey", ls=":", lw=1)
        panel.set(title=title, xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
    axes[0].legend()
    rows = [(task, when) for task in TASKS for when in WHEN]
    for index, (task, when) in enumerate(rows):
        middle, low, high = (
            over_seeds(runs, f"{task}_{when}_{name}")[0] for name in ("ratio", "ratio_low", "ratio_high")
        )
        axes[2].plot([low, high], [index, index], color=COLOURS[2], lw=2)
        axes[2].plot(middle, index, "o", color=COLOURS[2])
    axes[2].set_yticks(range(len(rows)), [f"{titles[task]}\n{times[when]}" for task, when in rows])
    axes[2].set_ylim(len(rows) - 0.5, -0.5)  # the first on top
    axes[2].axvline(1, color="grey", ls="--", lw=1)
    axes[2].set(xscale="log", xlabel=tr("spread, $h=8$ over $h=1$", "离散程度之比：$h=8$ 比 $h=1$"))
    return picture


EXPERIMENT = Experiment("L8", measure, judge, draw, (), STARTS, evidence="trained", tunes=True)
