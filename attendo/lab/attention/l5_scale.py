"""L5: training with and without 1/√d_k, for several d_k, and without it from a smaller start of W_Q and W_K."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.measuring import curve, curve_steps, difference
from attendo.lab.tools.toy_tasks import reversal
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.tools.tuning import budgets_of, train_tuned
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.parts import Parts
from attendo.model.transformer import Transformer

D_MODEL, SYMBOLS = 64, 10
HEADS = {4: 16, 16: 4, 64: 1}  # d_k -> heads: the number of weights is the same for all
SIDES = ("scaled", "unscaled", "small_start")
STEPS = by_size(2, 150, 1000)
POINTS = 15  # of a curve
WORSE = 0.1  # in the loss: the right token is given a probability lower by a tenth


class Unscaled(MultiHeadAttention):
    """softmax(QKᵀ) V: attention divides the scores by √d_k, so √d_k · q leaves q·k as it is."""

    def attend(self, q: Tensor, k: Tensor, v: Tensor, may_attend: Tensor | None, record: list[Tensor] | None) -> Tensor:
        return super().attend(q * math.sqrt(q.shape[-1]), k, v, may_attend, record)


UNSCALED = Parts(self_attention=Unscaled.from_config, cross_attention=Unscaled.from_config)


def build(d_k: int, side: str, seed: int) -> Transformer:
    config = toy_config(SYMBOLS, D_MODEL, 2 * D_MODEL, HEADS[d_k])
    model = Transformer(config, Parts() if side == "scaled" else UNSCALED)
    if side == "small_start":  # d_k^(-1/4) each: the first scores are those of the scaled model, to rounding
        for attention in model.modules():
            if isinstance(attention, Unscaled):
                attention.query.weight.data *= d_k**-0.25
                attention.key.weight.data *= d_k**-0.25
    return model


def sequences(pairs: int, generator: torch.Generator) -> Batch:
    return reversal(pairs, range(6, 7), SYMBOLS, generator)


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, step=curve_steps(STEPS[at.size], POINTS), d_k=list(HEADS))
    for side in SIDES:
        for d_k in HEADS:
            name = f"{side}_{d_k}"
            budgets = budgets_of("L5", name, at.size, STEPS[at.size], 16)
            _, losses, rate = train_tuned(partial(build, d_k, side), sequences, seeds, budgets)
            for run, loss in zip(runs, losses.T, strict=True):
                points = curve(loss, POINTS)
                run |= {name: points[-1], f"{name}_loss": points, f"rate_{name}": rate}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """At the largest d_k, is the loss without the scale higher by more than WORSE, seed by seed? If not: no.

    If it is: holds; but where a smaller start of W_Q and W_K is shown to mend it: only if they start as usual.
    """
    largest = max(HEADS)
    scaled, unscaled, small_start = (over_seeds(runs, f"{side}_{largest}") for side in SIDES)
    gap, mended = difference(unscaled, scaled), difference(small_start, scaled)
    if gap.high < WORSE:
        return "does not hold"
    if gap.low <= WORSE:
        return "undecided"
    return "holds only if" if mended.high < WORSE else "holds"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=3, width=4.0)
    labels = {
        "scaled": tr("with $1/\\sqrt{d_k}$", "有 $1/\\sqrt{d_k}$"), "unscaled": tr("without", "没有"),
        "small_start": tr("without, smaller start", "没有，但初值较小"),
    }  # fmt: skip
    for panel, d_k in zip(axes, HEADS, strict=True):
        for index, (side, label) in enumerate(labels.items()):
            band(panel, row(runs[0], "step"), [row(run, f"{side}_{d_k}_loss") for run in runs], label, index)
        panel.set(title=f"$d_k = {d_k}$", xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
    axes[0].legend()
    return picture


EXPERIMENT = Experiment("L5", measure, judge, draw, evidence="trained", tunes=True)
