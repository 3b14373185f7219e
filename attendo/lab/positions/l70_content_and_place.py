"""L70: what is found by its content and what by its place, near and far, with positions and without."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.measuring import difference, settled, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.toy_training import EncoderAlone, accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 6, 8)
KNOBS = (
    Knob("steps", by_size(4, 800, 1_500), 2, 100_000),
    Knob("distances", by_size((1, 4), (1, 4, 12), (1, 4, 12)), 1, 15),
)
D_MODEL, LENGTH, KEYS, VALUES = 32, 16, 8, 8
# Ids, after the special ones: the values that are asked for; questions, one for each key; facts, a key with its value.
QUESTION, FACT = VALUES, VALUES + KEYS
BLIND = math.log(VALUES)
LEARNT = 0.1 * BLIND
COSTS = 0.1  # of the answers: less is no loss


class Finder(EncoderAlone):
    def __init__(self, placed: bool, seed: int) -> None:
        kind = "sinusoidal" if placed else "none"
        symbols = FACT + KEYS * VALUES
        super().__init__(toy_config(symbols, D_MODEL, 2 * D_MODEL, 2, tied_output=False, positions=kind))


def by_content(pairs: int, generator: torch.Generator) -> Batch:
    """Facts (key, value) and questions (key), in any order; the answer to a question is the value of its key."""
    order = torch.rand(pairs, 2 * KEYS, generator=generator).argsort(dim=1)  # which thing stands at each position
    key, asks = order % KEYS, order >= KEYS
    values = torch.randint(0, VALUES, (pairs, KEYS), generator=generator).gather(1, key)
    x = FIRST_SYMBOL + torch.where(asks, QUESTION + key, FACT + VALUES * key + values)
    return Batch(x, x, torch.where(asks, FIRST_SYMBOL + values, SPECIAL.pad), int(asks.sum()))


def by_place(distance: int, pairs: int, generator: torch.Generator) -> Batch:
    """The answer is the value so many positions before; nothing is asked before there is one."""
    x = FIRST_SYMBOL + torch.randint(0, VALUES, (pairs, LENGTH), generator=generator)
    y = x.roll(distance, dims=1)
    y[:, :distance] = SPECIAL.pad
    return Batch(x, x, y, int((y != SPECIAL.pad).sum()))


@torch.no_grad()
def content_accuracy(model: Finder, seed: int) -> Tensor:
    """The share of right answers by the distance between a question and its fact, 1 to LENGTH - 1."""
    batch = by_content(2_000, unseen_generator(seed))
    right = model.eval()(batch.source, batch.target_in).argmax(-1) == batch.target_out
    thing = batch.source - FIRST_SYMBOL
    asks = thing < FACT
    key = torch.where(asks, thing - QUESTION, (thing - FACT) // VALUES)
    belongs = (key[:, :, None] == key[:, None, :]) & asks[:, :, None] & ~asks[:, None, :]  # [pairs, question, fact]
    position = torch.arange(LENGTH)
    apart = (belongs * (position[:, None] - position).abs()).sum(-1)  # 0 where nothing is asked
    return torch.tensor([right[apart == distance].float().mean() for distance in range(1, LENGTH)])


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    distances = at.wholes("distances")
    runs = rows_to_fill(seeds, blind=BLIND, chance=1 / VALUES)
    for how, placed in (("with", True), ("without", False)):
        build = partial(Finder, placed)
        name = f"content_{how}"
        side = train_side("L70", name, at, seeds, build, by_content, pairs=32)
        for run, seed, model, numbers in zip(runs, seeds, side.models, side.numbers(name, LEARNT), strict=True):
            found = content_accuracy(model, seed)[[distance - 1 for distance in distances]].tolist()
            run |= {**numbers, f"{name}_right": found, f"{name}_near": found[0], f"{name}_far": found[-1]}
        for distance in distances:
            name = f"place_{how}_{distance}"
            drawn = partial(by_place, distance)
            side = train_side("L70", name, at, seeds, build, drawn, pairs=32)
            for run, seed, model, numbers in zip(runs, seeds, side.models, side.numbers(name, LEARNT), strict=True):
                run |= {**numbers, f"{name}_right": accuracy(model, drawn(300, unseen_generator(seed)))}
        for run in runs:
            each = [run[f"place_{how}_{distance}_right"] for distance in distances]
            run |= {f"place_{how}_right": each, f"place_{how}_near": each[0], f"place_{how}_far": each[-1]}  # type: ignore[dict-item]
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """What it costs to leave out the positions, in accuracy, at the first of the distances and at the last; more than
    COSTS (95 % interval) is a loss.

    Near, and not far, in either kind: holds. By place at both distances, by content at neither: only if one speaks of
    content and place rather than of far and near. Anything else: does not hold. Undecided where an interval straddles
    COSTS, or where a side that has lost has not stopped improving.
    """
    lost = {}
    for kind in ("content", "place"):
        for where in ("near", "far"):
            cost = difference(*(over_seeds(runs, f"{kind}_{how}_{where}") for how in ("with", "without")))
            if cost.low <= COSTS <= cost.high:
                return "undecided"
            lost[kind, where] = cost.low > COSTS
    last = f"{row(runs[0], 'distances')[-1]:.0f}"
    for kind, name in (("content", "content_without"), ("place", f"place_without_{last}")):
        if lost[kind, "far"] and not settled(runs, name):
            return "undecided"
    if all(lost[kind, "near"] and not lost[kind, "far"] for kind in ("content", "place")):
        return "holds"
    as_kinds = (
        lost["place", "near"] and lost["place", "far"] and not (lost["content", "near"] or lost["content", "far"])
    )
    return "holds only if" if as_kinds else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, axes = figure(columns=2, width=5.8)
    titles = {"content": tr("found by its content", "按内容查找"), "place": tr("found by its place", "按位置查找")}
    hows = {"with": tr("with positions", "有位置编码"), "without": tr("without", "无位置编码")}
    distances = row(runs[0], "distances")
    for panel, (kind, title) in zip(axes, titles.items(), strict=True):
        for index, (how, label) in enumerate(hows.items()):
            band(panel, distances, [row(run, f"{kind}_{how}_right") for run in runs], label, index)
        panel.axhline(1 / VALUES, color="grey", ls=":")
        panel.set(title=title, ylim=(0, 1.05), xlabel=tr("distance", "距离"), xticks=distances)
    axes[0].set(ylabel=tr("accuracy", "准确率"))
    axes[0].legend(loc="center")
    return picture


EXPERIMENT = Experiment("L70", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
