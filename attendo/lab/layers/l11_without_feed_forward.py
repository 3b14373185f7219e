"""L11: an encoder without its feed-forward parts, where symbols are moved and where they are computed with."""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Settings, by_size
from attendo.lab.layers.l16_residual import Stack
from attendo.lab.tools.chart import band, bars, figure
from attendo.lab.tools.measuring import count_weights, curve, curve_steps, difference, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL, draw_rows, reversal
from attendo.lab.tools.toy_training import accuracy
from attendo.lab.tools.tuning import budgets_of, train_tuned

SEEDS = by_size(2, 12, 16)
DEPTH = 2  # layers
SYMBOLS, LENGTH = 5, range(6, 7)
D_MODEL = 32
WIDER = 56  # without feed-forward parts this has the weights, to 4 %, of D_MODEL with them (d_ff = 4 d_model)
SIDES = {"whole": (D_MODEL, True), "wider": (WIDER, False)}  # d_model, feed-forward
MUCH = 0.1  # of all tokens: "much worse" is one more mistake in every ten tokens
STEPS = by_size(4, 400, 2000)
POINTS = 15  # of a curve


def moving(pairs: int, generator: torch.Generator) -> Batch:
    """Position i must say what stands at position n - i."""
    return reversal(pairs, LENGTH, SYMBOLS, generator)


def computing(pairs: int, generator: torch.Generator) -> Batch:
    """Position i must fetch the same symbol, and add it to its own, modulo the number of symbols."""
    rows = draw_rows(pairs, LENGTH, SYMBOLS, generator)
    sums = [[x + y - 2 * FIRST_SYMBOL for x, y in zip(xs, xs[::-1], strict=True)] for xs in rows]
    answers = [[FIRST_SYMBOL + z % SYMBOLS for z in zs] for zs in sums]
    return Batch.from_pairs(list(zip(rows, answers, strict=True)))


# With the share of the steps: moving is learned sooner.
TASKS = {"moving": (moving, 0.4), "computing": (computing, 1.0)}


class Passing(nn.Module):
    """Stands where Add & Norm around the feed-forward part stood: nothing is added, nothing normed."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return x


def build(d_model: int, feed_forward: bool, seed: int) -> Stack:
    model = Stack(DEPTH, "post", seed, d_model, 4 * d_model)
    for layer in model.encoder.layers if not feed_forward else ():
        layer.feed_forward, layer.around_feed_forward = nn.Identity(), Passing()
    return model


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """Two models a task: the whole, and a wider one without feed-forward parts."""
    runs = rows_to_fill(seeds)
    for task, (batch_of, share) in TASKS.items():
        steps = round(STEPS[at.size] * share)
        for side, (d_model, feed_forward) in SIDES.items():
            name = f"{task}_{side}"
            budgets = budgets_of("L11", name, at.size, steps, 32)
            models, losses, rate = train_tuned(partial(build, d_model, feed_forward), batch_of, seeds, budgets)
            for run, seed, model, loss in zip(runs, seeds, models, losses.T, strict=True):
                run[name] = accuracy(model, batch_of(200, unseen_generator(seed)))
                run[f"{name}_loss"] = curve(loss, POINTS)
                run |= {f"{name}_weights": count_weights(model), f"rate_{name}": rate}
                run[f"{task}_step"] = curve_steps(steps, POINTS)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Much worse on both tasks, with as many weights: holds. On neither: does not hold. At computing: only if.

    Worse is the accuracy of the whole model less that of the wider one without feed-forward, seed by seed; where its
    interval straddles MUCH, nothing is decided.
    """
    worse = [difference(over_seeds(runs, f"{task}_whole"), over_seeds(runs, f"{task}_wider")) for task in TASKS]
    if any(gap.low <= MUCH <= gap.high for gap in worse):
        return "undecided"
    match [gap.low > MUCH for gap in worse]:
        case [True, True]:
            return "holds"
        case [False, True]:
            return "holds only if"
        case [False, False]:
            return "does not hold"
    return "undecided"  # worse at moving alone: nobody has said that, and we know no reason


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=2, rows=2, height=3.0)
    labels = {"whole": tr("with feed-forward", "有前馈层"), "wider": tr("without it, wider", "去掉并加宽")}
    titles = {
        "moving": tr("reversal (moving)", "逆序（搬运）"),
        "computing": tr("mirrored sum (computing)", "镜像加法（计算）"),
    }
    for column, task in enumerate(TASKS):
        for index, (side, label) in enumerate(labels.items()):
            curves = [row(run, f"{task}_{side}_loss") for run in runs]
            band(axes[column], row(runs[0], f"{task}_step"), curves, label, index)
        axes[column].set(title=titles[task], xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
        bars(axes[2 + column], list(labels.values()), [over_seeds(runs, f"{task}_{side}") for side in labels])
        axes[2 + column].set(ylabel=tr("accuracy", "准确率"), ylim=(0, 1.05))
    axes[0].legend()
    return picture


EXPERIMENT = Experiment("L11", measure, judge, draw, (), SEEDS, evidence="trained", tunes=True)
