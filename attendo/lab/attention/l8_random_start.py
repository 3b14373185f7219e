"""L8: many random starts of a model with one head and of one with eight: how far apart they come out."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.lab.attention.l6_heads import D_MODEL, ENOUGH, LEARNT, TASKS, Reader, symbols_at
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure, grouped_points, legend_below, plain_log
from attendo.lab.tools.measuring import settled
from attendo.lab.tools.tuning import train_side

STARTS = by_size(3, 4, 64)  # at the end they differ by hardly anything, and a few show that as well
KNOBS = (
    # As many as in L6: what is tuned there and here is the same model on the same data, and so the rate is the same.
    Knob("steps", by_size(4, 6_000, 6_000), 2, 100_000),
    Knob("heads", by_size((1, 8), (1, 8), (1, 8)), 1, 32),
)
WHEN = ("speed", "end")
SMALLEST_SPREAD = 0.02  # nats at the end, or 2 % of the steps: the start does not matter where it matters less
LESS = 0.8  # of the spread of one head: "less dependent" should be less by a fifth at least
RESAMPLES = 4000


def spread(values: Tensor) -> Tensor:
    """How far a start is from the middle one, in the mean: one that fails counts, but not squared."""
    return (values - values.median(-1, keepdim=True).values).abs().mean(-1).clamp_min(SMALLEST_SPREAD)


def ratio(few: Sequence[float], many: Sequence[float]) -> tuple[float, float, float]:
    """The spread with most heads over that with fewest, and its 95 % interval, by drawing starts again (bootstrap)."""
    sides = torch.tensor([few, many], dtype=torch.float64)
    again = torch.randint(len(few), (RESAMPLES, len(few)), generator=torch.Generator().manual_seed(0))
    below, above = spread(sides[:, again])  # [RESAMPLES] each
    low, high = (above / below).quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
    below, above = spread(sides)
    return float(above / below), low, high


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """The starts differ; the batches are the same for all of them."""
    runs = rows_to_fill(seeds, starts=len(seeds), level=LEARNT)
    heads = at.wholes("heads")
    for task, (symbols, offsets) in TASKS.items():
        for count in heads:
            name, build = f"{task}_{count}", partial(Reader, count, 2 * D_MODEL)
            sequences, same = partial(symbols_at, symbols, offsets), [seeds[0]] * len(seeds)
            steps = min(at.whole("steps"), ENOUGH[task])
            side = train_side("L8", name, at, seeds, build, sequences, pairs=16, steps=steps, data_seeds=same)
            side.add_to(runs, name, LEARNT)
            for run in runs:
                run |= {f"{name}_{when}_spread": float(spread(torch.tensor(of(runs, name, when)))) for when in WHEN}
        for when in WHEN:
            sides = (of(runs, f"{task}_{count}", when) for count in (min(heads), max(heads)))
            for key, value in zip(("ratio", "ratio_low", "ratio_high"), ratio(*sides), strict=True):
                for run in runs:
                    run[f"{task}_{when}_{key}"] = value
    return list(runs)


def of(runs: Runs, name: str, when: str) -> list[float]:
    """Of each start: the logarithm of the steps until learnt, or the loss at the end."""
    if when == "end":
        return over_seeds(runs, name)
    return [math.log(steps) for steps in over_seeds(runs, f"{name}_learnt")]


def judge(runs: Runs) -> Verdict:
    """By the spread at the end. That of the speed has no vote: the note does not say that several heads are better, as
    those of L6, L10 and L11 do, but that how well a model does ("模型效果") depends less on its start.

    It is less where the interval of the ratio is below LESS, not less where it is above. Less on both tasks: holds.
    Only where four looks are needed: only if. On neither: does not hold. Undecided: everything else, and where it is
    less, but the fewest heads had not stopped improving.
    """
    heads = row(runs[0], "heads")
    fewest, most = (f"{count:.0f}" for count in (min(heads), max(heads)))
    found = []
    for task in TASKS:
        _, low, high = ratio(of(runs, f"{task}_{fewest}", "end"), of(runs, f"{task}_{most}", "end"))
        less = high < LESS
        if low <= LESS <= high or (less and not settled(runs, f"{task}_{fewest}")):
            return "undecided"
        found.append(less)
    verdicts: dict[tuple[bool, ...], Verdict] = {
        (True, True): "holds", (False, True): "holds only if", (False, False): "does not hold",
    }  # fmt: skip
    return verdicts.get(tuple(found), "undecided")  # less where one look is enough, and there alone: we know no reason


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2)
    tasks = {"one": tr("one look", "看一处"), "four": tr("four looks", "看四处")}
    heads = [f"{count:.0f}" for count in row(runs[0], "heads")]
    for panel, ending in ((left, "_learnt"), (right, "")):
        values = [[over_seeds(runs, f"{task}_{count}{ending}") for count in heads] for task in tasks]
        grouped_points(panel, list(tasks.values()), [f"$h={count}$" for count in heads], values)
    left.set(title=tr("steps until learnt", "学会所需步数"))
    plain_log(left)
    highest = max(number(run, f"{task}_{count}") for run in runs for task in tasks for count in heads)
    right.set(title=tr("loss at the end", "最终损失"), ylim=(-0.02, max(LEARNT, 1.1 * highest)))
    legend_below(picture, left)
    return picture


EXPERIMENT = Experiment("L8", measure, judge, draw, KNOBS, STARTS, evidence="trained", tunes=True)
