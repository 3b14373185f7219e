"""L22: embeddings with the factor √d_model and without it, where order matters most and where the symbols do."""

import math
from collections.abc import Callable, Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure, legend_below
from attendo.lab.tools.measuring import curve, curve_steps, fails_more, is_more, log_ratio, settled
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL, reversal, running_sum
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.tools.tuning import build_seeded, train_side
from attendo.model.config import LayerConfig
from attendo.model.embeddings import TokenEmbedding
from attendo.model.parts import Parts
from attendo.model.positions import sinusoidal_encoding
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 10, 16)
KNOBS = (
    Knob("steps", by_size(4, 500, 2_000), 2, 100_000),
    Knob("width", by_size(16, 64, 64), 4, 512),  # d_model; the factor is its square root
)
LENGTH, HEADS = 4, 4
TASKS = {"moving": (reversal, 10), "computing": (running_sum, 3)}  # with the number of symbols
SIDES = ("scaled", "unscaled")
POINTS = 24  # of a curve
SLOWER = 1.05  # times as many steps: slower at all, by a twentieth


def without_factor(config: LayerConfig) -> TokenEmbedding:
    return TokenEmbedding(config.vocab_size, config.d_model)


def build(symbols: int, width: int, side: str, seed: int) -> Transformer:
    config = toy_config(symbols, width, 2 * width, HEADS)
    return Transformer(config, Parts(embedding=without_factor) if side == "unscaled" else Parts())


def batch_of(toy: Callable[..., Batch], symbols: int, pairs: int, generator: torch.Generator) -> Batch:
    return toy(pairs, range(LENGTH, LENGTH + 1), symbols, generator)


def learnt(symbols: int) -> float:
    """A tenth of the loss of a guess: </s> stands at the end, each symbol is as likely as the others."""
    return 0.1 * LENGTH / (LENGTH + 1) * math.log(symbols)


@torch.no_grad()
def size_of_embeddings(model: Transformer) -> float:
    """The mean length of the symbols' vectors, as they meet their positions."""
    vectors: Tensor = model.embedding(torch.arange(FIRST_SYMBOL, model.config.vocab_size)[None])
    return float(vectors.norm(dim=-1).mean())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    width = at.whole("width")
    position = float(sinusoidal_encoding(torch.arange(LENGTH)[None], width).norm(dim=-1).mean())
    runs = rows_to_fill(seeds, step=curve_steps(at.whole("steps"), POINTS), position=position)
    for task, (toy, symbols) in TASKS.items():
        sequences = partial(batch_of, toy, symbols)
        for side in SIDES:
            name, make = f"{task}_{side}", partial(build, symbols, width, side)
            trained = train_side("L22", name, at, seeds, make, sequences, pairs=32)
            trained.add_to(runs, name, learnt(symbols))
            for run, seed, losses in zip(runs, seeds, trained.losses.T, strict=True):
                run[f"{name}_curve"] = curve(losses, POINTS)
                run[f"{name}_before"] = size_of_embeddings(build_seeded(make, seed))
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Worse: without the factor more seeds have not learnt at the end (Fisher's exact test), and improve no more.
    Slower: without it learning takes more than SLOWER times the steps, seed by seed and in the mean, and that is no
    chance (95 % interval above 1). On each of the two tasks.

    Worse on both: the factor is needed, and it holds. Worse or slower on some task: only if. Neither on either: does
    not hold. Undecided where it cannot be said whether it is slower and nothing else decides, or where the side that is
    worse has not stopped improving.
    """
    worse, slower = [], []
    for task in TASKS:
        unscaled, scaled = f"{task}_unscaled", f"{task}_scaled"
        worse.append(fails_more(*(over_seeds(runs, f"{name}_failed") for name in (unscaled, scaled))))
        if worse[-1] and not settled(runs, unscaled):
            return "undecided"
        steps = log_ratio(*(over_seeds(runs, f"{name}_learnt") for name in (unscaled, scaled)))
        slower.append(is_more(*steps, SLOWER, nothing=1.0))
    if all(worse):
        return "holds"
    if any(worse) or True in slower:
        return "holds only if"
    return "undecided" if None in slower else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=3, width=4.4)
    labels = (tr(r"$\times\sqrt{d_{model}}$", r"乘 $\sqrt{d_{model}}$"), tr("no factor", "不乘"))
    titles = (tr("reversal", "逆序"), tr("running sum", "累加"))
    for panel, task, title in zip(axes, TASKS, titles, strict=False):
        for index, (side, label) in enumerate(zip(SIDES, labels, strict=True)):
            band(panel, row(runs[0], "step"), [row(run, f"{task}_{side}_curve") for run in runs], label, index)
        panel.set(title=title, xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
        learnt_by = max(max(over_seeds(runs, f"{task}_{side}_learnt")) for side in SIDES)
        panel.set_xlim(0, min(row(runs[0], "step")[-1], 3 * learnt_by))  # where the two sides differ
    legend_below(picture, axes[0])
    sizes = [number(runs[0], "position"), *(number(runs[0], f"computing_{side}_before") for side in SIDES)]
    names = (
        tr("position", "位置编码"),
        tr("embedding\nwith factor", "词向量\n（乘）"),
        tr("embedding\nwithout", "词向量\n（不乘）"),
    )
    shown = axes[2].bar(range(3), sizes, color=("grey", *COLOURS[:2]), width=0.62)
    axes[2].bar_label(shown, [f"{size:.1f}" for size in sizes])
    axes[2].set_xticks(range(3), names)
    axes[2].grid(visible=False, axis="x")
    axes[2].set(title=tr("length at the start", "训练前的范数"), ylim=(0, 1.15 * max(sizes)))
    return picture


EXPERIMENT = Experiment("L22", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
