"""L47: the largest learning rate that works, and the steps it takes, with LayerNorm, RMSNorm and no norm."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, MARKERS, figure
from attendo.lab.tools.measuring import at_the_end, is_more, log_interval, log_ratio, steps_until, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.toy_training import Budget, EncoderAlone, toy_config, training_device
from attendo.lab.tools.tuning import train_anew
from attendo.model.norms import LayerNorm, RMSNorm
from attendo.model.parts import Parts
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 8, 8)
KNOBS = (
    Knob("steps", by_size(4, 300, 1_500), 2, 100_000),
    Knob("depths", by_size((1, 2), (2, 8), (2, 4, 8, 12)), 1, 100),
    Knob(
        "rates",
        by_size((1e-3, 1e-2), (1e-3, 5e-3, 2e-2), (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1)),
        1e-7,
        10.0,
    ),
)
NORMS = {
    "layer": Parts(norm=lambda config: LayerNorm(config.d_model)),
    "rms": Parts(norm=lambda config: RMSNorm(config.d_model)),
    "none": Parts(norm=lambda config: nn.Identity()),
}
D_MODEL, SYMBOLS, LENGTH = 16, 8, 6
BLIND = math.log(SYMBOLS)
LEARNT = 0.5 * BLIND  # a rate works if the loss comes below that
HOPELESS = 10 * BLIND  # what a loss counts that has grown beyond it, or is no number any more
LARGER = 1.5  # times: less than one step of the grid of rates
SOONER = 1.25  # times as many steps


class PlainStack(EncoderAlone):
    """Layers with residual connections, x + Sublayer(x), and this norm around each, or none."""

    def __init__(self, norm: str, depth: int, seed: int) -> None:
        config = toy_config(SYMBOLS, D_MODEL, 2 * D_MODEL, 2, tied_output=False, encoder_layers=depth)
        Transformer.__init__(self, config, NORMS[norm])
        del self.decoder


def first_symbol(pairs: int, generator: torch.Generator) -> Batch:
    """Every position must answer with the symbol at the first: one look, at a place that is always the same."""
    x = torch.randint(FIRST_SYMBOL, FIRST_SYMBOL + SYMBOLS, (pairs, LENGTH), generator=generator)
    return Batch(x, x, x[:, :1].repeat(1, LENGTH), x.numel())


@torch.no_grad()
def drift(model: PlainStack, batch: Batch) -> float:
    """Before any step: how many times as large the numbers are behind the last layer as before the first."""
    x, _ = model.embed(batch.source, model.source_positions)
    return float(model.encode(batch.source).std() / x.std())


def readable(loss: float) -> float:
    return loss if loss < HOPELESS else HOPELESS  # NaN is not below anything


def largest_that_works(rates: Sequence[float], ends: Sequence[float]) -> float:
    """Half of the smallest where none does: it would have to be smaller than all that were tried."""
    return max((rate for rate, end in zip(rates, ends, strict=True) if end < LEARNT), default=min(rates) / 2)


def of_one_seed(name: str, rates: Sequence[float], losses: Sequence[Tensor]) -> dict[str, float | list[float]]:
    """losses: [steps] for each rate."""
    ends = [readable(at_the_end(own)) for own in losses]
    width = min(10, len(losses[0]))
    learnt = [steps_until(LEARNT, own.nan_to_num(HOPELESS), width) for own in losses]
    return {
        f"{name}_ends": ends,
        f"{name}_end": min(ends),
        f"{name}_largest": largest_that_works(rates, ends),
        f"{name}_learnt": min(learnt),
    }


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    depths = at.wholes("depths")
    runs = rows_to_fill(seeds, blind=BLIND, deep=float(max(depths)), flat=float(min(depths)))
    device = training_device(at.size)
    rates = sorted(at.reals("rates"))
    budgets = [Budget(at.whole("steps"), 16, rate, device=device) for rate in rates]
    for norm in NORMS:
        for depth in depths:
            name, build = f"{norm}_{depth}", partial(PlainStack, norm, depth)
            tries = train_anew(build, first_symbol, seeds, budgets)
            for index, (run, seed) in enumerate(zip(runs, seeds, strict=True)):
                run |= of_one_seed(name, rates, [losses[:, index] for _, losses in tries])
                torch.manual_seed(seed)
                run[f"{name}_drift"] = drift(build(seed), first_symbol(50, unseen_generator(seed)))
    for run in runs:
        for norm in NORMS:
            for what in ("largest", "learnt", "drift", "end"):
                run |= {
                    f"{norm}_deep_{what}": run[f"{norm}_{max(depths)}_{what}"],
                    f"{norm}_flat_{what}": run[f"{norm}_{min(depths)}_{what}"],
                }
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Seed by seed, LayerNorm against none. Larger: the largest rate that works is more than LARGER times as large.
    Sooner: without a norm it takes more than SOONER times the steps, each at its fastest rate. Smaller: without a norm,
    the deepest stack asks for a rate that is smaller by more than LARGER than the flattest. Each in the mean, and no
    chance (95 % interval above 1).

    All three, and the first two in the flattest stack as well: holds. Larger or sooner in the deepest alone, or not
    all three: only if. Neither larger nor sooner in the deepest (both intervals below the limits): does not hold.
    """

    def more(first: str, second: str, limit: float) -> bool | None:
        return is_more(*log_ratio(over_seeds(runs, first), over_seeds(runs, second)), limit, nothing=1.0)

    larger = {stack: more(f"layer_{stack}_largest", f"none_{stack}_largest", LARGER) for stack in ("deep", "flat")}
    sooner = {stack: more(f"none_{stack}_learnt", f"layer_{stack}_learnt", SOONER) for stack in ("deep", "flat")}
    if not (larger["deep"] or sooner["deep"]):
        return "undecided" if None in (larger["deep"], sooner["deep"]) else "does not hold"
    smaller = more("none_flat_largest", "none_deep_largest", LARGER)
    return "holds" if smaller and all((*larger.values(), *sooner.values())) else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=3, width=4.6)
    labels = {"layer": "LayerNorm", "rms": "RMSNorm", "none": tr("no norm", "无归一化")}
    depths = sorted(row(runs[0], "depths"))
    titles = {
        "drift": tr("size after the last layer", "最后一层之后数值放大倍数"),
        "largest": tr("largest rate that works", "能用的最大学习率"),
        "learnt": tr("steps until learnt", "学会所需步数"),
    }
    for at, (what, title) in zip(axes, titles.items(), strict=True):
        for index, (norm, label) in enumerate(labels.items()):
            around = [log_interval(over_seeds(runs, f"{norm}_{depth:.0f}_{what}")) for depth in depths]
            means, low, high = zip(*around, strict=True)
            shifted = [depth * (1 + 0.04 * (index - 1)) for depth in depths]  # points side by side, not on each other
            errors = [
                [mean - one for mean, one in zip(means, low, strict=True)],
                [one - mean for mean, one in zip(means, high, strict=True)],
            ]
            at.errorbar(
                shifted, means, errors, fmt=f"{MARKERS[index]}-", color=COLOURS[index], label=label, capsize=4, ms=8
            )
        at.set(xscale="log", yscale="log", title=title, xlabel=tr("layers", "层数"))
        at.set_xticks(depths, [f"{depth:.0f}" for depth in depths])
        at.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        at.yaxis.set_major_formatter("{x:g}")
        for axis in (at.xaxis, at.yaxis):
            axis.set_minor_locator(NullLocator())
    axes[0].legend()
    return picture


EXPERIMENT = Experiment("L47", measure, judge, draw, KNOBS, SEEDS, evidence="trained")
