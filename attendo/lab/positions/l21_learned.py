"""L21: learned and sinusoidal positions on sequences as long as those of training, and on longer ones."""

from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import band, figure
from attendo.lab.tools.measuring import count_weights, curve, curve_steps, difference, unseen_generator
from attendo.lab.tools.toy_tasks import copying, draw_rows
from attendo.lab.tools.toy_training import accuracy, toy_config
from attendo.lab.tools.tuning import budgets_of, train_tuned
from attendo.model.config import Positions
from attendo.model.transformer import Transformer

SEEDS = by_size(2, 10, 12)
SYMBOLS = 8
SHORTEST, LONGEST = 3, 6  # in training
TESTED = range(SHORTEST, 2 * LONGEST + 1)
KINDS: tuple[Positions, ...] = ("sinusoidal", "learned")
STEPS = by_size(2, 300, 3000)
POINTS = 15  # of a curve
MARGIN = 0.02  # of all tokens: "about equally well" is a difference of less than one token in fifty


def build(kind: Positions, seed: int) -> Transformer:
    """A learned table has a row for every position of the test, too: those beyond LONGEST are never trained."""
    last = TESTED[-1] + 1  # with </s>
    return Transformer(toy_config(SYMBOLS, 32, 64, num_heads=4, positions=kind, max_length=last))


def short_ones(pairs: int, generator: torch.Generator) -> Batch:
    """Copies of all lengths of training, at least one of the longest: so every batch has the same shape."""
    rows = draw_rows(pairs - 1, range(SHORTEST, LONGEST + 1), SYMBOLS, generator)
    rows += draw_rows(1, range(LONGEST, LONGEST + 1), SYMBOLS, generator)
    return Batch.from_pairs([(line, line) for line in rows])


@torch.no_grad()
def beyond(model: Transformer, batch: Batch) -> float:
    """The share of right symbols at the positions that training never reached."""
    output = model(batch.source, batch.target_in).argmax(-1)
    return float((output == batch.target_out)[:, LONGEST:-1].float().mean())


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, step=curve_steps(STEPS[at.size], POINTS), length=list(TESTED))
    for kind in KINDS:
        budgets = budgets_of("L21", kind, at.size, STEPS[at.size], 24)
        models, losses, rate = train_tuned(partial(build, kind), short_ones, seeds, budgets)
        for run, seed, model, loss in zip(runs, seeds, models, losses.T, strict=True):
            generator = unseen_generator(seed)
            pairs = 5 if at.size == "small" else 200
            tests = [copying(pairs, range(n, n + 1), SYMBOLS, generator) for n in TESTED]
            right = [accuracy(model, test) for test in tests]
            trained = LONGEST - SHORTEST + 1
            points = curve(loss, POINTS)
            run |= {kind: right, f"{kind}_loss": points, f"{kind}_third": points[max(0, len(points) // 3 - 1)]}
            run |= {f"{kind}_trained": sum(right[:trained]) / trained, f"{kind}_one_more": right[trained]}
            run |= {f"{kind}_twice": right[-1], f"{kind}_beyond": beyond(model, tests[-1])}
            run |= {f"{kind}_weights": count_weights(model), f"rate_{kind}": rate}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """About equal: the interval of the difference, at lengths of training, lies within ±MARGIN. Not limited by the
    length: at twice the longest of these, sinusoidal positions lose less than MARGIN. Both: holds. The first alone:
    only if nothing is longer. Not the first: does not hold. An interval across a limit decides nothing.
    """
    sinusoidal, learned = (over_seeds(runs, f"{kind}_trained") for kind in KINDS)
    gap = difference(sinusoidal, learned)
    lost = difference(sinusoidal, over_seeds(runs, "sinusoidal_twice"))
    if gap.low > MARGIN or gap.high < -MARGIN:
        return "does not hold"
    if max(gap.high, -gap.low) > MARGIN or lost.low <= MARGIN <= lost.high:
        return "undecided"
    return "holds" if lost.high < MARGIN else "holds only if"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2, width=4.7)
    for index, (kind, label) in enumerate(
        zip(KINDS, (tr("sinusoidal", "三角函数"), tr("learned", "可学习")), strict=True)
    ):
        band(left, row(runs[0], "step"), [row(run, f"{kind}_loss") for run in runs], label, index)
        band(right, row(runs[0], "length"), [row(run, kind) for run in runs], label, index)
    left.set(xlabel=tr("step", "训练步数"), ylabel=tr("loss", "损失"), ylim=(0, None))
    right.axvspan(SHORTEST, LONGEST, color="grey", alpha=0.12, lw=0, label=tr("trained lengths", "训练过的长度"))
    right.set(xlabel=tr("length", "序列长度"), ylabel=tr("right tokens", "准确率"), ylim=(0, 1.05))
    right.legend(loc="lower left")
    return picture


EXPERIMENT = Experiment("L21", measure, judge, draw, (), SEEDS, evidence="trained", tunes=True)
