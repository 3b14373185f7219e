"""L61: learned positions against sinusoidal ones, by the number of sequences to learn from."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, tick_at
from attendo.lab.tools.measuring import difference, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.toy_training import EncoderAlone, accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 6, 8)
KNOBS = (
    Knob("steps", by_size(4, 800, 1_500), 2, 100_000),
    Knob("sequences", by_size((8, 64), (16, 64, 1024), (16, 32, 64, 256, 1024)), 1, 1_000_000),
)
D_MODEL, SYMBOLS, LENGTH, BACK = 32, 8, 16, 3
KINDS = ("learned", "sinusoidal")
LEARNT = 0.1 * math.log(SYMBOLS)
WORSE = 0.05  # of the answers
POOL = 77  # the seed of the sequences to learn from: both kinds get the same ones


class PlacedReader(EncoderAlone):
    def __init__(self, kind: str, seed: int) -> None:
        config = toy_config(SYMBOLS, D_MODEL, 2 * D_MODEL, 2, tied_output=False, positions=kind, max_length=LENGTH)
        super().__init__(config)


def asked(x: torch.Tensor) -> Batch:
    """The answer is the symbol BACK positions before; nothing is asked before there is one."""
    y = x.roll(BACK, dims=1)
    y[:, :BACK] = SPECIAL.pad
    return Batch(x, x, y, int((y != SPECIAL.pad).sum()))


def random_sequences(count: int, generator: torch.Generator) -> torch.Tensor:
    return torch.randint(FIRST_SYMBOL, FIRST_SYMBOL + SYMBOLS, (count, LENGTH), generator=generator)


def from_pool(pool: torch.Tensor, pairs: int, generator: torch.Generator) -> Batch:
    """Some of a few sequences, again and again: there are no others to learn from."""
    return asked(pool[torch.randint(len(pool), (pairs,), generator=generator)])


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, chance=1 / SYMBOLS)
    for kind in KINDS:
        for count in at.wholes("sequences"):
            name = f"{kind}_{count}"
            draw_some = partial(from_pool, random_sequences(count, torch.Generator().manual_seed(POOL)))
            side = train_side("L61", name, at, seeds, partial(PlacedReader, kind), draw_some, pairs=32)
            for run, seed, model, numbers in zip(runs, seeds, side.models, side.numbers(name, LEARNT), strict=True):
                run |= numbers
                run[f"{name}_right"] = accuracy(model, asked(random_sequences(300, unseen_generator(seed))))
        for run in runs:
            each = [run[f"{kind}_{count}_right"] for count in at.wholes("sequences")]
            run |= {f"{kind}_right": each, f"{kind}_few": each[0], f"{kind}_many": each[-1]}  # type: ignore[dict-item]
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Worse: on sequences never seen, learned positions are right less often than sinusoidal ones, by more than WORSE
    (95 % interval). Worse with the most sequences: does not hold. Not worse with the most: holds, whether with the
    fewest they are (then the condition of the claim is needed) or not. Undecided where the interval straddles WORSE."""
    many = difference(over_seeds(runs, "sinusoidal_many"), over_seeds(runs, "learned_many"))
    if many.low <= WORSE <= many.high:
        return "undecided"
    return "does not hold" if many.low > WORSE else "holds"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=9.0, height=4.8)
    names = {"learned": tr("learned positions", "可学习的位置编码"), "sinusoidal": tr("sinusoidal", "正弦位置编码")}
    for index, (kind, label) in enumerate(names.items()):
        band(axes, row(runs[0], "sequences"), [row(run, f"{kind}_right") for run in runs], label, index)
    axes.axhline(1 / SYMBOLS, color="grey", ls=":")
    axes.set(xscale="log", ylim=(0, 1.05), xlabel=tr("sequences to learn from", "用于训练的序列数"))
    axes.set(ylabel=tr("accuracy on others", "在其他序列上的准确率"))
    tick_at(axes, row(runs[0], "sequences"))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return picture


EXPERIMENT = Experiment("L61", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
