"""L23: the four models with and without positions, with and without the causal mask."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.decoding.greedy import greedy_decode
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, legend_below, points
from attendo.lab.tools.measuring import CHANCE, curve, curve_steps, settled, unseen_generator
from attendo.lab.tools.toy_tasks import reversal_of_length
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model import masks
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 8, 32)
KNOBS = (
    Knob("steps", by_size(4, 600, 2_000), 2, 100_000),
    Knob("length", by_size(6, 6, 6), 2, 32),
)
SYMBOLS = 10
POINTS = 24  # of a curve
CELLS = ("both", "only_mask", "only_positions", "neither")
LEARNT = 0.1  # nats
MUCH = 0.02  # of the tokens: what a part may cost that is left out and not missed, one token in fifty


class Unmasked(Transformer):
    """While it learns, every position of the target sees all others, the token it must predict among them."""

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:  # type: ignore[override]
        x, _ = self.embed(target_in, self.target_positions)
        return self.output(self.decoder(x, self.encode(source), None, masks.real(source, SPECIAL.pad)))


def build(cell: str, seed: int) -> Transformer:
    config = toy_config(
        SYMBOLS, 32, 128, num_heads=2, positions="sinusoidal" if cell in ("both", "only_positions") else "none"
    )
    return Transformer(config) if cell in ("both", "only_mask") else Unmasked(config)


def share_right(model: Transformer, batch: Batch) -> float:
    """The share of tokens, </s> included, that greedy search puts at the right position; it has no future to see."""
    length = batch.target_out.shape[1]
    output = greedy_decode(model.eval(), batch.source, length)
    missing = torch.full((len(output), length - output.shape[1]), SPECIAL.pad)
    return float((torch.cat((output, missing), dim=1) == batch.target_out).float().mean())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, step=curve_steps(at.whole("steps"), POINTS))
    sequences = partial(reversal_of_length, at.whole("length"), SYMBOLS)
    for cell in CELLS:
        side = train_side("L23", cell, at, seeds, partial(build, cell), sequences, pairs=32)
        side.add_to(runs, cell, LEARNT)
        for run, seed, model, losses in zip(runs, seeds, side.models, side.losses.T, strict=True):
            run[f"{cell}_curve"] = curve(losses, POINTS)
            run[f"{cell}_right"] = share_right(model, sequences(200, unseen_generator(seed)))
    best = over_seeds(runs, "both_right")
    for cell in ("only_mask", "only_positions"):
        missed = sum(missed_in(best, over_seeds(runs, f"{cell}_right"))) / len(runs)
        for run in runs:
            run[f"{cell}_missed"] = missed
    return list(runs)


def missed_in(best: Sequence[float], without: Sequence[float]) -> list[bool]:
    """Of each seed, whether what was left out is missed: greedy search gets worse by more than MUCH."""
    return [a - b > MUCH for a, b in zip(best, without, strict=True)]


def judge(runs: Runs) -> Verdict:
    """Each part is left out once. A seed goes one way or the other, with little between, so seeds are counted: in how
    many is the part missed? If those are more than chance would put on that side (Fisher's exact test: with both parts
    nothing is missed), nothing has replaced the part, though a lucky start may do without it.

    Both parts missed: neither replaces the other, it holds. One of them not, and in fewer than half of the seeds (sign
    test): does not hold. Undecided between, or if a part is missed by models that have not stopped improving.
    """
    best, found = over_seeds(runs, "both_right"), []
    for cell in ("only_mask", "only_positions"):
        missed = sum(missed_in(best, over_seeds(runs, f"{cell}_right")))
        all_on_one_side = math.comb(len(runs), missed) / math.comb(2 * len(runs), missed)
        if all_on_one_side >= CHANCE and at_least_by_chance(len(runs) - missed, len(runs)) < CHANCE:
            return "does not hold"
        found.append(all_on_one_side < CHANCE and settled(runs, cell))
    return "holds" if all(found) else "undecided"


def at_least_by_chance(heads: int, tosses: int) -> float:
    """The probability of so many heads, or more."""
    return float(sum(math.comb(tosses, n) for n in range(heads, tosses + 1)) / 2**tosses)


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (learning, decoding) = figure(columns=2)
    labels = (
        tr("both", "两者都有"),
        tr("mask\nonly", "只有\n掩码"),
        tr("positions\nonly", "只有\n位置编码"),
        tr("neither", "都没有"),
    )
    for index, (cell, label) in enumerate(zip(CELLS, labels, strict=True)):
        band(
            learning,
            row(runs[0], "step"),
            [row(run, f"{cell}_curve") for run in runs],
            label.replace("\n", tr(" ", "")),
            index,
        )
    learning.set(xlabel=tr("step", "训练步数"), ylabel=tr("training loss", "训练损失"), ylim=(0, None))
    legend_below(picture, learning)
    points(decoding, labels, [over_seeds(runs, f"{cell}_right") for cell in CELLS])
    decoding.set(ylabel=tr("accuracy of greedy search", "贪心搜索的准确率"), ylim=(-0.05, 1.05))
    return picture


EXPERIMENT = Experiment("L23", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
