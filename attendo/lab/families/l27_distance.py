"""L27: what stood d tokens ago, asked of a Transformer, an RNN and an LSTM; how loudly each hears it untrained."""

from collections.abc import Mapping, Sequence
from functools import partial

import torch
from matplotlib.figure import Figure

from attendo.data.batch import Batch
from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, figure, log_band, tick_at
from attendo.lab.tools.measuring import at_the_end, count_weights, difference, interval, log_ratio, unseen_generator
from attendo.lab.tools.readers import Kind, Reader, build_reader, right_answers, stream
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.lab.tools.tuning import train_side
from attendo.special_tokens import SPECIAL

SEEDS = by_size(2, 6, 8)
KNOBS = (
    Knob("steps", by_size(2, 600, 600), 2, 20_000),
    Knob("distances", by_size((2, 4), (8, 16, 32, 64), (8, 16, 32, 64)), 1, 512),
)
RECURRENT: tuple[Kind, ...] = ("rnn", "lstm")
KINDS: tuple[Kind, ...] = ("transformer", *RECURRENT)
WIDTHS: Mapping[Kind, int] = {"transformer": 32, "rnn": 62, "lstm": 32}  # about as many weights
ITEMS, FILLERS = 4, 2  # symbols to be remembered, symbols to be read over
ASK = FIRST_SYMBOL + ITEMS + FILLERS  # the symbol behind them all: "which item was it?"
LEARNT = 0.35  # a loss: a quarter of a random guess's, ln 4
FOUND = 0.9  # of the answers: who does not find the nearest item has nothing to lose with distance
MUCH = 0.1  # of all answers: one more mistake in ten
HARDER = 2.0  # times as many steps


