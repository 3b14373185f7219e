"""L45: how long embeddings are before and after training, in the shipped model and in a toy, against positions."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure, points
from attendo.lab.tools.default_model import build_untrained, default_model
from attendo.lab.tools.measuring import log_ratio
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL, reversal
from attendo.lab.tools.toy_training import Budget, toy_config, train_together
from attendo.lab.tools.tuning import build_seeded
from attendo.model.positions import sinusoidal_encoding
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 4, 8)
KNOBS = (
    Knob("steps", by_size((0, 2), (0, 100, 300), (0, 100, 300, 1000)), 0, 100_000),
    Knob("rate", by_size(0.005, 0.005, 0.005), 1e-5, 1.0),
    Knob("rows", by_size(100, 2000, 2000), 2, 15_000),
)
SYMBOLS, D_MODEL = 10, 64
LENGTH = 4  # of what the toy reverses
SIDES = {"tied": True, "apart": False}  # whether the table is the output's, too


def sequences(pairs: int, generator: torch.Generator) -> Batch:
    return reversal(pairs, range(LENGTH, LENGTH + 1), SYMBOLS, generator)


def build(tied: bool, seed: int) -> Transformer:
    return Transformer(toy_config(SYMBOLS, D_MODEL, 2 * D_MODEL, num_heads=4, tied_output=tied))


@torch.no_grad()
def mean_length(model: Transformer, rows: Sequence[int]) -> float:
    """Of these rows of the table, without the factor √d_model."""
    return float(model.embedding.weight[rows].norm(dim=1).mean())


def position_length(d_model: int) -> float:
    return float(sinusoidal_encoding(torch.arange(50)[None], d_model).norm(dim=-1).mean())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """Of the shipped model, each seed takes other rows of the table, and an untrained model of its own."""
    model, _ = default_model()
    d_model = model.config.d_model
    steps = sorted(at.wholes("steps"))
    runs = rows_to_fill(
        seeds, d_model=d_model, factor=math.sqrt(d_model), position=position_length(d_model), last=steps[-1],
        toy_position=position_length(D_MODEL),
    )  # fmt: skip
    for run, seed in zip(runs, seeds, strict=True):
        order = torch.randperm(model.config.vocab_size, generator=torch.Generator().manual_seed(seed))
        some = order[: at.whole("rows")].tolist()
        run |= {"before": mean_length(build_untrained(model, seed), some), "after": mean_length(model, some)}
        run |= {"before_scaled": number(run, "before") * math.sqrt(d_model)}
        run |= {"after_scaled": number(run, "after") * math.sqrt(d_model)}
    symbols = list(range(FIRST_SYMBOL, FIRST_SYMBOL + SYMBOLS))
    for name, tied in SIDES.items():
        by_steps = []
        for count in steps:
            models = [build_seeded(partial(build, tied), seed) for seed in seeds]
            if count:
                train_together(models, sequences, seeds, Budget(count, 16, at.real("rate")))
            by_steps.append([mean_length(model, symbols) for model in models])
        for run, own in zip(runs, zip(*by_steps, strict=True), strict=True):
            run |= {name: list(own), f"{name}_before": own[0], f"{name}_after": own[-1]}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Does training make them shorter? After against before, seed by seed: in the shipped model, in the toy whose
    output shares the table, and in the toy whose output does not.

    Shorter in all: holds. In some: only if. Longer in all: does not hold. Undecided where an interval straddles 1.
    """
    sides = [("after", "before"), *((f"{name}_after", f"{name}_before") for name in SIDES)]
    ratios = [log_ratio(over_seeds(runs, after), over_seeds(runs, before)) for after, before in sides]
    if all(high < 1 for _, _, high in ratios):
        return "holds"
    if all(low > 1 for _, low, _ in ratios):
        return "does not hold"
    shorter, longer = (any(test) for test in ([high < 1 for *_, high in ratios], [low > 1 for _, low, _ in ratios]))
    return "holds only if" if shorter and longer else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (shipped, toy) = figure(columns=2)
    names = {
        "before": tr("before\ntraining", "训练前"), "after": tr("after", "训练后"),
        "after_scaled": tr(r"after, $\times\sqrt{d}$", r"训练后$\times\sqrt{d}$"),
    }  # fmt: skip
    points(shipped, list(names.values()), [over_seeds(runs, name) for name in names])
    positions = tr("position encoding", "位置编码")
    shipped.axhline(number(runs[0], "position"), color="grey", ls="--", lw=1.5, label=positions)
    shipped.set(title=tr("the shipped model", "默认模型"), ylabel=tr("length of an embedding", "词向量的长度"))
    shipped.set_ylim(bottom=0)
    shipped.legend()
    labels = {"tied": tr("table shared with the output", "与输出层共用"), "apart": tr("not shared", "不共用")}
    for index, (name, label) in enumerate(labels.items()):
        band(toy, sorted(row(runs[0], "steps")), [row(run, name) for run in runs], label, index)
    toy.axhline(1, color=COLOURS[6], ls=":", lw=1)
    toy.set(title=tr("a toy", "小模型"), xlabel=tr("training steps", "训练步数"))
    toy.set_ylim(bottom=0)
    toy.legend(loc="lower right")
    return picture


EXPERIMENT = Experiment("L45", measure, judge, draw, KNOBS, SEEDS)
