"""L30: two things an LSTM does better: the parity of a stream of bits, and a memory that does not grow with it."""

from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import band, figure, log_band, tick_at
from attendo.lab.tools.measuring import count_weights, difference, unseen_generator
from attendo.lab.tools.readers import KINDS, Kind, Reader, RecurrentReader, build_reader, right_answers, stream
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.tuning import train_side

SEEDS = by_size(2, 8, 16)
KNOBS = (
    Knob("steps", by_size(2, 800, 5_000), 2, 100_000),
    Knob("bits", by_size(16, 16, 16), 2, 64),  # in a stream while learning
)
TIMES_AS_LONG = 16  # the longest stream of the test, as against those of training
LEARNT = 0.07  # a loss: a tenth of a random guess's, ln 2
WINS = 0.1  # of all answers: one more in ten is right


def build(kind: Kind, seed: int) -> Reader:
    """Two layers for the Transformer; the LSTM has as many weights, to 2 %, in a single wider one."""
    d_model, num_layers = (32, 2) if kind == "transformer" else (45, 1)
    return build_reader(kind, FIRST_SYMBOL + 2, d_model, num_layers)


def parity(length: int, pairs: int, generator: torch.Generator) -> Batch:
    """At each position: is the number of ones so far even or odd?

    read     1 0 1 1 0
    answers  1 1 0 1 1
    """
    bits = torch.randint(0, 2, (pairs, length), generator=generator)
    return stream(FIRST_SYMBOL + bits, FIRST_SYMBOL + bits.cumsum(1) % 2)


def shown_lengths(longest: int) -> list[int]:
    """1, 2, 4, … and the longest."""
    return [1 << power for power in range((longest - 1).bit_length())] + [longest]


@torch.no_grad()
def state_bytes(model: Reader, tokens: Tensor) -> float:
    """What has to be kept after reading the tokens [1, length] to read the next one."""
    if isinstance(model, RecurrentReader):
        kept = [tensor for state in model.read(tokens)[1] for tensor in state]  # h and c of each layer
    else:
        kept = [tensor for cache in model.start_decoding(tokens).caches for tensor in cache.past or ()]
    return float(sum(tensor.nbytes for tensor in kept))


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    bits = at.whole("bits")
    shown = shown_lengths(bits * TIMES_AS_LONG)
    runs = rows_to_fill(seeds, length=shown, longest=shown[-1])
    for kind in KINDS:
        side = train_side("L30", kind, at, seeds, partial(build, kind), partial(parity, bits), pairs=16)
        side.add_to(runs, kind, LEARNT)
        for run, seed, model in zip(runs, seeds, side.models, strict=True):
            test = parity(shown[-1], 10 if at.size == "small" else 200, unseen_generator(seed))
            right = right_answers(model, test)
            run[f"{kind}_right"] = [float(right[length - 1]) for length in shown]
            run |= {f"{kind}_trained": float(right[:bits].mean()), f"{kind}_longer": float(right[bits:].mean())}
            kept = [state_bytes(model, test.target_in[:1, :length]) for length in shown]
            run |= {f"{kind}_bytes": kept, f"{kind}_bytes_first": kept[0], f"{kind}_bytes_last": kept[-1]}
            run[f"{kind}_weights"] = count_weights(model)
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Parity is won if the LSTM gives more right answers by WINS in streams longer than those of training, and at
    trained lengths not fewer by as many: whether the Transformer learns those, too, is a matter of steps. Memory is won
    if the LSTM's state stays as it is while the Transformer's grows. Both: holds. One: only if. None: no.
    """
    trained, longer = (
        difference(*(over_seeds(runs, f"{kind}_{where}") for kind in reversed(KINDS)))
        for where in ("trained", "longer")
    )
    if longer.low <= WINS <= longer.high or trained.low <= -WINS <= trained.high:
        return "undecided"
    wins_parity = longer.low > WINS and trained.low > -WINS
    first, last = ({kind: over_seeds(runs, f"{kind}_bytes_{end}") for kind in KINDS} for end in ("first", "last"))
    wins_memory = first["lstm"] == last["lstm"] and min(last["transformer"]) > max(first["transformer"])
    if wins_parity and wins_memory:
        return "holds"
    return "holds only if" if wins_parity or wins_memory else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2)
    shown = row(runs[0], "length")
    for index, (kind, label) in enumerate(zip(KINDS, ("Transformer", "LSTM"), strict=True)):
        band(left, shown, [row(run, f"{kind}_right") for run in runs], label, index)
        log_band(right, shown, [row(run, f"{kind}_bytes") for run in runs], label, index)
    bits = number(runs[0], "bits")
    left.axvspan(shown[0], bits, color="grey", alpha=0.12, lw=0, label=tr("lengths of training", "训练过的长度"))
    left.axhline(0.5, color="grey", ls="--", lw=1, label=tr("random guess", "随机猜测"))
    left.set(ylabel=tr("parity: right answers", "奇偶任务的准确率"), ylim=(0.4, 1.03))
    right.set(ylabel=tr("bytes to keep", "需要保留的字节数"), yscale="log")
    for axes in (left, right):
        axes.set(xlabel=tr("bits read", "已读的位数"), xscale="log")
        tick_at(axes, shown[::2])
    left.legend(fontsize=11)
    return picture


EXPERIMENT = Experiment("L30", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
