"""L48: whether learned positions come to know how far apart they are, by what the task asks for."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional as F

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, band, figure
from attendo.lab.tools.measuring import interval, on_the_way, unseen_generator
from attendo.lab.tools.rank_correlation import rank_correlation
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.toy_training import EncoderAlone, accuracy, toy_config
from attendo.lab.tools.tuning import build_seeded, train_side
from attendo.model.positions import LearnedPositions
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 8, 16)
KNOBS = (
    Knob("steps", by_size(4, 800, 2_000), 2, 100_000),
    Knob("positions", by_size(8, 16, 16), 8, 64),
    Knob("reach", by_size(2, 2, 2), 1, 3),
)
SYMBOLS = 2
TASKS = ("near", "shuffled")
BLIND = math.log(SYMBOLS)
LEARNT = 0.5 * BLIND
KNOWS = 0.4  # a rank correlation with the distance that is at least moderate


class Placed(EncoderAlone):
    """Of two layers, with a row of numbers for each position that starts by chance."""

    def __init__(self, positions: int, seed: int) -> None:
        sizes = {"positions": "learned", "max_length": positions, "encoder_layers": 2, "tied_output": False}
        super().__init__(toy_config(SYMBOLS, 32, 64, 4, **sizes))

    @property
    def table(self) -> Tensor:
        """[positions, d_model]"""
        if not isinstance(self.source_positions, LearnedPositions):
            raise TypeError("expected learned positions")
        return self.source_positions.weight.detach()


def order_of(task: str, positions: int) -> Tensor:
    """The places in the order in which they are neighbours: as they stand, or in one that is always the same."""
    if task == "near":
        return torch.arange(positions)
    return torch.randperm(positions, generator=torch.Generator().manual_seed(0))


def majorities(order: Tensor, reach: int, pairs: int, generator: torch.Generator) -> Batch:
    """Each place answers which of two symbols most of its neighbours have, itself among them; `reach` of them on either
    side. Those at the ends, with fewer, are not asked.

    With a reach of 1, and places in order:  a a b a b b  ->  _ a a b b _
    """
    x = torch.randint(0, SYMBOLS, (pairs, len(order)), generator=generator)
    votes = x[:, order].unfold(1, 2 * reach + 1, 1).sum(-1)  # of those that are asked
    asked = order[reach : len(order) - reach]
    y = torch.full_like(x, SPECIAL.pad)
    y[:, asked] = FIRST_SYMBOL + (votes > reach).long()
    return Batch(x + FIRST_SYMBOL, x + FIRST_SYMBOL, y, votes.numel())


def distances(table: Tensor) -> tuple[Tensor, Tensor]:
    """Of all pairs i < j: j - i, and the cosine of their rows, once the mean row is taken away."""
    rows = F.normalize(table.double() - table.double().mean(0), dim=-1)
    i, j = torch.triu_indices(len(rows), len(rows), offset=1)
    return j - i, (rows[i] * rows[j]).sum(-1)


def of_the_table(name: str, table: Tensor) -> dict[str, float | list[float]]:
    """How well the cosine tells the distance; its mean at each distance; and of all pairs of pairs with different
    distances, in how many the nearer pair has the larger cosine (the notes' 1 and 2 against 3 and 10)."""
    apart, cosine = distances(table)
    nearer = apart[:, None] < apart
    right = (cosine[:, None] > cosine)[nearer].double().mean()
    return {
        f"{name}_knows": -rank_correlation(apart, cosine),
        f"{name}_cosine": [float(cosine[apart == distance].mean()) for distance in range(1, len(table))],
        f"{name}_neighbours": float(cosine[apart == 1].mean()),
        f"{name}_nearer": float(right),
    }


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    positions = at.whole("positions")
    runs = rows_to_fill(seeds, blind=BLIND, distance=list(range(1, positions)))
    build = partial(Placed, positions)
    for task in TASKS:
        order = order_of(task, positions)
        sequences = partial(majorities, order, at.whole("reach"))
        side = train_side("L48", task, at, seeds, build, sequences, 32, least=on_the_way)
        side.add_to(runs, task, LEARNT)
        for run, seed, model in zip(runs, seeds, side.models, strict=True):
            run |= of_the_table(task, model.table)
            run[f"{task}_right"] = accuracy(model, sequences(200, unseen_generator(seed)))
            run[f"{task}_knows_its_own"] = -rank_correlation(*distances(model.table[order]))
    for run, seed in zip(runs, seeds, strict=True):
        run |= of_the_table("untrained", build_seeded(build, seed).table)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """A position table knows distances if its rank correlation with them is above KNOWS, and does not if it is below.

    The question is answered yes (holds) if it does after both tasks, only if the task asks for distances if it does
    after that one alone, no (does not hold) if it does after neither. Undecided where an interval straddles KNOWS.
    """
    knows = {task: interval(over_seeds(runs, f"{task}_knows")) for task in TASKS}
    if any(around.low <= KNOWS <= around.high for around in knows.values()):
        return "undecided"
    if knows["near"].low <= KNOWS:
        return "does not hold"
    return "holds" if knows["shuffled"].low > KNOWS else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2)
    labels = {
        "near": tr("neighbours stand side by side", "邻居就在旁边"),
        "shuffled": tr("neighbours stand anywhere", "邻居分散在各处"),
        "untrained": tr("before training", "训练之前"),
    }
    for index, (name, label) in enumerate(labels.items()):
        band(left, row(runs[0], "distance"), [row(run, f"{name}_cosine") for run in runs], label, index)
    left.set(xlabel=tr("distance $|i-j|$", "距离 $|i-j|$"), ylabel=tr("cosine of two positions", "两个位置向量的余弦"))
    left.legend()
    ticks = [tr("side by side", "就在旁边"), tr("anywhere", "分散各处"), tr("untrained", "未训练")]
    for index, name in enumerate(labels):
        values = over_seeds(runs, f"{name}_nearer")
        right.plot([index] * len(values), values, "o", color=COLOURS[index], ms=8, alpha=0.6, mew=0)
    right.axhline(0.5, color="grey", ls=":", lw=1.5)
    right.set_xticks(range(len(ticks)), ticks)
    right.set(ylim=(0, 1.05), xlim=(-0.6, len(ticks) - 0.4))
    right.set_ylabel(tr("nearer pair has the larger cosine", "距离近的一对余弦更大的比例"))
    return picture


EXPERIMENT = Experiment("L48", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
