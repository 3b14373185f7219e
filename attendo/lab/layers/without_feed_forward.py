"""L11: a Transformer without its feed-forward parts, where symbols are moved and where they are computed with."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.lab.chart import band, bars, figure
from attendo.lab.claim import Experiment, Numbers, Runs, Say, Size, Verdict, over_seeds, row
from attendo.lab.statistics import difference
from attendo.lab.toy_tasks import reversal, running_sum
from attendo.lab.toy_training import Budget, accuracy
from attendo.lab.tuning import count, train_tuned
from attendo.model.config import TransformerConfig
from attendo.model.transformer import Transformer

SEEDS: Mapping[Size, int] = {"small": 2, "quick": 4, "full": 8}
TASKS = {"moving": (reversal, 10, 0.6), "computing": (running_sum, 3, 1.0)}  # with number of symbols, share of steps
LENGTH = range(6, 7)
D_MODEL = 32
WIDER = 48  # without feed-forward parts this has the weights, to 4 %, of D_MODEL with them (d_ff = 4 d_model)
SIDES = {"whole": (D_MODEL, True), "without": (D_MODEL, False), "wider": (WIDER, False)}  # d_model, feed-forward
MUCH = 0.1  # of all tokens: "much worse" is one more mistake in every ten tokens
# For "quick" 3e-3 and 5e-3 were tried on the reversal; all three models learn it with both, faster with the larger.
RATES: Mapping[Size, Sequence[float]] = {"small": (5e-3,), "quick": (5e-3,), "full": (2e-3, 5e-3, 1e-2)}
STEPS: Mapping[Size, int] = {"small": 3, "quick": 500, "full": 2000}


class Passing(nn.Module):
    """Stands where Add & Norm around the feed-forward part stood: nothing is added, nothing normed."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return x


def build(vocab_size: int, d_model: int, feed_forward: bool, seed: int) -> Transformer:
    model = Transformer(
        TransformerConfig(
            vocab_size=vocab_size, d_model=d_model, d_ff=4 * d_model, num_heads=2,
            encoder_layers=1, decoder_layers=1, dropout=0.0,
        )
    )  # fmt: skip
    if not feed_forward:
        for layer in (*model.encoder.layers, *model.decoder.layers):
            layer.feed_forward, layer.around_feed_forward = nn.Identity(), Passing()
    return model


def measure(seeds: Sequence[int], size: Size) -> list[Numbers]:
    """Three models a task: the whole, the same without its feed-forward parts, and the latter made wider."""
    runs: list[dict[str, float | Sequence[float]]] = [{} for _ in seeds]
    for task, (toy, symbols, share) in TASKS.items():
        steps, drawn = max(2, round(STEPS[size] * share)), partial(batch_of, toy, symbols)
        budgets = [Budget(steps, 32, rate) for rate in RATES[size]]
        every = max(1, steps // 20)  # steps a point of the curves
        for side, (d_model, feed_forward) in SIDES.items():
            models, losses = train_tuned(partial(build, 4 + symbols, d_model, feed_forward), drawn, seeds, budgets)
            for run, seed, model, loss in zip(runs, seeds, models, losses.T, strict=True):
                never_seen = drawn(200, torch.Generator().manual_seed(10_000 + seed))
                run[f"{task}_{side}"] = accuracy(model, never_seen)
                run[f"{task}_{side}_loss"] = loss.reshape(-1, every).mean(1).tolist()
                run[f"{task}_{side}_weights"] = count(model)
                run[f"{task}_step"] = [float(end) for end in range(every, steps + 1, every)]
    return list(runs)


def batch_of(toy: Callable[..., Batch], symbols: int, pairs: int, chance: torch.Generator) -> Batch:
    return toy(pairs, LENGTH, symbols, chance)


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


def draw(runs: Runs, say: Say) -> Figure:
    drawn, axes = figure(columns=2, rows=2, height=3.0)
    labels = {
        "whole": say("with feed-forward", "有前馈层"), "without": say("without it", "去掉前馈层"),
        "wider": say("without it, wider", "去掉并加宽"),
    }  # fmt: skip
    titles = {
        "moving": say("reversal (moving)", "逆序（搬运）"),
        "computing": say("running sum (computing)", "累加（计算）"),
    }
    for column, task in enumerate(TASKS):
        for place, (side, label) in enumerate(labels.items()):
            curves = [row(run, f"{task}_{side}_loss") for run in runs]
            band(axes[column], row(runs[0], f"{task}_step"), curves, label, place)
        axes[column].set(title=titles[task], xlabel=say("step", "训练步数"), ylabel=say("loss", "损失"), ylim=(0, None))
        bars(axes[2 + column], list(labels.values()), [over_seeds(runs, f"{task}_{side}") for side in labels])
        axes[2 + column].set(ylabel=say("accuracy", "准确率"), ylim=(0, 1.05))
    axes[0].legend()
    return drawn


EXPERIMENT = Experiment("L11", "D", measure, judge, draw, SEEDS)
