"""L27: what stood d tokens ago, asked of a Transformer and of an LSTM, and how loudly each hears it before training."""

from collections.abc import Sequence
from functools import partial

import torch
from matplotlib.figure import Figure

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row
from attendo.lab.knobs import Settings, Size, by_size
from attendo.lab.tools.chart import COLOURS, band, figure, tick_at
from attendo.lab.tools.measuring import count_weights, difference, interval, unseen_generator
from attendo.lab.tools.readers import KINDS, Kind, Reader, build_reader, learns_together, right_answers, stream
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.tuning import budgets_of, train_tuned
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 4, 8)
ITEMS, FILLERS = 4, 2  # symbols to be remembered, symbols to be read over
ASK = FIRST_SYMBOL + ITEMS + FILLERS  # the symbol behind them all: "which item was it?"
DISTANCES = by_size((2, 4), (4, 8, 16, 64), (8, 16, 64, 256))
STEPS = by_size(2, 200, 1500)
MUCH = 0.1  # of all answers: one more mistake in ten
LEARNT = 0.9  # who does not find the nearest item has learnt nothing, and has nothing to lose with distance


def build(kind: Kind, seed: int) -> Reader:
    return build_reader(kind, ASK + 1, d_model=32, num_layers=1)


def lookup(distances: Sequence[int], pairs: int, generator: torch.Generator) -> Batch:
    """An item, then fillers; at each of the distances the item is asked for. With 2 and 4: B y ? x ?  ->  . . B . B"""
    read = torch.randint(FIRST_SYMBOL + ITEMS, ASK, (pairs, max(distances) + 1), generator=generator)
    read[:, :1] = torch.randint(FIRST_SYMBOL, FIRST_SYMBOL + ITEMS, (pairs, 1), generator=generator)
    answers = torch.full_like(read, SPECIAL.pad)
    answers[:, list(distances)] = read[:, :1]
    read[:, list(distances)] = ASK
    return stream(read, answers)


@torch.no_grad()
def item_signal(kind: Kind, distance: int, seed: int) -> float:
    """Before training: how much the answer changes with the item, against how much with the fillers behind it."""
    read = lookup([distance], 30, torch.Generator().manual_seed(seed)).target_in.repeat(ITEMS, 1, 1)
    read[..., 0] = FIRST_SYMBOL + torch.arange(ITEMS)[:, None]  # [items, strings]: each before the same fillers
    batch, ratios = stream(read.flatten(0, 1), read.flatten(0, 1)), []
    torch.manual_seed(seed)
    for _ in range(8):  # random starts
        answer = build(kind, seed)(batch.source, batch.target_in)[:, -1].unflatten(0, read.shape[:2])
        ratios.append(answer.std(0).mean() / answer.std(1).mean())  # [items, strings, vocab]
    return float(torch.stack(ratios).log().mean().exp())


def train_and_test(
    side: str, kind: Kind, asked: Sequence[int], seeds: Sequence[int], size: Size
) -> tuple[list[float], float]:
    """For each seed the share of right answers at the last of the distances asked for, after training with these; and
    the learning rate."""
    budgets = budgets_of("L27", side, size, STEPS[size], 8)
    models, _, rate = train_tuned(
        partial(build, kind), partial(lookup, asked), seeds, budgets, together=learns_together(kind)
    )
    tests = [lookup(asked, 400, unseen_generator(seed)) for seed in seeds]
    return [float(right_answers(model, test)[-1]) for model, test in zip(models, tests, strict=True)], rate


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """A model for each kind, distance and seed; then an LSTM that is asked at all distances on the way."""
    distances, runs = DISTANCES[at.size], []
    # Each kind at each distance is a side with a learning rate of its own: at its best there, too.
    sides = {
        f"{kind}_{d}": train_and_test(f"{kind}_{d}", kind, [d], seeds, at.size) for kind in KINDS for d in distances
    }
    sides["on_the_way"] = train_and_test("on_the_way", "lstm", distances, seeds, at.size)
    for index, seed in enumerate(seeds):
        run: dict[str, float | Sequence[float]] = {"distance": distances, "near": distances[0], "far": distances[-1]}
        for kind in KINDS:
            right = [sides[f"{kind}_{d}"][0][index] for d in distances]
            share = [item_signal(kind, d, seed) for d in distances]
            run |= {kind: right, f"{kind}_near": right[0], f"{kind}_far": right[-1]}
            run |= {f"{kind}_heard": share, f"{kind}_heard_near": share[0], f"{kind}_heard_far": share[-1]}
            run[f"{kind}_weights"] = count_weights(build(kind, seed))
        run |= {f"rate_{side}": rate for side, (_, rate) in sides.items()}
        runs.append({**run, "on_the_way_far": sides["on_the_way"][0][index]})
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Lost is the share of right answers at the nearest distance less that at the furthest. Holds if the LSTM loses
    more than MUCH and the Transformer does not; but if an LSTM asked on the way does not either: only if it is not."""
    near, far = ({kind: over_seeds(runs, f"{kind}_{end}") for kind in KINDS} for end in ("near", "far"))
    if any(interval(values).low < LEARNT for values in near.values()):
        return "undecided"
    transformer, lstm = (difference(near[kind], far[kind]) for kind in KINDS)
    on_the_way = difference(near["lstm"], over_seeds(runs, "on_the_way_far"))
    if transformer.low > MUCH or lstm.high < MUCH:
        return "does not hold"
    if any(lost.low <= MUCH <= lost.high for lost in (transformer, lstm, on_the_way)):
        return "undecided"
    return "holds only if" if on_the_way.high < MUCH else "holds"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2, width=4.7)
    distances, taught = row(runs[0], "distance"), interval(over_seeds(runs, "on_the_way_far"))
    for index, (kind, label) in enumerate(zip(KINDS, ("Transformer", "LSTM"), strict=True)):
        band(left, distances, [row(run, kind) for run in runs], label, index)
        band(right, distances, [row(run, f"{kind}_heard") for run in runs], label, index)
    label = tr("LSTM, asked on the way", "LSTM，途中也提问")
    left.errorbar([distances[-1]], [taught.mean], [taught.half], fmt="^", color=COLOURS[2], label=label, capsize=4)
    left.axhline(1 / ITEMS, color="grey", ls="--", lw=1, label=tr("guessing", "瞎猜"))
    left.set(ylabel=tr("right answers", "答对的比例"), ylim=(0, 1.05))
    right.set(ylabel=tr("item against fillers, untrained", "训练前：目标符号与干扰之比"), yscale="log")
    for axes in (left, right):
        axes.set(xlabel=tr("distance in tokens", "距离（token 数）"), xscale="log")
        tick_at(axes, distances)
    left.legend()
    return picture


EXPERIMENT = Experiment("L27", measure, judge, draw, (), SEEDS, evidence="trained", tunes=True)
