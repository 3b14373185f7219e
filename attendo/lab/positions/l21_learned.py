"""L21: learned and sinusoidal positions on sequences as long as those of training, and on longer ones."""

from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, legend_below
from attendo.lab.tools.measuring import (
    count_weights,
    curve,
    curve_steps,
    difference,
    settled,
    unseen_generator,
)
from attendo.lab.tools.toy_tasks import copying, draw_rows
from attendo.lab.tools.toy_training import accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.config import Positions
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 12, 16)
SHORTEST, LONGEST = 3, 6  # in training
KNOBS = (
    Knob("steps", by_size(4, 600, 3_000), 2, 100_000),
    Knob("longest", by_size(LONGEST, LONGEST, LONGEST), SHORTEST + 1, 48),
)
SYMBOLS = 8
KINDS: tuple[Positions, ...] = ("sinusoidal", "learned")
POINTS = 24  # of a curve
LEARNT = 0.1  # nats
MARGIN = 0.02  # of all tokens: "no different" is a difference of less than one token in fifty


def build(kind: Positions, seed: int, longest: int = LONGEST) -> Transformer:
    """A learned table has a row for every position of the test, too: those beyond the longest are never trained."""
    last = 2 * longest + 1  # with </s>
    return Transformer(toy_config(SYMBOLS, 32, 64, num_heads=4, positions=kind, max_length=last))


def short_ones(pairs: int, generator: torch.Generator, longest: int = LONGEST) -> Batch:
    """Copies of all lengths of training, at least one of the longest: so every batch has the same shape."""
    rows = draw_rows(pairs - 1, range(SHORTEST, longest + 1), SYMBOLS, generator)
    rows += draw_rows(1, range(longest, longest + 1), SYMBOLS, generator)
    return Batch.from_pairs([(line, line) for line in rows])


@torch.no_grad()
def beyond(model: Transformer, batch: Batch, longest: int) -> float:
    """The share of right symbols at the positions that training never reached."""
    output = model(batch.source, batch.target_in).argmax(-1)
    return float((output == batch.target_out)[:, longest:-1].float().mean())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    longest, pairs = at.whole("longest"), 5 if at.size == "small" else 200
    lengths = range(SHORTEST, 2 * longest + 1)
    runs = rows_to_fill(seeds, step=curve_steps(at.whole("steps"), POINTS), length=list(lengths))
    sequences = partial(short_ones, longest=longest)
    for kind in KINDS:
        make = partial(build, kind, longest=longest)
        side = train_side("L21", kind, at, seeds, make, sequences, pairs=24)
        side.add_to(runs, kind, LEARNT)
        for run, seed, model, losses in zip(runs, seeds, side.models, side.losses.T, strict=True):
            generator = unseen_generator(seed)
            tests = [copying(pairs, range(n, n + 1), SYMBOLS, generator) for n in lengths]
            right = [accuracy(model, test) for test in tests]
            trained = longest - SHORTEST + 1  # so many lengths
            run |= {f"{kind}_curve": curve(losses, POINTS), f"{kind}_right": right}
            run |= {f"{kind}_trained": sum(right[:trained]) / trained, f"{kind}_one_more": right[trained]}
            run |= {f"{kind}_twice": right[-1], f"{kind}_beyond": beyond(model, tests[-1], longest)}
            run[f"{kind}_weights"] = count_weights(model)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """No different: at the end, the interval of the difference in accuracy, at lengths of training, lies within
    ±MARGIN. Not limited by the length: at twice the longest of these, sinusoidal positions lose less than MARGIN. (How
    soon each is learnt is shown, and no part of it: the notes speak of results.)

    Both: holds. The first alone: only if nothing is longer. Not the first: does not hold. An interval across a limit
    decides nothing, nor does a side that is behind and has not stopped improving.
    """
    trained = {kind: over_seeds(runs, f"{kind}_trained") for kind in KINDS}
    gap = difference(trained["sinusoidal"], trained["learned"])
    lost = difference(trained["sinusoidal"], over_seeds(runs, "sinusoidal_twice"))
    if gap.low > MARGIN or gap.high < -MARGIN:
        return "does not hold" if settled(runs, "learned" if gap.low > MARGIN else "sinusoidal") else "undecided"
    if max(gap.high, -gap.low) > MARGIN or lost.low <= MARGIN <= lost.high:
        return "undecided"
    return "holds" if lost.high < MARGIN else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2)
    labels = (tr("sinusoidal", "正弦位置编码"), tr("learned", "可学习的位置编码"))
    for index, (kind, label) in enumerate(zip(KINDS, labels, strict=True)):
        band(left, row(runs[0], "step"), [row(run, f"{kind}_curve") for run in runs], label, index)
        band(right, row(runs[0], "length"), [row(run, f"{kind}_right") for run in runs], label, index)
    left.set(xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
    learnt_by = max(max(over_seeds(runs, f"{kind}_learnt")) for kind in KINDS)
    left.set_xlim(0, min(row(runs[0], "step")[-1], 3 * learnt_by))  # where the two sides differ
    legend_below(picture, left)
    longest = number(runs[0], "longest")
    right.axvspan(SHORTEST, longest, color="grey", alpha=0.15, lw=0)
    right.text((SHORTEST + longest) / 2, 0.5, tr("lengths\nof training", "训练过的\n长度"), ha="center")
    right.axhline(1 / SYMBOLS, color="grey", ls=":", lw=1)
    right.set(xlabel=tr("length", "序列长度"), ylabel=tr("accuracy", "准确率"), ylim=(0, 1.05))
    return picture


EXPERIMENT = Experiment("L21", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
