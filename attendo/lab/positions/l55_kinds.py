"""L55: a position as a number, scaled, in bits, in sines, learned and as a rotation; also on longer sequences."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, points
from attendo.lab.tools.measuring import difference, interval, log_ratio, on_the_way, settled, unseen_generator
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.toy_training import EncoderAlone, accuracy, toy_config
from attendo.lab.tools.tuning import train_side
from attendo.model.config import TransformerConfig
from attendo.model.parts import Parts
from attendo.model.positions import LearnedPositions, Positions, RotaryPositions, SinusoidalPositions
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 4, 12)
KNOBS = (Knob("steps", by_size(4, 700, 4_000), 2, 100_000), Knob("length", by_size(6, 12, 12), 4, 64))
SYMBOLS, D_MODEL, HEADS = 8, 32, 4
BACK = 2  # how far the symbol stands before the place where it is asked for
LONGER = (1.0, 1.25, 1.5, 2.0)  # times the length of training
BLIND = math.log(SYMBOLS)
LEARNT = 0.1 * BLIND
WORSE = 0.1  # in the loss at the end
SOONER = 1.25  # times as many steps
RIGHT = 0.95  # of the answers: it has learnt the task


class NumberPositions(Positions):
    """pos · w is added, w being d_model numbers that start at 1: at first the number itself, in every column.

    So training may stretch it in each column as it likes; all positions stay on one line.
    """

    def __init__(self, d_model: int, unit: float) -> None:
        super().__init__()
        self.unit = unit
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor, position_ids: Tensor, end: int) -> Tensor:
        return x + position_ids[..., None] * self.unit * self.weight


class BinaryPositions(Positions):
    """The notes' 32 bits of a number: column b gets bit b, as 0 or 1."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model

    def forward(self, x: Tensor, position_ids: Tensor, end: int) -> Tensor:
        bit = torch.arange(self.d_model, device=position_ids.device)
        return x + ((position_ids[..., None] >> bit) & 1).to(x.dtype)


def kinds(length: int) -> Mapping[str, Callable[[], Positions]]:
    """By name, for sequences of this length in training. The learned table has rows for the longest of the test."""
    return {
        "integer": partial(NumberPositions, D_MODEL, 1.0),
        "scaled": partial(NumberPositions, D_MODEL, 1.0 / (length - 1)),
        "binary": partial(BinaryPositions, D_MODEL),
        "sinusoidal": partial(SinusoidalPositions, D_MODEL),
        "learned": partial(LearnedPositions, round(max(LONGER) * length), D_MODEL),
        "rotary": partial(RotaryPositions, D_MODEL // HEADS, 10_000.0),
    }


class Fetcher(EncoderAlone):
    """Of two layers, with positions that are handed in."""

    def __init__(self, positions: Callable[[], Positions], seed: int) -> None:
        config: TransformerConfig = toy_config(
            SYMBOLS, D_MODEL, 2 * D_MODEL, HEADS, tied_output=False, encoder_layers=2
        )
        Transformer.__init__(self, config, Parts(positions=lambda config: positions()))
        del self.decoder


def earlier_symbols(length: int, pairs: int, generator: torch.Generator) -> Batch:
    """Each position answers with the symbol BACK places before it; the first ones are not asked.

    a b c d e  ->  _ _ a b c
    """
    x = torch.randint(FIRST_SYMBOL, FIRST_SYMBOL + SYMBOLS, (pairs, length), generator=generator)
    y = x.roll(BACK, dims=1)
    y[:, :BACK] = SPECIAL.pad
    return Batch(x, x, y, pairs * (length - BACK))


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    length = at.whole("length")
    tested = [round(times * length) for times in LONGER]
    runs = rows_to_fill(seeds, blind=BLIND, tested=[float(n) for n in tested])
    for name, positions in kinds(length).items():
        build, sequences = partial(Fetcher, positions), partial(earlier_symbols, length)
        side = train_side("L55", name, at, seeds, build, sequences, 16, least=on_the_way)
        side.add_to(runs, name, LEARNT)
        for run, seed, model in zip(runs, seeds, side.models, strict=True):
            count = 5 if at.size == "small" else 200
            right = [accuracy(model, earlier_symbols(n, count, unseen_generator(seed))) for n in tested]
            run |= {f"{name}_by_length": right, f"{name}_right": right[0], f"{name}_longer": right[-1]}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Against sinusoidal positions, seed by seed, at the length of training. Worse: the loss at the end is higher by
    more than WORSE, though it has stopped improving. Later: more than SOONER times the steps until it is learnt.

    Sines must have learnt the task (RIGHT), else it is undecided. The number is worse both as it is and scaled down:
    holds. One of them is worse, or one merely later: only if. Neither: does not hold; undecided where a loss
    straddles its limit or still improves.
    """
    if interval(over_seeds(runs, "sinusoidal_right")).low < RIGHT:
        return "undecided"
    worse, later, open_ends = [], [], []
    for name in ("integer", "scaled"):
        loss = difference(over_seeds(runs, name), over_seeds(runs, "sinusoidal"))
        worse.append(loss.low > WORSE and settled(runs, name))
        open_ends.append(loss.high >= WORSE and not worse[-1])
        steps = log_ratio(over_seeds(runs, f"{name}_learnt"), over_seeds(runs, "sinusoidal_learnt"))
        later.append(steps[1] > SOONER)
    if all(worse):
        return "holds"
    if any(worse + later):
        return "holds only if"
    return "undecided" if any(open_ends) else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(columns=2, width=7.2)
    labels = {
        "integer": tr("integer", "整数"),
        "scaled": tr("scaled", "缩放"),
        "binary": tr("binary", "二进制"),
        "sinusoidal": tr("sinusoidal", "正弦"),
        "learned": tr("learned", "可学习"),
        "rotary": tr("rotary", "旋转"),
    }
    points(left, list(labels.values()), [over_seeds(runs, f"{name}_right") for name in labels])
    left.axhline(1 / SYMBOLS, color="grey", ls=":", lw=1.5)
    left.set(ylabel=tr("accuracy", "准确率"), ylim=(0, 1.05), title=tr("length of training", "训练时的长度"))
    for index, (name, label) in enumerate(labels.items()):
        band(right, row(runs[0], "tested"), [row(run, f"{name}_by_length") for run in runs], label, index)
    right.axvline(number(runs[0], "length"), color="grey", lw=1)
    right.set(xlabel=tr("length", "序列长度"), ylim=(0, 1.05), title=tr("longer sequences", "更长的序列"))
    right.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return picture


EXPERIMENT = Experiment("L55", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
