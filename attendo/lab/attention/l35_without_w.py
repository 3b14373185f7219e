"""L35: softmax(XXᵀ)X alone, against attention with W_Q, W_K, W_V and W_O."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, bars, figure
from attendo.lab.tools.measuring import (
    count_weights,
    difference,
    on_the_way,
    steps_until,
    unseen_generator,
    window_means,
)
from attendo.lab.tools.toy_tasks import reversal
from attendo.lab.tools.toy_training import accuracy, toy_config
from attendo.lab.tools.tuning import budgets_of, train_tuned
from attendo.model.attention import dot_product_attention, fused_attention
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.transformer import Transformer

# 早, 上, 好. The notes give the row in words, their numbers stood in a picture; these are small ones that give it.
X = ((1, 2, 1, 2, 1), (1, 1, 3, 2, 1), (3, 1, 2, 1, 1))
D, SYMBOLS = 32, 8
LENGTH = 6  # symbols to be said backwards
D_FF = {"with": 64, "bare": 162}  # what the W matrices would hold is given to the feed-forward layers
STEPS, PAIRS = by_size(4, 350, 4000), by_size(2, 16, 64)
TESTED = by_size(10, 300, 2000)
WINDOW = by_size(2, 20, 20)  # steps over which the loss is averaged
LEARNT = 0.5  # a loss per symbol at which most are right: guessing costs log 8 = 2.1
MATTERS = 0.05  # of the accuracy; less would not be worth four matrices


class Bare(nn.Module):
    """softmax(XXᵀ/√d) X. With the scale: without it, as the notes write it, softmax is too steep to learn."""

    def forward(self, x: Tensor, memory: Tensor, may_attend: Tensor | None = None, **unused: Any) -> Tensor:
        seen = memory[:, None]  # one head
        return fused_attention(x[:, None], seen, seen, may_attend)[:, 0]


def build(kind: str, seed: int) -> Transformer:
    torch.manual_seed(seed)
    model = Transformer(toy_config(SYMBOLS, D, D_FF[kind], num_heads=4))
    if kind == "bare":
        for parent in list(model.modules()):
            for name, part in list(parent.named_children()):
                if isinstance(part, MultiHeadAttention):
                    setattr(parent, name, Bare())
    return model.train()


def own_share(kind: str, seed: int) -> float:
    """How much each of 20 random vectors attends to itself, before any training."""
    torch.manual_seed(seed)
    x = torch.randn(1, 20, D)
    weights = [dot_product_attention(x[:, None], x[:, None], x[:, None])[1]] if kind == "bare" else []
    if kind == "with":
        MultiHeadAttention(D, 4)(x, x, record=weights)
    return weights[0].diagonal(dim1=-2, dim2=-1).mean().item()


def draw_pairs(pairs: int, generator: torch.Generator) -> Batch:
    return reversal(pairs, range(LENGTH, LENGTH + 1), SYMBOLS, generator)


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    x = torch.tensor(X, dtype=torch.float64)[None, None]
    rows = dot_product_attention(x * math.sqrt(x.shape[-1]), x, x)[1][0, 0]  # √d undoes the scale
    example = {f"row_{i}": share for i, share in enumerate(rows[0].tolist(), 1)}
    runs: list[dict[str, float | list[float]]] = [{**example, "steps": STEPS[at.size]} for _ in seeds]
    for kind in D_FF:
        for run, seed in zip(runs, seeds, strict=True):
            run |= {f"own_share_{kind}": own_share(kind, seed), f"parameters_{kind}": count_weights(build(kind, seed))}
        budgets = budgets_of("L35", kind, at.size, STEPS[at.size], PAIRS[at.size])
        models, losses, rate = train_tuned(partial(build, kind), draw_pairs, seeds, budgets, least=on_the_way)
        for run, model, seed, loss in zip(runs, models, seeds, losses.T, strict=True):
            curve = window_means(loss, WINDOW[at.size]).tolist()
            test = draw_pairs(TESTED[at.size], unseen_generator(seed))
            run |= {f"accuracy_{kind}": accuracy(model, test), f"loss_{kind}": curve, f"rate_{kind}": rate}
            run[f"steps_{kind}"] = steps_until(LEARNT, loss, WINDOW[at.size])
    return [*runs]


def judge(runs: Runs) -> Verdict:
    """If in the end attention with W is right more often, by 5 % or more, the claim holds; if not, but it learns in
    fewer steps, it holds only where training is short (95 % intervals)."""
    better = difference(over_seeds(runs, "accuracy_with"), over_seeds(runs, "accuracy_bare"))
    sooner = difference(over_seeds(runs, "steps_bare"), over_seeds(runs, "steps_with"))
    if better.low > MATTERS:
        return "holds"
    if better.high > MATTERS or sooner.low <= 0 < sooner.high:
        return "undecided"
    return "holds only if" if sooner.low > 0 else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2, width=4.6)
    labels = (tr("with $W$", "有 $W$"), tr("without", "没有 $W$"))
    points = len(row(runs[0], "loss_with"))
    steps = [number(runs[0], "steps") * (index + 1) / points for index in range(points)]
    for index, (kind, label) in enumerate(zip(D_FF, labels, strict=True)):
        band(left, steps, [row(run, f"loss_{kind}") for run in runs], label, index)
    left.axhline(LEARNT, color=COLOURS[6], ls="--", lw=1)
    left.set(xlabel=tr("training steps", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
    left.legend()
    bars(right, labels, [[100 * share for share in over_seeds(runs, f"accuracy_{kind}")] for kind in D_FF])
    right.set(ylabel=tr("right symbols in the end, %", "训练结束时的正确率（%）"), ylim=(0, 104))
    return picture


EXPERIMENT = Experiment("L35", measure, judge, draw, (), by_size(2, 10, 12), evidence="trained", tunes=True)
