"""L22: embeddings with the factor √d_model and without it, where order matters most and where the symbols do."""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.measuring import curve, curve_steps, difference
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL, reversal, running_sum
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.tools.tuning import budgets_of, train_tuned
from attendo.model.config import LayerConfig
from attendo.model.embeddings import TokenEmbedding
from attendo.model.parts import Parts
from attendo.model.positions import sinusoidal_encoding
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 6, 8)
D_MODEL, LENGTH = 64, 4
TASKS = {"moving": (reversal, 10), "computing": (running_sum, 3)}  # with the number of symbols
SIDES = ("scaled", "unscaled")
STEPS = by_size(2, 150, 2000)
POINTS = 20  # of a curve
WORSE = 0.1  # in the loss: the right token is given a probability lower by a tenth


def without_factor(config: LayerConfig) -> TokenEmbedding:
    return TokenEmbedding(config.vocab_size, config.d_model)


def build(symbols: int, side: str, seed: int) -> Transformer:
    config = toy_config(symbols, D_MODEL, 2 * D_MODEL, num_heads=4)
    return Transformer(config, Parts(embedding=without_factor) if side == "unscaled" else Parts())


def batch_of(toy: Callable[..., Batch], symbols: int, pairs: int, generator: torch.Generator) -> Batch:
    return toy(pairs, range(LENGTH, LENGTH + 1), symbols, generator)


@torch.no_grad()
def size_of_embeddings(model: Transformer) -> float:
    """The mean length of the symbols' vectors, as they meet their positions."""
    vectors: Tensor = model.embedding(torch.arange(FIRST_SYMBOL, model.config.vocab_size)[None])
    return float(vectors.norm(dim=-1).mean())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    position = float(sinusoidal_encoding(torch.arange(LENGTH)[None], D_MODEL).norm(dim=-1).mean())
    runs = rows_to_fill(seeds, step=curve_steps(STEPS[at.size], POINTS), position=position)
    for task, (toy, symbols) in TASKS.items():
        for side in SIDES:
            name, make = f"{task}_{side}", partial(build, symbols, side)
            budgets = budgets_of("L22", name, at.size, STEPS[at.size], 32)
            models, losses, rate = train_tuned(make, partial(batch_of, toy, symbols), seeds, budgets)
            for run, seed, model, loss in zip(runs, seeds, models, losses.T, strict=True):
                torch.manual_seed(seed)
                points = curve(loss, POINTS)
                run |= {name: points[-1], f"{name}_curve": points, f"rate_{name}": rate}
                run[f"{name}_before"] = size_of_embeddings(make(seed))
                run[f"{name}_after"] = size_of_embeddings(model)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Worse is the loss without the factor less that with it, seed by seed, on each of the two tasks.

    More than WORSE on both: holds. On neither: does not hold. Where symbols count, but not where positions do: only if.
    """
    gaps = [difference(*(over_seeds(runs, f"{task}_{side}") for side in reversed(SIDES))) for task in TASKS]
    if any(gap.low <= WORSE <= gap.high for gap in gaps):
        return "undecided"
    match [gap.low > WORSE for gap in gaps]:
        case [True, True]:
            return "holds"
        case [False, True]:
            return "holds only if"
        case [False, False]:
            return "does not hold"
    return "undecided"  # needed where positions count alone: the contrary of what we should expect


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=3, width=4.0)
    labels = (tr(r"$\times\sqrt{d_{model}}$", r"乘 $\sqrt{d_{model}}$"), tr("no factor", "不乘"))
    titles = (tr("reversal (moving)", "逆序（搬运）"), tr("running sum (computing)", "累加（计算）"))
    for panel, task, title in zip(axes, TASKS, titles, strict=False):
        for index, (side, label) in enumerate(zip(SIDES, labels, strict=True)):
            band(panel, row(runs[0], "step"), [row(run, f"{task}_{side}_curve") for run in runs], label, index)
        panel.set(title=title, xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
    for index, (side, label) in enumerate(zip(SIDES, labels, strict=True)):
        ends = [over_seeds(runs, f"computing_{side}_{when}") for when in ("before", "after")]
        band(axes[2], [0, 1], list(zip(*ends, strict=True)), label, index)
    axes[2].axhline(over_seeds(runs, "position")[0], color="grey", ls="--", label=tr("positions", "位置编码"))
    axes[2].set_xticks([0, 1], [tr("before training", "训练前"), tr("after", "训练后")])
    axes[2].set(title=tr("length of an embedding", "词向量的范数"), ylim=(0, None), xlim=(-0.2, 1.2))
    axes[2].legend(loc="center")
    return picture


EXPERIMENT = Experiment("L22", measure, judge, draw, (), SEEDS, evidence="trained", tunes=True)
