"""L56: scores divided by other numbers than √d_k = 8: toys trained with each, and the shipped model as it is."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure, tick_at
from attendo.lab.tools.default_model import deal, default_model
from attendo.lab.tools.given_translations import (
    PLACES,
    changed_copy,
    divide_by,
    given_translations,
    mean_loss,
    sentence_losses,
)
from attendo.lab.tools.measuring import Interval, difference, interval, settled
from attendo.lab.tools.toy_tasks import reversal
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.config import LayerConfig
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.parts import Parts
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 4, 8)
KNOBS = (
    Knob("steps", by_size(4, 1_200, 1_500), 2, 100_000),
    Knob("divisors", by_size((1.0, 8.0), (1.0, 8.0, 64.0), (1.0, 4.0, 8.0, 16.0, 64.0)), 0.01, 10_000),
    Knob("pairs", by_size(2, 10, 40), 2, 40),
)
D_K, SYMBOLS = 64, 10  # one head as wide as the notes': √64 = 8
DEFAULT = 8.0
WORSE = 0.1  # in the loss: the right token is given a probability lower by a tenth
BLIND = math.log(SYMBOLS + 1)  # the loss of a guess; </s> is one of the answers
LEARNT = 0.1 * BLIND


class DividedBy(MultiHeadAttention):
    """softmax(QKᵀ / divisor) V: attention divides by √d_k, so q is multiplied by √d_k / divisor beforehand."""

    divisor = DEFAULT

    def attend(self, q: Tensor, k: Tensor, v: Tensor, may_attend: Tensor | None, record: list[Tensor] | None) -> Tensor:
        return super().attend(q * (math.sqrt(q.shape[-1]) / self.divisor), k, v, may_attend, record)


def attention_with(divisor: float, config: LayerConfig) -> DividedBy:
    attention = DividedBy.from_config(config)
    attention.divisor = divisor
    return attention


def build(divisor: float, seed: int) -> Transformer:
    attention = partial(attention_with, divisor)
    config = toy_config(SYMBOLS, D_K, 2 * D_K, num_heads=1)
    return Transformer(config, Parts(self_attention=attention, cross_attention=attention))


def sequences(pairs: int, generator: torch.Generator) -> Batch:
    return reversal(pairs, range(6, 7), SYMBOLS, generator)


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    divisors = sorted({DEFAULT, *at.reals("divisors")})
    runs = rows_to_fill(seeds, tried=divisors)
    model, tokenizer = default_model()
    batch = given_translations(tokenizer, at.whole("pairs"))
    parts = deal(range(len(batch.source)), seeds)
    for divisor in divisors:
        name = f"toy_{divisor:g}"
        side = train_side("L56", name, at, seeds, partial(build, divisor), sequences, pairs=16)
        losses = sentence_losses(changed_copy(model, list(PLACES), partial(divide_by, divisor)), batch)
        for run, numbers, own in zip(runs, side.numbers(name, LEARNT), parts, strict=True):
            run |= numbers | {f"shipped_{divisor:g}": mean_loss(losses[own])}
    for name in ("toy", "shipped"):
        kept = [f"{divisor:g}" for divisor in divisors if as_good(runs, f"{name}_{divisor:g}", f"{name}_{DEFAULT:g}")]
        for run in runs:
            run |= {f"{name}_least": float(kept[0]), f"{name}_most": float(kept[-1])}
    for run in runs:  # of the two ends, whatever they are
        for end, divisor in (("first", divisors[0]), ("last", divisors[-1])):
            run |= {f"{end}_{kind}": run[f"{kind}_{divisor:g}"] for kind in ("toy", "shipped")}
            run |= {f"{end}_learnt": run[f"toy_{divisor:g}_learnt"], end: divisor}
    return list(runs)


def behind(runs: Runs, name: str, default: str) -> Interval:
    return difference(over_seeds(runs, name), over_seeds(runs, default))


def as_good(runs: Runs, name: str, default: str) -> bool:
    return name == default or behind(runs, name, default).high < WORSE


def judge(runs: Runs) -> Verdict:
    """A divisor is as good as 8 if the toy trained with it ends with a loss that is higher by less than WORSE, and
    worse if it is higher by more.

    All as good: holds. Some, and others worse: only if. All others worse: does not hold. Undecided where none is worse
    and an interval straddles the limit, where one that is worse has not stopped improving, or where 8 itself has not
    learnt the task.
    """
    default = f"toy_{DEFAULT:g}"
    if interval(over_seeds(runs, default)).high > LEARNT:
        return "undecided"
    others = [f"toy_{divisor:g}" for divisor in row(runs[0], "tried") if divisor != DEFAULT]
    good = [name for name in others if as_good(runs, name, default)]
    worse = [name for name in others if behind(runs, name, default).low > WORSE]
    if not all(settled(runs, name) for name in worse):
        return "undecided"
    if len(good) == len(others):
        return "holds"
    if good and worse:
        return "holds only if"
    return "does not hold" if len(worse) == len(others) else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=3, width=4.6)
    tried = row(runs[0], "tried")
    loss, steps = tr("loss", "损失"), tr("steps until learnt", "学会所需步数")
    panels = (
        ("toy_{:g}", loss, tr("trained with the divisor", "用该除数训练")),
        ("toy_{:g}_learnt", steps, tr("trained with the divisor", "用该除数训练")),
        ("shipped_{:g}", loss, tr("changed afterwards", "训练后再改除数")),
    )
    for index, (panel, (name, label, title)) in enumerate(zip(axes, panels, strict=True)):
        seeds = [over_seeds(runs, name.format(divisor)) for divisor in tried]
        panel.plot(tried, [interval(values).mean for values in seeds], "o-", color=COLOURS[index], lw=2)
        for divisor, values in zip(tried, seeds, strict=True):
            panel.plot([divisor] * len(values), values, "o", color=COLOURS[index], alpha=0.35, ms=6)
        panel.axvline(DEFAULT, color="grey", ls=":", lw=1.5)
        panel.set(title=title, xscale="log", xlabel=tr("divisor", "除数"), ylabel=label)
        panel.set_ylim(bottom=0)
        tick_at(panel, tried)
    axes[0].axhline(BLIND, color="black", ls="--", lw=1.5, label=tr("random guess", "随机猜测"))
    axes[0].set_ylim(top=1.1 * max(BLIND, *(max(over_seeds(runs, f"toy_{divisor:g}")) for divisor in tried)))
    axes[0].legend(loc="center right")
    return picture


EXPERIMENT = Experiment("L56", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
