"""L23: the four models with and without positions, with and without the causal mask."""

from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.decoding.greedy import greedy_decode
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import band, bars, figure
from attendo.lab.tools.measuring import curve, curve_steps, difference, unseen_generator
from attendo.lab.tools.toy_tasks import reversal
from attendo.lab.tools.toy_training import toy_config
from attendo.lab.tools.tuning import budgets_of, train_tuned
from attendo.model import masks
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

# More than three: without a mask, now and then a model learns from the source all the same.
SEEDS = by_size(2, 6, 8)
SYMBOLS, LENGTH = 10, 6
STEPS = by_size(3, 300, 2000)
POINTS = 20  # of a curve
CELLS = ("both", "only_mask", "only_positions", "neither")
MUCH = 0.1  # of the tokens: a part that can be left out for less than that has been replaced by the other


class Unmasked(Transformer):
    """While it learns, every position of the target sees all others, the token it must say among them."""

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:  # type: ignore[override]
        x, _ = self.embed(target_in, self.target_positions)
        return self.output(self.decoder(x, self.encode(source), None, masks.real(source, SPECIAL.pad)))


def build(cell: str, seed: int) -> Transformer:
    config = toy_config(
        SYMBOLS, 32, 128, num_heads=2, positions="sinusoidal" if cell in ("both", "only_positions") else "none"
    )
    return Transformer(config) if cell in ("both", "only_mask") else Unmasked(config)


def sequences(pairs: int, generator: torch.Generator) -> Batch:
    return reversal(pairs, range(LENGTH, LENGTH + 1), SYMBOLS, generator)


def share_right(model: Transformer, batch: Batch) -> float:
    """The share of tokens, </s> included, that greedy search puts at the right position; it has no future to see."""
    output = greedy_decode(model.eval(), batch.source, LENGTH + 1)
    missing = torch.full((len(output), LENGTH + 1 - output.shape[1]), SPECIAL.pad)
    return float((torch.cat((output, missing), dim=1) == batch.target_out).float().mean())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, step=curve_steps(STEPS[at.size], POINTS))
    for cell in CELLS:
        budgets = budgets_of("L23", cell, at.size, STEPS[at.size], 32)
        models, losses, rate = train_tuned(partial(build, cell), sequences, seeds, budgets)
        for run, seed, model, loss in zip(runs, seeds, models, losses.T, strict=True):
            points = curve(loss, POINTS)
            never_seen = sequences(200, unseen_generator(seed))
            run |= {f"{cell}_loss": points[-1], f"{cell}_curve": points, f"rate_{cell}": rate}
            run[f"{cell}_right"] = share_right(model, never_seen)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Each part is left out once. If greedy search gets worse by more than MUCH both times, neither replaces the other.

    If one of them can be left out for less, it does not hold; an interval that straddles MUCH leaves it undecided.
    """
    whole = over_seeds(runs, "both_right")
    gaps = [difference(whole, over_seeds(runs, f"{cell}_right")) for cell in ("only_mask", "only_positions")]
    if any(gap.high < MUCH for gap in gaps):
        return "does not hold"
    return "holds" if all(gap.low > MUCH for gap in gaps) else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (learning, speaking) = figure(columns=2)
    labels = (
        tr("both", "两者都有"),
        tr("mask only", "只有掩码"),
        tr("positions only", "只有位置"),
        tr("neither", "都没有"),
    )
    for index, (cell, label) in enumerate(zip(CELLS, labels, strict=True)):
        band(learning, row(runs[0], "step"), [row(run, f"{cell}_curve") for run in runs], label, index)
    learning.set(xlabel=tr("step", "训练步数"), ylabel=tr("training loss", "训练损失"), ylim=(0, None))
    learning.legend()
    bars(speaking, labels, [over_seeds(runs, f"{cell}_right") for cell in CELLS])
    speaking.set(ylabel=tr("right tokens, greedy search", "贪心解码的准确率"), ylim=(0, 1.05))
    return picture


EXPERIMENT = Experiment("L23", measure, judge, draw, (), SEEDS, evidence="trained", tunes=True)
