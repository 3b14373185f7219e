"""L5: training with and without 1/√d_k, for several d_k, and without it from a smaller start of W_Q and W_K."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.errors import UsageError
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure, lines, plain_log
from attendo.lab.tools.measuring import curve, curve_steps, is_more, log_ratio
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.parts import Parts
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

D_MODEL, SYMBOLS, LENGTH = 64, 10, 6
SEEDS = by_size(2, 4, 16)
KNOBS = (
    Knob("steps", by_size(4, 600, 1_500), 2, 100_000),
    Knob("d_k", by_size((4, 64), (4, 64), (4, 16, 64)), 1, D_MODEL),  # of 64 / d_k heads: as many weights for all
)
SIDES = ("scaled", "unscaled", "small_start")
# What is reached without a look at the source: </s> stands at the end, each symbol is as likely as the others.
BLIND = LENGTH / (LENGTH + 1) * math.log(SYMBOLS)
LEARNT = 0.1 * BLIND
SOLVED = 0.01  # nats: a loss below that is taken for that, since a thousandth or a millionth makes no difference
HIGHER = 2.0  # times the loss at the end
SLOWER = 1.5  # times as many steps until learnt
POINTS = 30  # of a curve


class Unscaled(MultiHeadAttention):
    """softmax(QKᵀ) V: attention divides the scores by √d_k, so √d_k · q leaves q·k as it is."""

    def attend(self, q: Tensor, k: Tensor, v: Tensor, may_attend: Tensor | None, record: list[Tensor] | None) -> Tensor:
        return super().attend(q * math.sqrt(q.shape[-1]), k, v, may_attend, record)


UNSCALED = Parts(self_attention=Unscaled.from_config, cross_attention=Unscaled.from_config)


def build(d_k: int, side: str, seed: int) -> Transformer:
    config = toy_config(SYMBOLS, D_MODEL, 2 * D_MODEL, D_MODEL // d_k)
    model = Transformer(config, Parts() if side == "scaled" else UNSCALED)
    if side == "small_start":  # d_k^(-1/4) each: the first scores are those of the scaled model, to rounding
        for attention in model.modules():
            if isinstance(attention, Unscaled):
                attention.query.weight.data *= d_k**-0.25
                attention.key.weight.data *= d_k**-0.25
    return model


def sequences(pairs: int, generator: torch.Generator) -> Batch:
    """7 5 9 4 6 8 </s>  ->  8 6 4 9 5 7 </s>"""
    x = FIRST_SYMBOL + torch.randint(SYMBOLS, (pairs, LENGTH), generator=generator)
    start, end = (torch.full((pairs, 1), token) for token in (SPECIAL.bos, SPECIAL.eos))
    y = torch.cat((x.flip(1), end), dim=1)
    return Batch(torch.cat((x, end), dim=1), torch.cat((start, y[:, :-1]), dim=1), y, y.numel())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """Of every side and d_k: the loss at the end, the steps until learnt, and the curve."""
    if wrong := [d_k for d_k in at.wholes("d_k") if D_MODEL % d_k]:
        raise UsageError(f"d_k={wrong[0]} cannot be: expected a divisor of d_model = {D_MODEL}")
    runs = rows_to_fill(seeds, step=curve_steps(at.whole("steps"), POINTS), blind=BLIND)
    for d_k in at.wholes("d_k"):
        for side in SIDES:
            name = f"{side}_{d_k}"
            trained = train_side("L5", name, at, seeds, partial(build, d_k, side), sequences, pairs=16)
            for run, numbers, losses in zip(runs, trained.numbers(name, LEARNT), trained.losses.T, strict=True):
                run |= {**numbers, f"{name}_loss": curve(losses, POINTS)}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Harmed, at the largest d_k: the loss at the end is more than HIGHER times that of the scaled model, or it took
    more than SLOWER times the steps to learn, in the mean, and by chance it is neither (95 % interval above 1); ratios
    seed by seed, a loss below SOLVED counting as that.

    The model without the factor is harmed: holds. Both intervals lie below these limits: does not hold. The one with a
    smaller start has no vote; it tells whether the reason is the one the notes give, scores too large at the start.
    """
    d_k = f"{max(row(runs[0], 'd_k')):.0f}"
    sides = ("unscaled", "scaled")
    ends = ([max(loss, SOLVED) for loss in over_seeds(runs, f"{side}_{d_k}")] for side in sides)
    higher = is_more(*log_ratio(*ends), HIGHER, nothing=1.0)
    slower = is_more(*log_ratio(*(over_seeds(runs, f"{side}_{d_k}_learnt") for side in sides)), SLOWER, nothing=1.0)
    if higher or slower:
        return "holds"
    return "undecided" if None in (higher, slower) else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    """The smallest and the largest d_k."""
    values = row(runs[0], "d_k")
    ends = [f"{d_k:.0f}" for d_k in sorted({min(values), max(values)})]
    picture, axes = figure(columns=len(ends))
    labels = {
        "scaled": tr("with $1/\\sqrt{d_k}$", "有 $1/\\sqrt{d_k}$"),
        "unscaled": tr("without", "没有"),
        "small_start": tr("without, smaller start", "没有，但初值较小"),
    }
    for panel, d_k in zip(axes, ends, strict=True):
        for index, (side, label) in enumerate(labels.items()):
            lines(panel, row(runs[0], "step"), [row(run, f"{side}_{d_k}_loss") for run in runs], label, index)
        panel.axhline(BLIND, color="grey", ls=":", lw=1)
        panel.set(title=f"$d_k = {d_k}$", xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"))
        plain_log(panel)
        panel.set_ylim(min(SOLVED, LEARNT) / 5, 3 * BLIND)
    axes[0].legend(loc="lower left")
    return picture


EXPERIMENT = Experiment("L5", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
