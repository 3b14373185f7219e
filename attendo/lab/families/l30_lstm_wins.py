"""L30: two things an LSTM does better: the parity of a stream of bits, and a memory that does not grow with it."""

from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Settings, by_size
from attendo.lab.tools.chart import band, figure, tick_at
from attendo.lab.tools.measuring import count_weights, difference, unseen_generator
from attendo.lab.tools.readers import (
    KINDS,
    Kind,
    LSTMReader,
    Reader,
    build_reader,
    learns_together,
    right_answers,
    stream,
)
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.tuning import budgets_of, train_tuned

SEEDS = by_size(2, 6, 8)
TRAINED = 16  # bits in a stream while learning
LONGEST = 256  # and in the test
SHOWN = (1, 2, 4, 8, 16, 32, 64, 128, 256)
STEPS = by_size(2, 300, 5000)
WINS = 0.1  # of all answers: one more in ten is right


def build(kind: Kind, seed: int) -> Reader:
    """Two layers for the Transformer; the LSTM has as many weights, to 2 %, in a single wider one."""
    d_model, num_layers = (32, 2) if kind == "transformer" else (45, 1)
    return build_reader(kind, FIRST_SYMBOL + 2, d_model, num_layers)


def parity(length: int, pairs: int, generator: torch.Generator) -> Batch:
    """At each position: is the number of ones so far even or odd?

    read  1 0 1 1 0
    said  1 1 0 1 1
    """
    bits = torch.randint(0, 2, (pairs, length), generator=generator)
    return stream(FIRST_SYMBOL + bits, FIRST_SYMBOL + bits.cumsum(1) % 2)


@torch.no_grad()
def state_bytes(model: Reader, tokens: Tensor) -> float:
    """What has to be kept after reading the tokens [1, length] to read the next one."""
    if isinstance(model, LSTMReader):
        kept = [tensor for state in model.read(tokens)[1] for tensor in state]  # h and c of each layer
    else:
        kept = [tensor for cache in model.start_decoding(tokens).caches for tensor in cache.past or ()]
    return float(sum(tensor.nbytes for tensor in kept))


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    runs = rows_to_fill(seeds, length=SHOWN, longest=LONGEST)
    for kind in KINDS:
        budgets = budgets_of("L30", kind, at.size, STEPS[at.size], 16)
        models, _, rate = train_tuned(
            partial(build, kind), partial(parity, TRAINED), seeds, budgets, together=learns_together(kind)
        )
        for run, seed, model in zip(runs, seeds, models, strict=True):
            test = parity(LONGEST, 10 if at.size == "small" else 200, unseen_generator(seed))
            right = right_answers(model, test)
            run[kind] = [float(right[length - 1]) for length in SHOWN]
            run |= {f"{kind}_trained": float(right[:TRAINED].mean()), f"{kind}_longer": float(right[TRAINED:].mean())}
            kept = [state_bytes(model, test.target_in[:1, :length]) for length in SHOWN]
            run |= {f"{kind}_bytes": kept, f"{kind}_bytes_first": kept[0], f"{kind}_bytes_last": kept[-1]}
            run |= {f"{kind}_weights": count_weights(model), f"rate_{kind}": rate}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """A task is found if the LSTM gives more right answers by WINS, both at lengths it was trained on and at longer
    ones. Another if its state stays as it is while the Transformer's grows. Both: holds. One: only if. None: no.
    """
    gaps = [
        difference(*(over_seeds(runs, f"{kind}_{where}") for kind in reversed(KINDS)))
        for where in ("trained", "longer")
    ]
    if any(gap.low <= WINS <= gap.high for gap in gaps):
        return "undecided"
    wins_parity = all(gap.low > WINS for gap in gaps)
    first, last = ({kind: over_seeds(runs, f"{kind}_bytes_{end}") for kind in KINDS} for end in ("first", "last"))
    wins_memory = first["lstm"] == last["lstm"] and min(last["transformer"]) > max(first["transformer"])
    if wins_parity and wins_memory:
        return "holds"
    return "holds only if" if wins_parity or wins_memory else "does not hold"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right_side) = figure(2, width=4.7)
    for index, (kind, label) in enumerate(zip(KINDS, ("Transformer", "LSTM"), strict=True)):
        band(left, SHOWN, [row(run, kind) for run in runs], label, index)
        band(right_side, SHOWN, [row(run, f"{kind}_bytes") for run in runs], label, index)
    left.axvspan(SHOWN[0], TRAINED, color="grey", alpha=0.12, lw=0, label=tr("trained lengths", "训练过的长度"))
    left.axhline(0.5, color="grey", ls="--", lw=1, label=tr("guessing", "瞎猜"))
    left.set(ylabel=tr("right parity", "奇偶答对的比例"), ylim=(0.4, 1.03))
    right_side.set(ylabel=tr("bytes to keep for the next step", "下一步需要保留的字节数"), yscale="log")
    for axes in (left, right_side):
        axes.set(xlabel=tr("bits read", "已读的位数"), xscale="log")
        tick_at(axes, SHOWN)
    left.legend()
    return picture


EXPERIMENT = Experiment("L30", measure, judge, draw, (), SEEDS, evidence="trained", tunes=True)