def build(kind: Kind, seed: int) -> Reader:
    return build_reader(kind, ASK + 1, WIDTHS[kind], num_layers=1)


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
    side: str, kind: Kind, asked: Sequence[int], seeds: Sequence[int], at: Settings
) -> list[dict[str, float]]:
    """A model of each seed, trained with questions at these distances: the share of right answers at the last of them
    (SIDE_right), and the usual numbers."""
    # By the loss at the end: of rates that are as good there, the smallest. The highest is soonest, and fails at times.
    batches = partial(lookup, asked)
    trained = train_side("L27", side, at, seeds, partial(build, kind), batches, pairs=8, least=at_the_end)
    found = trained.numbers(side, LEARNT)
    for numbers, seed, model in zip(found, seeds, trained.models, strict=True):
        numbers[f"{side}_right"] = float(right_answers(model, lookup(asked, 400, unseen_generator(seed)))[-1])
    return found


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    """A model for each kind, distance and seed; then an RNN and an LSTM that are asked at all distances on the way."""
    distances = sorted(at.wholes("distances"))
    runs = rows_to_fill(seeds, near=distances[0], far=distances[-1])
    for kind in KINDS:
        # Each distance is a side with a learning rate of its own: every model is at its best there, too.
        sides = {d: train_and_test(f"{kind}_{d}", kind, [d], seeds, at) for d in distances}
        for index, (run, seed) in enumerate(zip(runs, seeds, strict=True)):
            for of_seeds in sides.values():
                run |= of_seeds[index]
            for what in ("right", "learnt"):
                by_distance = [sides[d][index][f"{kind}_{d}_{what}"] for d in distances]
                run |= {f"{kind}_{what}": by_distance}
                run |= {f"{kind}_near_{what}": by_distance[0], f"{kind}_far_{what}": by_distance[-1]}
            heard = [item_signal(kind, d, seed) for d in distances]
            run |= {f"{kind}_heard": heard, f"{kind}_heard_near": heard[0], f"{kind}_heard_far": heard[-1]}
            run[f"{kind}_weights"] = count_weights(build(kind, seed))
    for kind in RECURRENT:
        asked = train_and_test(f"on_the_way_{kind}", kind, distances, seeds, at)
        for run, numbers in zip(runs, asked, strict=True):
            run |= numbers
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """From the nearest distance to the furthest. The Transformer must not lose more than MUCH of the answers. It is
    harder for a recurrent model if it loses more than MUCH, or if the steps until learnt grow HARDER times as much as
    the Transformer's. The note names RNN and LSTM, so it must be harder for both. Then the claim holds; but only under
    a condition, if one of them loses nothing where it is asked on the way. The note speaks of what is hard to learn
    ("难以"), so the steps count as well as the end."""
    near, far = ({kind: over_seeds(runs, f"{kind}_{end}_right") for kind in KINDS} for end in ("near", "far"))
    if any(interval(values).low < FOUND for values in near.values()):
        return "undecided"
    lost = {kind: difference(near[kind], far[kind]) for kind in KINDS}
    growth = {}
    for kind in KINDS:
        steps = (over_seeds(runs, f"{kind}_{end}_learnt") for end in ("far", "near"))
        growth[kind] = [a / b for a, b in zip(*steps, strict=True)]
    slower = {kind: log_ratio(growth[kind], growth["transformer"]) for kind in RECURRENT}  # mean, low, high
    harder = [lost[kind].low > MUCH or slower[kind][1] > HARDER for kind in RECURRENT]
    no_harder = [lost[kind].high < MUCH and slower[kind][2] < HARDER for kind in RECURRENT]
    if lost["transformer"].low > MUCH or any(no_harder):
        return "does not hold"
    asked = [difference(near[kind], over_seeds(runs, f"on_the_way_{kind}_right")) for kind in RECURRENT]
    if lost["transformer"].high >= MUCH or not all(harder) or any(loss.low <= MUCH <= loss.high for loss in asked):
        return "undecided"
    return "holds only if" if any(loss.high < MUCH for loss in asked) else "holds"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (left, right) = figure(2)
    distances = sorted(row(runs[0], "distances"))
    labels = dict(zip(KINDS, ("Transformer", "RNN", "LSTM"), strict=True))
    for index, kind in enumerate(KINDS):
        seeds = [row(run, f"{kind}_right") for run in runs]
        shift = 0.94 + 0.06 * index  # side by side, where they are alike
        for own in seeds:
            left.plot([d * shift for d in distances], own, "o", color=COLOURS[index], ms=6, alpha=0.6, mew=0)
        means = [interval(values).mean for values in zip(*seeds, strict=True)]
        left.plot([d * shift for d in distances], means, color=COLOURS[index], lw=2, label=labels[kind])
        log_band(right, distances, [row(run, f"{kind}_heard") for run in runs], labels[kind], index)
        if kind in RECURRENT:
            taught = over_seeds(runs, f"on_the_way_{kind}_right")
            asked = tr(f"{labels[kind]}, asked on the way", f"{labels[kind]}，途中也提问")
            place = [distances[-1] * (1.15 if kind == "rnn" else 1.25)] * len(taught)
            left.plot(place, taught, "^", color=COLOURS[index], ms=8, alpha=0.7, mew=0, label=asked)
    left.axhline(1 / ITEMS, color="grey", ls="--", lw=1, label=tr("random guess", "随机猜测"))
    left.set(ylabel=tr("right answers", "准确率"), ylim=(0, 1.05), title=tr("after training", "训练之后"))
    right.set(ylabel=tr("influence of item / fillers", "影响之比：目标符号 / 干扰符号"), yscale="log")
    right.set(title=tr("before training", "训练之前"))
    for axes in (left, right):
        axes.set(xlabel=tr("distance in tokens", "距离（词元数）"), xscale="log")
        tick_at(axes, distances)
    left.legend(loc="center left", fontsize=11)
    return picture


EXPERIMENT = Experiment("L27", measure, judge, draw, KNOBS, SEEDS, evidence="trained", tunes=True)
